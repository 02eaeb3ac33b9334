"""A small agent that lives with compaction: three loops over one shared turn."""

from steno.agent.events import HistoryCompacted, RunEnded, ToolFinished, ToolStarted, TurnFinished
from steno.agent.loop import HybridLoop, Loop, PlanExecuteLoop, ReactLoop
from steno.agent.state import RunLimits, RunState, Step
from steno.agent.tools import Tool, is_abandoned, tool_of

__all__ = [
    "HistoryCompacted",
    "HybridLoop",
    "Loop",
    "PlanExecuteLoop",
    "ReactLoop",
    "RunEnded",
    "RunLimits",
    "RunState",
    "Step",
    "Tool",
    "ToolFinished",
    "ToolStarted",
    "TurnFinished",
    "is_abandoned",
    "tool_of",
]
