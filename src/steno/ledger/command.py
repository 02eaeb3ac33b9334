"""What a shell command touches, as far as its words tell.

Tables say what common programs do with their operands; a program that is in none
of them touches only what it is redirected to. What only a variable or a
substitution knows stays unknown. Which calls hold commands is `artifact`'s
business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from steno.ledger.path import canonical, is_place, is_web
from steno.ledger.shell import ASSIGNED, inner, program, split
from steno.ledger.vocabulary import Action, Touch

TOUCHES_MOST = 32
DEPTH_MOST = 2


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


READERS = _names(
    "cat head tail less more bat nl wc file stat xxd od hexdump strings tac sort uniq cut column diff cmp source"
)
ACTIONS: dict[str, Action] = {
    "touch": "created",
    "mkdir": "created",
    "tee": "written",
    "rm": "deleted",
    "rmdir": "deleted",
    "unlink": "deleted",
    "truncate": "edited",
    "mv": "moved",
    "cp": "copied",
    "ln": "copied",
    "install": "copied",
}
SCRIPTED = _names("sed awk gawk jq yq perl")
"""Their first operand is a script, the others are files."""
SCRIPTS = _names("-e -f -pe -ne -pie --expression")
"""Unless the script came with an option."""
SEARCHERS = _names("grep egrep fgrep rg ag ack")
FETCHERS = _names("curl wget http https xh")
LOOKERS = (
    READERS
    | SEARCHERS
    | FETCHERS
    | _names("sed awk jq yq ls find fd tree echo printf pwd cd which type gh true du df ps env date sleep")
)
GIT_LOOKS = _names("diff show log status blame grep ls-files branch remote rev-parse reflog shortlog tag cat-file")
SILENT = SEARCHERS | _names("diff cmp test [ which pgrep git")
"""To find nothing, or a difference, is an answer of theirs, though they call it 1."""
ASIDES = _names("cd echo printf sleep true export set pwd source wait :")
VALUED: dict[str, str] = {
    "head": "-n -c --lines --bytes",
    "tail": "-n -c --lines --bytes",
    "cut": "-d -f -b -c",
    "sort": "-k -t -S",
    "diff": "-U -C -I",
    "mkdir": "-m",
    "touch": "-d -t -r",
    "nl": "-b -w -s -v",
    "stat": "-c -f",
    "truncate": "-s",
    "install": "-m -o -g",
    "xxd": "-l -s -c",
    "grep": "-e -f -A -B -C -m --include --exclude --exclude-dir",
    "rg": "-e -f -A -B -C -m -g -t -T --glob --type --max-count",
    "sed": "-e -f -l --expression",
    "perl": "-e -pe -ne -pie",
    "awk": "-F -v",
    "jq": "--arg --argjson --indent",
    "curl": "-H -d -X -u -A -F -b -c -e -m -w -T -x --data --data-raw --header --request --user --max-time --retry",
    "wget": "-t -T -U --header --timeout --tries",
    "git": "-C -c",
}
"""Options that take the next word with them."""

_NOT_A_PATH = re.compile(r"[0-9]+|[{}*?~.\-]+|/dev/.*|.*[<>|;{}$`].*", re.S)
"""Numbers, marks, devices, and whatever a shell would still have to fill in."""


def touches(command: str, base: str = "") -> tuple[Touch, ...]:
    """What a command reads, writes, moves, deletes or fetches, in order, each thing once."""
    found: dict[Touch, None] = {}
    for touch in _walked(command, base, DEPTH_MOST):
        found[touch] = None
        if len(found) >= TOUCHES_MOST:
            break
    return tuple(found)


def gist(command: str) -> frozenset[str]:
    """The programs a command is about, without directories, filters and redirections around them."""
    simple = [each for each in split(command) if each.words]
    main = [each for each in simple if not each.piped and program(each.words)[0] not in ASIDES]
    return frozenset(" ".join(each.words) for each in main or simple)


def only_looks(command: str) -> bool:
    """Whether nothing in it can fail but to find or to show."""
    return all(_looks(program(each.words)) for each in split(command) if each.words)


def may_find_nothing(command: str) -> bool:
    """Whether its last word may be "no" without anything being wrong."""
    programs = [program(each.words)[0] for each in split(command) if each.words]
    return bool(programs) and programs[-1] in SILENT


def _looks(words: list[str]) -> bool:
    if words[0] == "git":
        operands = _operands(words)
        return bool(operands) and operands[0] in GIT_LOOKS
    return words[0] in LOOKERS or ASSIGNED.match(words[0]) is not None


def _walked(command: str, base: str, depth: int) -> Iterator[Touch]:
    for simple in split(command):
        for said in simple.into:
            yield from _touch("written", said, base)
        for said in simple.taken:
            yield from _touch("read", said, base)
        if not simple.words:
            continue
        words = program(simple.words)
        if words[0] == "cd" and len(words) > 1:
            base = canonical(words[1], base) if is_place(words[1]) and "$" not in words[1] else ""
        elif depth and (given := inner(words)):
            yield from _walked(given, base, depth - 1)
        else:
            yield from _done(words, base)


def _done(words: list[str], base: str) -> Iterator[Touch]:
    """What one program does to its operands."""
    name, operands = words[0], _operands(words)
    if name == "git":
        yield from _git(words, operands, base)
    elif name in SCRIPTED:
        edits = any(word.startswith(("-i", "--in-place", "-pi")) for word in words[1:])
        files = [said for said in operands if said]  # BSD's sed takes an empty suffix
        for said in files if SCRIPTS.intersection(words) else files[1:]:
            yield from _touch("edited" if edits else "read", said, base)
    elif name in SEARCHERS:
        for said in operands if "--files" in words or "-e" in words else operands[1:]:
            yield from _touch("searched", said, base)
    elif name in FETCHERS:
        yield from (Touch("fetched", said, canonical(said)) for said in operands if is_web(said))
        yield from _saved(words, base)
    elif name in READERS or name in ACTIONS:
        yield from _acted(ACTIONS.get(name, "read"), operands, base)


def _acted(action: Action, operands: list[str], base: str) -> Iterator[Touch]:
    if action not in ("moved", "copied"):
        for said in operands:
            yield from _touch(action, said, base)
        return
    if len(operands) < 2:
        return
    last = operands[-1]
    into = last.endswith("/") or last in (".", "..") or len(operands) > 2
    for said in operands[:-1]:
        # Into a directory a file keeps its name.
        target = f"{last.rstrip('/')}/{said.rstrip('/').rpartition('/')[2]}" if into else last
        if _is_path(said) and _is_path(target):
            key, to = canonical(said, base), canonical(target, base)
            yield Touch("moved", said, key, to) if action == "moved" else Touch("read", said, key)
            yield Touch("created", last, to)


def _git(words: list[str], operands: list[str], base: str) -> Iterator[Touch]:
    if "-C" in words[:-1]:
        base = canonical(words[words.index("-C") + 1], base)
    verb, rest = (operands[0], operands[1:]) if operands else ("", [])
    if verb == "mv":
        yield from _acted("moved", rest, base)
    elif verb == "rm":
        yield from _acted("deleted", rest, base)
    elif verb == "clone":
        yield from (Touch("fetched", said, canonical(said)) for said in rest if is_web(said))
    elif verb == "restore" or (verb == "checkout" and "--" in words):
        yield from _acted("edited", rest if verb == "restore" else words[words.index("--") + 1 :], base)


def _saved(words: list[str], base: str) -> Iterator[Touch]:
    for option, said in pairwise(words):
        if option in ("-o", "-O", "--output", "--output-document") and not said.startswith("-") and not is_web(said):
            yield from _touch("written", said, base)


def _touch(action: Action, said: str, base: str) -> Iterator[Touch]:
    if _is_path(said):
        yield Touch(action, said, canonical(said, base))


def _is_path(said: str) -> bool:
    return is_place(said) and _NOT_A_PATH.fullmatch(said) is None and not is_web(said)


def _operands(words: list[str]) -> list[str]:
    """The words that are neither options nor what options take with them."""
    valued = VALUED.get(words[0], "").split()
    found: list[str] = []
    skip = False
    for at, word in enumerate(words[1:], start=1):
        if skip:
            skip = False
        elif word == "--":
            return found + words[at + 1 :]
        elif word.startswith("-") and word != "-":
            skip = word in valued
        else:
            found.append(word)
    return found
