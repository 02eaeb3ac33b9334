"""A researcher: a sub-agent that answers a task from texts it searches, within a few thousand tokens."""

from steno.agent.researcher.library import Files, Library
from steno.agent.researcher.research import Researcher
from steno.agent.researcher.result import Research
from steno.agent.researcher.scripted import Scripted
from steno.agent.researcher.talker import TextTalker

__all__ = ["Files", "Library", "Research", "Researcher", "Scripted", "TextTalker"]
