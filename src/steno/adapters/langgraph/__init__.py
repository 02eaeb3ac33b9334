"""LangGraph: any compiled graph, with threads that stay within their limit.

from steno.adapters.langgraph import CompactingSupervisor
agent = CompactingSupervisor(graph, token_limit=4_000)
"""

from __future__ import annotations

from steno.core.errors import needs_extra

try:
    import langgraph.graph  # noqa: F401
except ModuleNotFoundError as missing:
    raise needs_extra("this needs LangGraph", "langgraph") from missing

from steno.adapters.langgraph.history import HistoryManager
from steno.adapters.langgraph.supervisor import CompactingSupervisor

__all__ = ["CompactingSupervisor", "HistoryManager"]
