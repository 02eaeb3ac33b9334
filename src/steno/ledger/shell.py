"""A shell command's words: split the way a shell would, with nothing run, expanded or guessed.

Bodies of here-documents and comments are data, not commands. What the words do
to files is `command`'s business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

COMMAND_READ = 8_000
WRAPPERS = frozenset(("sudo", "env", "time", "nohup", "command", "exec", "builtin", "nice", "stdbuf"))
SHELLS = frozenset(("bash", "sh", "zsh", "dash"))
KEYWORDS = frozenset(("do", "then", "else", "if", "elif", "while", "until", "!", "{"))

_TOKEN = re.compile(
    r"(?P<dup>[0-9]*[<>]&[0-9-]+)"
    r"|(?P<into>&>>?|[0-9]*>>?\|?)"
    r"|(?P<doc><<<?-?)|(?P<from>[0-9]*<)"
    r"|(?P<op>&&|\|\||\|&|;;|[;|&()\n])"
    r"|(?P<word>(?:[^\s'\"\\;&|<>()]++|'[^']*+'?|\"(?:[^\"\\]|\\.)*+\"?|\\.)++)",
    re.S,
)
_QUOTES = re.compile(r"'([^']*)'?|\"((?:[^\"\\]|\\.)*+)\"?|\\(.)", re.S)
_ESCAPED = re.compile(r"\\([\"\\$`\n])")
_HEREDOC = re.compile(r"<<-?\s*[\\'\"]?([A-Za-z_]\w*)")
ASSIGNED = re.compile(r"[A-Za-z_]\w*=")


@dataclass(slots=True)
class Simple:
    """One program with its words, where its output goes and where its input is from."""

    words: list[str] = field(default_factory=list)
    into: list[str] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    piped: bool = False
    """Whether it reads what another one says."""


def program(words: list[str]) -> list[str]:
    """The words from the program on, under its bare name, past wrappers and variables set for it."""
    at = 0
    while at < len(words) - 1:
        if words[at] == "timeout":
            at += 2 if at + 2 < len(words) else 1
        elif words[at] in WRAPPERS or words[at] in KEYWORDS or ASSIGNED.match(words[at]):
            at += 1
        else:
            break
    return [words[at].rpartition("/")[2] or words[at], *words[at + 1 :]]


def inner(words: list[str]) -> str:
    """The command that a shell is given as a word; empty where there is none."""
    if not words or words[0].rpartition("/")[2] not in SHELLS:
        return ""
    for option, said in pairwise(words[1:]):
        if option.startswith("-") and not option.startswith("--") and option.endswith("c"):
            return said
    return ""


def split(command: str) -> Iterator[Simple]:
    """The programs of a command, in the order they stand."""
    simple = Simple()
    goes_to: list[str] | None = None
    for token in _TOKEN.finditer(_without_documents(command)):
        match token.lastgroup:
            case "word":
                (simple.words if goes_to is None else goes_to).append(_bare(token[0]))
                goes_to = None
            case "into":
                goes_to = simple.into
            case "from":
                goes_to = simple.taken
            case "doc":
                goes_to = []
            case "op":
                yield simple
                simple, goes_to = Simple(piped=token[0] in ("|", "|&")), None
    yield simple


def _bare(word: str) -> str:
    """A word without its quotes."""
    if "'" not in word and '"' not in word and "\\" not in word:
        return word
    return _QUOTES.sub(_unquoted, word)


def _unquoted(quoted: re.Match[str]) -> str:
    if quoted[1] is not None:
        return quoted[1]
    return _ESCAPED.sub(r"\1", quoted[2]) if quoted[2] is not None else quoted[3]


def _without_documents(command: str) -> str:
    """The command without bodies of here-documents and without comments, cut to what is read at most."""
    if "<<" not in command and "#" not in command:
        return command[:COMMAND_READ]
    kept: list[str] = []
    until = ""
    for line in command.split("\n"):
        if until:
            until = "" if line.strip() == until else until
        elif not line.lstrip().startswith("#"):
            kept.append(line)
            opened = _HEREDOC.search(line.replace("<<<", "   "))
            until = opened[1] if opened else ""
    return "\n".join(kept)[:COMMAND_READ]
