"""A shell command, split the way a shell would.

Nothing is run, expanded or guessed; bodies of here-documents and comments are data. What
the programs do is the business of `shell`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

COMMAND_READ = 8_000
WRAPPERS = frozenset(
    ("sudo", "env", "time", "nohup", "command", "exec", "builtin", "nice", "stdbuf")
)
SHELLS = frozenset(("bash", "sh", "zsh", "dash"))
KEYWORDS = frozenset(("do", "then", "else", "if", "elif", "while", "until", "!", "{"))

# Possessive throughout, so that unclosed quotes cost no backtracking.
# `dup` is `2>&1` and the like, which names no file.
_TOKEN = re.compile(
    r"(?P<dup>[0-9]*[<>]&[0-9-]+)|(?P<into>&>>?|[0-9]*>>?\|?)|(?P<doc><<<?-?)|(?P<from>[0-9]*<)"
    r"|(?P<op>&&|\|\||\|&|;;|[;|&()\n])|(?P<word>(?:\$'(?:[^'\\]|\\.)*+'?|(?:[^\s'\"\\;&|<>()$]"
    r"|\$(?!'))++|'[^']*+'?|\"(?:[^\"\\]|\\.)*+\"?|\\.)++)",
    re.S,
)
_QUOTES = re.compile(r"\$'((?:[^'\\]|\\.)*+)'?|'([^']*)'?|\"((?:[^\"\\]|\\.)*+)\"?|\\(.)", re.S)
_ESCAPED = re.compile(r"\\([\"\\$`\n])")
_HEREDOC = re.compile(r"<<-?\s*[\\'\"]?([A-Za-z_]\w*)")
_FILLED_IN = re.compile(r"[$`\\]")
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


@dataclass(slots=True)
class SimpleCommand:
    """One program with its words, where its output goes and where its input is from."""

    words: list[str] = field(default_factory=list)
    into: list[str] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    appended: list[str] = field(default_factory=list)
    """Those of `into` that keep what they hold."""
    piped: bool = False
    """Whether it reads what another one says."""
    document: str | None = None
    """The here-document it reads."""
    is_literal: bool = False
    """Whether a shell leaves that document as it stands."""
    source: str = ""
    """The command as it was written, without its documents."""


def program_words(words: list[str]) -> list[str]:
    """Return the words from the program on, without wrappers, variables and its directory."""
    at = 0
    while at < len(words) - 1:
        # Its first operand is a time, not the program.
        if words[at] == "timeout":
            at += 2 if at + 2 < len(words) else 1
        elif words[at] in WRAPPERS or words[at] in KEYWORDS or ASSIGNMENT.match(words[at]):
            at += 1
        else:
            break
    return [words[at].rpartition("/")[2] or words[at], *words[at + 1 :]]


def inner_command(words: list[str]) -> str:
    """Return the command that a shell is given as a word; empty where there is none."""
    if not words or words[0].rpartition("/")[2] not in SHELLS:
        return ""
    for option, said in pairwise(words[1:]):
        if option.startswith("-") and not option.startswith("--") and option.endswith("c"):
            return said
    return ""


def split_command(command: str) -> Iterator[SimpleCommand]:
    """Yield the programs of a command, in the order they stand."""
    simple = SimpleCommand()
    goes_to: list[str] | None = None
    adds = False
    text, documents = _split_heredocs(command)
    tokens = list(_TOKEN.finditer(text))
    read = [token for token in tokens if _reads_document(token)]
    if len(read) != len(documents):
        # Some stand within quotes: which program reads which cannot be told.
        whole = "\n".join(body for body, _ in documents)
        documents = [(whole, False)] * len(read)
    start = 0
    for token in tokens:
        match token.lastgroup:
            case "word":
                word = _strip_quotes(token[0])
                (simple.words if goes_to is None else goes_to).append(word)
                if adds:
                    simple.appended.append(word)
                goes_to, adds = None, False
            case "into":
                goes_to, adds = simple.into, ">>" in token[0]
            case "from":
                goes_to = simple.taken
            case "doc":
                # The end mark of a here-document is no file.
                goes_to = []
                if _reads_document(token):
                    simple.document, simple.is_literal = documents.pop(0)
            case "op":
                simple.source = text[start : token.start()].strip()
                start = token.end()
                yield simple
                simple, goes_to = SimpleCommand(piped=token[0] in ("|", "|&")), None
    simple.source = text[start:].strip()
    yield simple


def _reads_document(token: re.Match[str]) -> bool:
    return token.lastgroup == "doc" and not token[0].startswith("<<<")


def _strip_quotes(word: str) -> str:
    """Return a word without its quotes."""
    if "'" not in word and '"' not in word and "\\" not in word:
        return word
    return _QUOTES.sub(_unquote, word)


def _unquote(quoted: re.Match[str]) -> str:
    if quoted[2] is not None:
        return quoted[2]
    if quoted[3] is not None:
        return _ESCAPED.sub(r"\1", quoted[3])
    return quoted[1] or quoted[4] or ""


def _split_heredocs(command: str) -> tuple[str, list[tuple[str, bool]]]:
    """Return the command without here-documents and comments, cut to `COMMAND_READ`, and those.

    Each with whether a shell leaves it as it stands.
    """
    if "<<" not in command and "#" not in command:
        return command[:COMMAND_READ], []
    kept: list[str] = []
    documents: list[tuple[str, bool]] = []
    opened: re.Match[str] | None = None
    body: list[str] = []
    for line in command.split("\n"):
        if opened is not None:
            if line.strip() == opened[1]:
                documents.append(_document(opened, body))
                opened = None
            body.append(line)
        elif not line.lstrip().startswith("#"):
            kept.append(line)
            # A here-string has no body that would have to be skipped.
            opened = _HEREDOC.search(line.replace("<<<", "   "))
            body = []
    return "\n".join(kept)[:COMMAND_READ], documents


def _document(opened: re.Match[str], body: list[str]) -> tuple[str, bool]:
    text = "\n".join(body)
    is_quoted = opened[0][-len(opened[1]) - 1] in "\\'\""
    strips_tabs = opened[0].startswith("<<-")
    fills_in = not is_quoted and _FILLED_IN.search(text) is not None
    return text, not (strips_tabs or fills_in)
