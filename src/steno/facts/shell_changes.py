"""What a shell command changes beyond the files it names: texts, whole trees, commits.

`shell` says which files a command touches. This module says which text a here-document
puts into a file, and which files may hold another text afterwards although no word of the
command shows it: after `git stash`, `patch`, an inline script that writes, or a path that
only a loop knows. Formatters are left out: they change the layout of a text, not its meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import pairwise

from steno.core.message import Value
from steno.core.word_tables import words_of
from steno.facts import shell
from steno.facts.text import flatten
from steno.facts.vocabulary import canonical_path, may_be_one_folder

_TREE_VERBS = words_of(
    "checkout switch restore stash reset merge rebase pull apply am cherry-pick revert clean "
    "bisect read-tree"
)
"""Verbs of git that put other texts into the files of a tree."""
_KEEPS_TREE = words_of(
    "list show drop clear store create --cached --staged --check --stat --dry-run -n"
)
"""Words with which they change no file."""
PICKS = words_of("revert cherry-pick")
"""Verbs that commit something else than what was changed before."""
_COMMITS = PICKS | {"commit"}
_REBUILDS = words_of("rebase pull merge")
"""Verbs that put other commits in the place of the last, without a line that names it."""
_NO_COMMIT = words_of("--dry-run --no-commit --squash --abort --quit --skip")
_NEW_BRANCH = words_of("-b -c -B --create --orphan")
_HARD = words_of("--hard --merge --keep")
_EARLIER = re.compile(r"(?:HEAD|@)[~^@].*|ORIG_HEAD|[0-9a-f]{7,40}|(?:origin|upstream)/.+")
"""Names of an earlier commit."""
CONFLICT = re.compile(r"(?m)^(?:CONFLICT|error: could not apply)")
_UP_TO_DATE = re.compile(r"(?m)^(?:Already up to date|Current branch \S+ is up to date)")
_DID_NOTHING = re.compile(rf"{_UP_TO_DATE.pattern}|^(?:Already on |No local changes to save)")
_FATAL = re.compile(r"(?:Exit code \d+)?\s*fatal: ")
_RUN_OTHERS = words_of("xargs find fd parallel")
_INTERPRETER = re.compile(r"(?:python|node|ruby|perl|php|deno|bun|tsx)[\d.]*")
_CODE_OPTIONS = words_of("-c -e -r -pe -ne --eval eval")
_WRITES = re.compile(
    r"\bwrite|\bopen\([^)\n]*,\s*(?:mode\s*=\s*)?['\"][rbt]*[wax+]|put_contents|\btruncate\b"
    r"|\b(?:rename|remove|unlink|rmtree|copy|move|replace)\w*+\(|\bdump\("
)
"""Code that changes files."""
_FINDS_FILES = re.compile(r"glob|walk|listdir|iterdir|scandir|readdir|argv|\bfind\(")
"""Code that does not name the files it changes."""
_WILDCARD = re.compile(r"[*?\[]")
_UNKNOWN = re.compile(r"[$`{]")


class UnseenChange(Value):
    """Files that may hold another text after a command."""

    place: str
    """A file, a folder or a pattern; empty for any file."""
    is_tree: bool = False
    """Whether anything below the place may have changed."""
    by_history: bool = False
    """Whether version control wrote the files: most are what they were before."""
    reverts: bool = False
    """Whether the files are put back to what is committed."""
    code: str = ""
    """If given, only files whose names stand in this code."""

    def concerns(self, key: str) -> bool:
        """Tell whether a file may be one of them."""
        if self.code:
            return key.rpartition("/")[2] in self.code
        if may_be_one_folder(self.place, key) or f"/{self.place.strip('/')}/" in f"/{key}":
            return True
        if self.is_tree and self.place.startswith("/") and not key.startswith("/"):
            return True
        if _WILDCARD.search(self.place) is None:
            return False
        return fnmatchcase(key, self.place) or fnmatchcase(key, f"*/{self.place}")


def written_texts(command: str, base: str) -> Iterator[tuple[str, str, bool]]:
    """Yield the texts that here-documents put into files: path, text, whether it is appended."""
    for simple, words, place in shell.placed_programs(command, base):
        if simple.document is None or not simple.is_literal or not words:
            continue
        into: list[str] = []
        appends = simple.appends
        if words[0] == "cat" and not shell.operands_of(words):
            into = simple.into
        elif words[0] == "tee":
            into, appends = shell.operands_of(words), "-a" in words or "--append" in words
        for said in filter(shell.is_path, into):
            yield canonical_path(said, place), simple.document, appends


def commit_words(command: str) -> str:
    """Return the words of the last commit that a command makes; empty if it makes none."""
    found = ""
    for simple, words, _ in shell.placed_programs(command):
        if _is_commit(words):
            head = simple.source.split("\n", 1)[0]
            found = flatten(simple.source)
            if "<<" in head:
                # The subject is the first line of the here-document, which no word shows.
                document = command[command.find(head) :].partition("\n")[2].strip()
                found = flatten(f"{head} " + document.partition("\n")[0])
    return found


def touched_after_commit(command: str) -> set[str]:
    """Return what a command touches from its last commit on, as spelt; all if it makes none."""
    touched: set[str] = set()
    for simple, words, place in shell.placed_programs(command):
        if _is_commit(words):
            touched.clear()
        touched.update(touch.words for touch in shell.program_touches(simple, words, place))
    return touched


def _is_commit(words: list[str]) -> bool:
    if words[:1] != ["git"] or _NO_COMMIT.intersection(words):
        return False
    # What goes on after a conflict (`git rebase --continue`) commits what was resolved.
    return "--continue" in words or not _COMMITS.isdisjoint(shell.operands_of(words)[:1])


def rebuilds_commits(command: str, said: str) -> bool:
    """Tell whether a command may put others in the place of the last commit, its own included."""
    rebuilt = 0
    for _, words, _ in shell.placed_programs(command):
        if _is_commit(words):
            rebuilt = 0
        elif words[:1] == ["git"] and not _NO_COMMIT.intersection(words):
            rebuilt += not _REBUILDS.isdisjoint(shell.operands_of(words)[:1])
    return rebuilt > len(_UP_TO_DATE.findall(said))


def undoes_commits(command: str) -> bool:
    """Tell whether a command goes back to an earlier commit."""
    runs = git_runs(command)
    return any(run[0] == "reset" and any(map(_EARLIER.fullmatch, run[1:2])) for run in runs)


def shows_tree(command: str) -> bool:
    """Tell whether a command shows the files that are not committed yet."""
    shown = [run for run in git_runs(command) if run[0] in ("status", "diff")]
    # Between two commits nothing changes any more.
    return any(not any(".." in word for word in run) for run in shown)


def branch_switch(command: str) -> str | None:
    """Return the new branch that a command last switches to; empty if it may be any branch."""
    found = None
    for _, words, _ in shell.placed_programs(command):
        verb, *named = (shell.operands_of(words) if words[:1] == ["git"] else []) or [""]
        new = [name for word, name in pairwise(words) if word in _NEW_BRANCH]
        # After two names of `checkout` come files.
        if verb in ("switch", "checkout") and "--" not in words and (new or len(named) == 1):
            found = (*new, "")[0]
    return found


def git_runs(command: str) -> Iterator[list[str]]:
    """Yield the operands of each run of git in a command."""
    for _, words, _ in shell.placed_programs(command):
        if words[:1] == ["git"] and (operands := shell.operands_of(words)):
            yield operands


def reverted_places(command: str, base: str) -> Iterator[UnseenChange]:
    """Yield the files that a command puts back to what is committed."""
    return (change for change in unseen_changes(command, base) if change.reverts)


def left_tree(command: str, said: str, failed: bool) -> bool:
    """Tell whether git changed no file in a command, as far as its result says."""
    if failed:
        # Alone and with no word before, it failed before it wrote anything.
        alone = len(shell.main_words(shell.split_command(command))) == 1
        return alone and _FATAL.match(said) is not None
    changes = [change for change in unseen_changes(command, "") if change.by_history]
    return len(_DID_NOTHING.findall(said)) >= len(changes)


def unseen_changes(command: str, base: str) -> Iterator[UnseenChange]:
    """Yield what a command may change without saying which text it puts where."""
    for simple, words, place in shell.placed_programs(command, base):
        name = next(iter(words), "")
        if name == "git":
            yield from _tree_changes(words, place)
        elif name == "patch" and "--dry-run" not in words:
            yield UnseenChange(place, is_tree=True)
        elif name in _RUN_OTHERS:
            if "-delete" in words or _changes_files(_run_by(words)):
                yield UnseenChange(place, is_tree=True)
        elif _changes_files(words):
            yield from _changes_of_operands(words, place)
        elif (code := _inline_code(simple, words)) and _WRITES.search(code):
            if _FINDS_FILES.search(code):
                code = ""
            yield UnseenChange("", code=code)


def _tree_changes(words: list[str], place: str) -> Iterator[UnseenChange]:
    """Yield what a run of git changes in the tree."""
    verb, *named = shell.operands_of(words) or [""]
    is_hard = bool(_HARD.intersection(words))
    if verb not in _TREE_VERBS or _KEEPS_TREE.intersection(words):
        return
    if (verb == "reset" and not is_hard) or (_NEW_BRANCH.intersection(words) and len(named) == 1):
        return
    reverts = verb in ("reset", "restore") or (verb == "stash" and named[:1] in ([], ["push"]))
    if "--" in words:
        named = words[words.index("--") + 1 :]
        reverts = reverts or verb == "checkout"
    elif verb != "restore":
        named = []
    place = shell.git_folder(words, place)
    if named and all(map(shell.is_path, named)):
        for said in named:
            yield UnseenChange(canonical_path(said, place), reverts=reverts)
    else:
        yield UnseenChange(place, True, verb not in ("apply", "am"), reverts)


def _changes_files(words: list[str]) -> bool:
    """Tell whether a program changes the files that are its operands."""
    if words and words[0] in shell.SCRIPTED:
        return shell.edits_in_place(words)
    return bool(words) and words[0] in shell.ACTIONS and words[0] not in ("mkdir", "touch", "ln")


def _run_by(words: list[str]) -> list[str]:
    """Return the program that `xargs` or `find -exec` runs, with its words."""
    for at, word in enumerate(words):
        if word in shell.SCRIPTED or word in shell.ACTIONS:
            return shell.program_words(words[at:])
    return []


def _changes_of_operands(words: list[str], place: str) -> Iterator[UnseenChange]:
    """Yield what `sed -i`, `rm`, `cp` and the like change: folders, patterns, unknown paths."""
    paths = shell.operands_of(words)
    if words[0] in shell.SCRIPTED:
        paths = shell.scripted_files(words)
    elif words[0] in ("cp", "install"):
        paths = paths[-1:]
    for said in paths:
        if _UNKNOWN.search(said):
            yield UnseenChange("")
        elif shell.is_path(said):
            yield UnseenChange(canonical_path(said, place))


def _inline_code(simple: shell.SimpleCommand, words: list[str]) -> str:
    """Return the code that a command gives an interpreter."""
    if not words or not _INTERPRETER.fullmatch(words[0]):
        return ""
    given = (code for option, code in pairwise(words) if option in _CODE_OPTIONS)
    return simple.document or next(given, "")
