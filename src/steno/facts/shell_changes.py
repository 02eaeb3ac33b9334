"""What a shell command changes beyond the files it names: texts, whole trees, commits.

`shell` says which files a command touches. This module says what text a here-document
puts into one, and which files may hold another text since although no word of the command
shows it: after `git stash`, `patch`, a script in the command that writes, or a path that
only a loop knows. Formatters are left out: they change the layout of a text, not its meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from steno.core.words import words_of
from steno.facts.paths import canonical_path
from steno.facts.shell import ACTIONS, SCRIPTED, is_path, operands_of, placed_programs
from steno.facts.shell_words import SimpleCommand, program_words
from steno.facts.text import flatten

_COMMITTERS = ("git", "hg", "jj", "sl")
_TREE_VERBS = words_of(
    "checkout switch restore stash reset merge rebase pull apply am cherry-pick revert clean "
    "bisect read-tree checkout-index sparse-checkout update shelve unshelve backout"
)
"""Verbs of version control that put other texts into the files of a tree."""
_KEEPS_TREE = words_of(
    "list show drop clear store create --cached --staged --check --stat --dry-run -n"
)
"""Words with which they change no file."""
_NEW_BRANCH = frozenset(("-b", "-c", "-B", "--create", "--orphan"))
_HARD = frozenset(("--hard", "--merge", "--keep"))
_EARLIER = re.compile(r"(?:HEAD|@)[~^@].*|ORIG_HEAD|[0-9a-f]{7,40}|(?:origin|upstream)/.+")
"""How an earlier commit is named."""
_RUN_OTHERS = frozenset(("xargs", "find", "fd", "parallel"))
_EXECUTES = frozenset(("-exec", "-execdir", "-ok", "-x", "-X", "--exec"))
_INTERPRETER = re.compile(r"(?:python|node|ruby|perl|php|deno|bun|tsx)[\d.]*")
_CODE_OPTIONS = frozenset(("-c", "-e", "-r", "-pe", "-ne", "--eval", "eval"))
_WRITES = re.compile(
    r"\bwrite|\bopen\([^)\n]*,\s*(?:mode\s*=\s*)?['\"][rbt]*[wax+]|put_contents|\btruncate\b"
    r"|\b(?:rename|remove|unlink|rmtree|copy|move|replace)\w*+\(|\bdump\("
)
"""Code that changes files."""
_PATTERN = re.compile(r"[*?\[]")
_FINDS_FILES = re.compile(r"glob|walk|listdir|iterdir|scandir|readdir|argv|\bfind\(")
"""Code that names no file it changes."""


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A text that a command puts into a file."""

    path: str
    text: str
    appends: bool


@dataclass(frozen=True, slots=True)
class UnseenChange:
    """Files that may hold another text since."""

    place: str
    """A file, a folder or a pattern; empty for any file."""
    is_tree: bool = False
    """Whether anything below the place may have changed."""
    by_history: bool = False
    """Whether version control puts files there that it knows: most are what they were."""
    code: str = ""
    """If given, only files whose names stand in this code."""

    def concerns(self, key: str) -> bool:
        """Tell whether a file may be one of them."""
        if self.code:
            return key.rpartition("/")[2] in self.code
        if not self.place or key == self.place or key.startswith(f"{self.place}/"):
            return True
        if self.place.startswith("/") and not key.startswith("/"):
            return self.is_tree or self.place.endswith(f"/{key}")
        if not self.place.startswith("/"):
            inside = f"/{key}"
            if f"/{self.place}/" in inside or inside.endswith(f"/{self.place}"):
                return True
        if not _PATTERN.search(self.place):
            return False
        return fnmatchcase(key, self.place) or fnmatchcase(key, f"*/{self.place}")


def written_texts(command: str, base: str = "") -> Iterator[WrittenText]:
    """Yield the texts that here-documents put into files as they stand."""
    for simple, words, place in placed_programs(command, base):
        if simple.document is None or not simple.is_literal or not words:
            continue
        if words[0] == "cat" and not operands_of(words):
            into, appends = simple.into, bool(simple.appended)
        elif words[0] == "tee":
            into, appends = operands_of(words), "-a" in words or "--append" in words
        else:
            continue
        for said in into:
            if is_path(said):
                yield WrittenText(canonical_path(said, place), simple.document, appends)


def commit_words(command: str) -> str:
    """Return the words of the last commit that a command makes; empty if it makes none."""
    found = ""
    for simple, words, _ in placed_programs(command):
        if words and words[0] in _COMMITTERS:
            operands = operands_of(words)
            if operands[:1] == ["commit"] and "--dry-run" not in words:
                found = flatten(simple.source)
    return found


def undoes_commits(command: str) -> bool:
    """Tell whether a command goes back to an earlier commit, so that the newest is none."""
    for _, words, _ in placed_programs(command):
        operands = operands_of(words) if words else []
        if words[:1] == ["git"] and operands[:1] == ["reset"]:
            return any(map(_EARLIER.fullmatch, operands[1:2]))
    return False


def shows_tree(command: str) -> bool:
    """Tell whether a command shows how the files stand that are not committed yet."""
    for _, words, _ in placed_programs(command):
        operands = operands_of(words) if words else []
        if words[:1] == ["git"] and operands[:1] in (["status"], ["diff"]):
            # Between two commits nothing changes any more.
            return not any(".." in word for word in operands)
    return False


def reverted_places(command: str, base: str = "") -> Iterator[UnseenChange]:
    """Yield the files that a command puts back to what is committed."""
    for _, words, place in placed_programs(command, base):
        operands = operands_of(words) if words else []
        if words[:1] != ["git"] or not operands:
            continue
        named = "--" in words or operands[0] == "restore"
        stashes = operands[:2] in (["stash"], ["stash", "push"])
        hard = operands[0] == "reset" and _HARD.intersection(words)
        if stashes or hard or (operands[0] in ("checkout", "restore") and named):
            yield from _tree_changes(words, place)


def unseen_changes(command: str, base: str = "") -> Iterator[UnseenChange]:
    """Yield what a command may change without saying which text it puts where."""
    for simple, words, place in placed_programs(command, base):
        if not words:
            continue
        name = words[0]
        if name in _COMMITTERS:
            yield from _tree_changes(words, place)
        elif name == "patch" and "--dry-run" not in words:
            yield UnseenChange(place, is_tree=True)
        elif name in _RUN_OTHERS:
            if _changes_files(_run_by(words)):
                yield UnseenChange(place, is_tree=True)
        elif _changes_files(words):
            yield from _changes_of_operands(words, place)
        elif (code := _inline_code(simple, words)) and _WRITES.search(code):
            if _FINDS_FILES.search(code):
                code = ""
            yield UnseenChange("", code=code)


def _tree_changes(words: list[str], place: str) -> Iterator[UnseenChange]:
    operands = operands_of(words)
    if not operands or operands[0] not in _TREE_VERBS:
        return
    verb = operands[0]
    if "-C" in words[:-1]:
        place = canonical_path(words[words.index("-C") + 1], place)
    if verb == "reset" and not _HARD.intersection(words):
        return
    starts_branch = _NEW_BRANCH.intersection(words) and len(operands) == 2
    if starts_branch or _KEEPS_TREE.intersection(words):
        return
    named: list[str] = []
    if "--" in words:
        named = words[words.index("--") + 1 :]
    elif verb == "restore":
        named = operands[1:]
    if not named or not all(map(is_path, named)):
        yield UnseenChange(place, is_tree=True, by_history=verb not in ("apply", "am"))
        return
    for said in named:
        yield UnseenChange(canonical_path(said, place))


def _changes_files(words: list[str]) -> bool:
    """Tell whether a program changes the files that are its operands."""
    if not words:
        return False
    if words[0] in SCRIPTED:
        return any(word.startswith(("-i", "--in-place", "-pi")) for word in words[1:])
    return words[0] in ACTIONS and words[0] not in ("mkdir", "touch", "ln")


def _run_by(words: list[str]) -> list[str]:
    """Return the program that `xargs` or `find -exec` runs, with its words."""
    rest = words[1:]
    if words[0] in ("find", "fd"):
        starts = [at for at, word in enumerate(rest) if word in _EXECUTES]
        if "-delete" in rest:
            return ["rm"]
        rest = rest[starts[0] + 1 :] if starts else []
    for at, word in enumerate(rest):
        if word in SCRIPTED or word in ACTIONS:
            return program_words(rest[at:])
    return []


def _changes_of_operands(words: list[str], place: str) -> Iterator[UnseenChange]:
    """Yield what `sed -i`, `rm`, `cp` and the like change: folders, patterns, unknown paths."""
    operands = [said for said in operands_of(words) if said]
    if words[0] in SCRIPTED and not any(word in ("-e", "-f", "-pe", "-pie") for word in words):
        operands = operands[1:]
    if words[0] in ("cp", "install"):
        operands = operands[-1:]
    for said in operands:
        if "$" in said or "`" in said or "{" in said:
            yield UnseenChange("")
        elif is_path(said):
            yield UnseenChange(canonical_path(said, place))


def _inline_code(simple: SimpleCommand, words: list[str]) -> str:
    """Return the code that a command gives an interpreter."""
    if not _INTERPRETER.fullmatch(words[0]):
        return ""
    if simple.document is not None:
        return simple.document
    for at, word in enumerate(words[:-1]):
        if word in _CODE_OPTIONS:
            return words[at + 1]
    return ""
