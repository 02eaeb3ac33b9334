"""A small agent that works with compaction: three loops that share one turn."""

from steno.agent.events import HistoryCompacted, RunEnded, ToolFinished, ToolStarted, TurnFinished
from steno.agent.loop import HybridLoop, Loop, PlanExecuteLoop, ReactLoop
from steno.agent.state import RunLimits, RunState, Step
from steno.agent.tools import Tool, is_abandoned, tool_of
from steno.session.options import SessionOptions

__all__ = [
    "HistoryCompacted",
    "HybridLoop",
    "Loop",
    "PlanExecuteLoop",
    "ReactLoop",
    "RunEnded",
    "RunLimits",
    "RunState",
    "SessionOptions",
    "Step",
    "Tool",
    "ToolFinished",
    "ToolStarted",
    "TurnFinished",
    "is_abandoned",
    "tool_of",
]
