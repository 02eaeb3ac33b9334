"""A researcher: a sub-agent that answers a task from texts, within a few thousand tokens."""

from steno.agent.research.library import FileLibrary, Library
from steno.agent.research.prompt_builder import PromptBuilder
from steno.agent.research.researcher import Research, Researcher
from steno.agent.research.text_talker import TextTalker

__all__ = [
    "FileLibrary",
    "Library",
    "PromptBuilder",
    "Research",
    "Researcher",
    "TextTalker",
]
