"""A small agent that lives with compaction: three loops over one shared turn."""

from steno.agent.loop import HybridLoop, Loop, PlanExecuteLoop, ReactLoop
from steno.agent.state import RunLimits, State, Step
from steno.agent.told import Compacted, Ended, Ran, Running, TurnTaken
from steno.agent.tool import Tool, abandoned, tool_of

__all__ = [
    "Compacted",
    "Ended",
    "HybridLoop",
    "Loop",
    "PlanExecuteLoop",
    "Ran",
    "ReactLoop",
    "RunLimits",
    "Running",
    "State",
    "Step",
    "Tool",
    "TurnTaken",
    "abandoned",
    "tool_of",
]
