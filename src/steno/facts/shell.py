"""What a shell command touches, as far as its words tell.

Tables say what common programs do with their operands; any other program touches only
what it is redirected to. Places that only a variable or a substitution knows stay
unknown. How a command is split is the business of `shell_words`; which calls hold
commands is decided in `artifacts`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from steno.core.words import words_of
from steno.facts.paths import canonical_path, is_place, is_web
from steno.facts.shell_words import (
    ASSIGNMENT,
    SimpleCommand,
    inner_command,
    program_words,
    split_command,
)
from steno.facts.vocabulary import Action, Touch

_DRY = frozenset(
    ("--collect-only", "--co", "--dry-run", "--dry", "--just-print", "--list-tests", "--listTests")
)
"""Options with which a program only says what it would do."""
_DRY_SHORT = frozenset(("make", "git push", "git add", "git rm", "git mv", "git clean"))
"""What takes `-n` for the same."""
_TOLD = frozenset(("--version", "--help"))
"""Options with which it only speaks of itself, where no word follows."""
_LEAVES_OUT = ("--deselect", "--ignore", "--ignore-glob", "--testPathIgnorePatterns")
_JEST = ("-t", "--testNamePattern")
_MOCHA = ("-g", "--grep")
_SELECTS = {
    **dict.fromkeys(("pytest", "py.test"), ("-k", "-m")),
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun"), (*_JEST, *_MOCHA)),
    **dict.fromkeys(("jest", "vitest"), _JEST),
    **dict.fromkeys(("mocha", "playwright"), _MOCHA),
    **dict.fromkeys(("phpunit", "pest", "dotnet"), ("--filter",)),
    "unittest": ("-k",),
    "go": ("-run",),
    "rspec": ("-e",),
}
"""Options whose value says which tests are run."""
TOUCHES_MOST = 32
# Shells within shells (`bash -c "…"`) that are followed.
DEPTH_MOST = 2

READERS = words_of(
    "cat head tail less more bat nl wc file stat xxd od hexdump strings tac sort uniq cut column "
    "diff cmp source"
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
SCRIPTED = words_of("sed awk gawk jq yq perl")
"""Their first operand is a script, the others are files."""
SCRIPTS = words_of("-e -f -pe -ne -pie --expression")
"""Unless the script came with an option."""
SEARCHERS = words_of("grep egrep fgrep rg ag ack")
FETCHERS = words_of("curl wget http https xh")
LOOKERS = (
    READERS
    | SEARCHERS
    | FETCHERS
    | words_of(
        "sed awk jq yq ls find fd tree echo printf pwd cd which type gh true du df ps env date "
        "sleep"
    )
)
GIT_LOOKS = words_of(
    "diff show log status blame grep ls-files branch remote rev-parse reflog shortlog tag cat-file"
)
SILENT = SEARCHERS | words_of("diff cmp test [ which pgrep git")
"""To find nothing, or a difference, is an answer of theirs, though they call it 1."""
ASIDES = words_of("cd echo printf sleep true export set pwd source wait :")
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
    "curl": "-H -d -X -u -A -F -b -c -e -m -w -T -x --data --data-raw --header --request --user "
    "--max-time --retry",
    "wget": "-t -T -U --header --timeout --tries",
    "git": "-C -c",
}
"""Options that take the next word with them."""

LAUNCHERS = {
    **dict.fromkeys(("npx", "bunx", "uvx", "pipx"), ()),
    **dict.fromkeys(("uv", "poetry", "pipenv", "pdm", "hatch"), ("run",)),
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun", "bundle", "mise"), ("exec", "dlx", "x")),
}
"""Programs that start another one, each with the verbs that say so; none if they do no more."""
_VERSION = re.compile(r"(?<=[a-z])[\d.]+$")
_GIT_ALIKE = frozenset(("commit", "push", "fetch", "status"))
"""Verbs of git that do one thing, whatever stands behind them."""
_STATUS = ("git status",)
_SHOWING = frozenset(("cat", "head", "tail", "nl", "bat", "less", "more"))
"""Programs that show lines of a file as they stand."""
_CODE = ("-c", "-e", "-r", "--eval")
_NOT_A_PATH = re.compile(r"[0-9]+|/+|[{}*?~.\-]+|/dev/.*|.*[<>|;{}$`].*", re.S)
"""Numbers, marks, devices, and whatever a shell would still have to fill in."""


def command_touches(command: str, base: str = "") -> tuple[Touch, ...]:
    """Return what a command reads, writes, moves, deletes or fetches, in order, each thing once."""
    found: dict[Touch, None] = {}
    for touch in _walk(command, base, DEPTH_MOST):
        found[touch] = None
        if len(found) >= TOUCHES_MOST:
            break
    return tuple(found)


def main_programs(command: str) -> frozenset[str]:
    """Return the main programs of a command with what they work on.

    Left out are filters, redirections, options, launchers and versions: however a command is
    spelt, it is the same try.
    """
    return frozenset(_program_gist(each.words) for each in _main_commands(command))


def _main_commands(command: str) -> list[SimpleCommand]:
    simple = [each for each in split_command(command) if each.words]
    main = [
        each for each in simple if not each.piped and program_words(each.words)[0] not in ASIDES
    ]
    return main or simple


def question_of(command: str) -> str:
    """Return what a command asks: who runs it again gets the newer answer to the same question.

    What shapes the answer counts too: options of a look, and settings (`--size=3`).
    """
    told: list[str] = []
    for each in _main_commands(command):
        gist = _program_gist(each.words)
        words = each.words[1:]
        if gist in _STATUS:
            words = []
        elif not _program_only_looks(program_words(each.words)):
            words = [word for word in words if word.startswith("-") and "=" in word]
        told.append(" ".join((gist, *words)))
    return "; ".join(told)


def work_folder(command: str, base: str = "") -> str:
    """Return the folder in which a command does its work; empty if it does not say."""
    folder = base
    for _, words, place in placed_programs(command, base):
        if words and words[0] not in ASIDES:
            folder = place
    return folder


def shows_one_file(command: str) -> bool:
    """Tell whether all that a command shows is lines of one file as they stand."""
    shown = 0
    for each in split_command(command):
        if not each.words:
            continue
        words = program_words(each.words)
        if each.piped:
            # A filter that counts or sorts shows something else than the file.
            if words[0] not in _SHOWING:
                return False
        elif words[0] in _SHOWING:
            shown += len(operands_of(words))
        elif words[0] == "sed" and "-n" in words:
            shown += len(operands_of(words)) - 1
        elif words[0] != "cd":
            return False
    return shown == 1


def search_pattern(command: str) -> str:
    """Return what a command looks for, if it only searches for one thing; else nothing."""
    pattern = ""
    for each in split_command(command):
        words = program_words(each.words) if each.words else ["cd"]
        if each.piped or words[0] in ASIDES:
            continue
        if pattern or words[0] not in SEARCHERS:
            return ""
        given = [after for word, after in pairwise(words) if word in ("-e", "--regexp")]
        pattern = " | ".join(given or operands_of(words)[:1])
    return pattern


def plain_words(words: list[str]) -> list[str]:
    """Return a program with its operands, without what starts it (`npx`, `python3.11 -m`)."""
    words = program_words(words)
    verbs = LAUNCHERS.get(words[0])
    rest = words[1:]
    if verbs is not None and rest and (not verbs or rest[0] in verbs):
        if verbs:
            rest = rest[1:]
        rest = rest[_count_options(rest) :]
        if rest:
            return plain_words(rest)
    name = _VERSION.sub("", words[0]) or words[0]
    if name == "python" and rest[:1] == ["-m"] and len(rest) > 1:
        return plain_words(rest[1:])
    return [name, *rest]


def limits_of(words: list[str]) -> list[str]:
    """Return what makes a run less than the whole: options, or the values of those that select.

    Such a run proves nothing of what it leaves out.
    """
    name, *rest = plain_words(words)
    selects = _SELECTS.get(name, ())
    is_dry = name in _DRY_SHORT or " ".join((name, *rest[:1])) in _DRY_SHORT
    found = [word for word in rest[-1:] if word in _TOLD]
    for before, word in pairwise(("", *rest)):
        option, _, value = word.partition("=")
        dry = word in _DRY or (is_dry and word == "-n")
        if dry or option in _LEAVES_OUT or before in selects:
            found.append(word)
        elif value and option in selects:
            found.append(value)
    return found


def _count_options(words: list[str]) -> int:
    for at, word in enumerate(words):
        if not word.startswith("-"):
            return at
    return len(words)


def _program_gist(words: list[str]) -> str:
    if inner := inner_command(program_words(words)):
        return "; ".join(sorted(main_programs(inner)))
    name, *rest = plain_words(words)
    if name == "git" and (verb := operands_of([name, *rest])[:1]) and verb[0] in _GIT_ALIKE:
        return " ".join(("git", verb[0], *limits_of(words)))
    told = [name]
    for before, word in pairwise(("", *rest)):
        # Words after an option that no path or goal could be: a message, a title.
        is_text = before.startswith("-") and before not in _CODE and " " in word
        if not word.startswith("-") and not is_text:
            told.append(word)
    # Half of a thing is another try.
    return " ".join((*told, *limits_of(words)))


def only_looks(command: str) -> bool:
    """Tell whether nothing in it can fail but to find or to show."""
    return all(
        _program_only_looks(program_words(each.words))
        for each in split_command(command)
        if each.words
    )


def may_find_nothing(command: str) -> bool:
    """Tell whether its last word may be "no" without anything being wrong."""
    programs = [program_words(each.words)[0] for each in split_command(command) if each.words]
    return bool(programs) and programs[-1] in SILENT


def _program_only_looks(words: list[str]) -> bool:
    if words[0] == "git":
        operands = operands_of(words)
        return bool(operands) and operands[0] in GIT_LOOKS
    return words[0] in LOOKERS or ASSIGNMENT.match(words[0]) is not None


def placed_programs(
    command: str, base: str = "", depth: int = DEPTH_MOST
) -> Iterator[tuple[SimpleCommand, list[str], str]]:
    """Yield the programs of a command, each with its words and the folder it runs in.

    The words are empty where there is no program of its own: `cd`, or a shell within a shell.
    """
    for simple in split_command(command):
        words = program_words(simple.words) if simple.words else []
        if words[:1] == ["cd"] and len(words) > 1:
            yield simple, [], base
            # Only the shell knows where `cd $DIR` goes; relative paths stay as they are spelt.
            known = is_place(words[1]) and "$" not in words[1]
            base = canonical_path(words[1], base) if known else ""
        elif depth and (given := inner_command(words)):
            yield simple, [], base
            yield from placed_programs(given, base, depth - 1)
        else:
            yield simple, words, base


def _walk(command: str, base: str, depth: int) -> Iterator[Touch]:
    for simple, words, place in placed_programs(command, base, depth):
        for said in simple.into:
            yield from _path_touch("written", said, place)
        for said in simple.taken:
            yield from _path_touch("read", said, place)
        if words:
            yield from _program_touches(words, place)


def _program_touches(words: list[str], base: str) -> Iterator[Touch]:
    """Yield what one program does to its operands."""
    name, operands = words[0], operands_of(words)
    if name == "git":
        yield from _git_touches(words, operands, base)
    elif name in SCRIPTED:
        edits = any(word.startswith(("-i", "--in-place", "-pi")) for word in words[1:])
        files = [said for said in operands if said]  # BSD's sed takes an empty suffix
        for said in files if SCRIPTS.intersection(words) else files[1:]:
            yield from _path_touch("edited" if edits else "read", said, base)
    elif name in SEARCHERS:
        for said in operands if "--files" in words or "-e" in words else operands[1:]:
            yield from _path_touch("searched", said, base)
    elif name in FETCHERS:
        yield from (
            Touch("fetched", said, canonical_path(said)) for said in operands if is_web(said)
        )
        yield from _output_touches(words, base)
    elif name in READERS or name in ACTIONS:
        yield from _file_touches(ACTIONS.get(name, "read"), operands, base)


def _file_touches(action: Action, operands: list[str], base: str) -> Iterator[Touch]:
    if action not in ("moved", "copied"):
        for said in operands:
            yield from _path_touch(action, said, base)
        return
    if len(operands) < 2:
        return
    last = operands[-1]
    into = last.endswith("/") or last in (".", "..") or len(operands) > 2
    for said in operands[:-1]:
        # Into a directory a file keeps its name.
        target = f"{last.rstrip('/')}/{said.rstrip('/').rpartition('/')[2]}" if into else last
        if is_path(said) and is_path(target):
            key, to = canonical_path(said, base), canonical_path(target, base)
            yield Touch("moved", said, key, to) if action == "moved" else Touch("read", said, key)
            yield Touch("created", last, to)


def _git_touches(words: list[str], operands: list[str], base: str) -> Iterator[Touch]:
    if "-C" in words[:-1]:
        base = canonical_path(words[words.index("-C") + 1], base)
    verb, rest = (operands[0], operands[1:]) if operands else ("", [])
    if verb == "mv":
        yield from _file_touches("moved", rest, base)
    elif verb == "rm":
        yield from _file_touches("deleted", rest, base)
    elif verb == "clone":
        yield from (Touch("fetched", said, canonical_path(said)) for said in rest if is_web(said))
    elif verb == "restore" or (verb == "checkout" and "--" in words):
        yield from _file_touches(
            "edited", rest if verb == "restore" else words[words.index("--") + 1 :], base
        )


def _output_touches(words: list[str], base: str) -> Iterator[Touch]:
    for option, said in pairwise(words):
        if (
            option in ("-o", "-O", "--output", "--output-document")
            and not said.startswith("-")
            and not is_web(said)
        ):
            yield from _path_touch("written", said, base)


def _path_touch(action: Action, said: str, base: str) -> Iterator[Touch]:
    if is_path(said):
        yield Touch(action, said, canonical_path(said, base))


def is_path(said: str) -> bool:
    """Tell whether a word of a command is a path that is known as it stands."""
    return is_place(said) and _NOT_A_PATH.fullmatch(said) is None and not is_web(said)


def operands_of(words: list[str]) -> list[str]:
    """Return the words that are neither options nor what options take with them."""
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
