"""Where the work stands, as far as the log shows it, and every file that was touched.

`state_lines` tells tasks, untested changes, last commands and errors; `touched_lines` names all
files in few words, folders once and changed files first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from steno.core.message import Message
from steno.core.tape import Tape
from steno.core.word_tables import word_tuple
from steno.facts.artifacts import Artifact
from steno.facts.failures import Failure
from steno.facts.ledger import Ledger
from steno.facts.tasks import Task, fold_tasks
from steno.facts.text import flatten
from steno.facts.vocabulary import canonical_path, is_web
from steno.secrets import mask_secrets
from steno.summary.activity import CHANGED, COMMITTED_LINE, Deed, is_scratch
from steno.summary.render import format_positions
from steno.summary.story import QUIET, Story
from steno.summary.words import first_words

CHANGED_MOST = 12
"""Changed files that are named, the newest."""
ERRORS_MOST = 5
ERROR_CHARACTERS = 200
ERROR_REQUESTS = 3
"""Newest requests whose errors are told: who goes on to other things has left older ones."""
TASK_CHARACTERS = 80
"""Characters of a task that is done or not begun, and of a commit."""
WAITING_MOST, DONE_MOST = 12, 8
"""Tasks not begun and tasks done that are named."""
_NOT_BEGUN = word_tuple("pending todo open not_started not-started")


def state_lines(ledger: Ledger, story: Story, messages: Tape[Message]) -> Iterator[str]:
    """Yield one line for each thing that the next reader should know, the most telling first."""
    listed = messages.fold(fold_tasks).tasks.values()
    tasks = [task for task in listed if not task.is_dropped]
    for task in tasks:
        if not task.is_done and task.state not in _NOT_BEGUN:
            yield f"- task, {task.state.replace('_', ' ')}: {task.words} [{task.position}]"
    yield from _changed_lines(story)
    yield from _run_lines(story)
    # After what fails: that is in the way of all that waits.
    yield from _waiting_line(tasks)
    commit = story.last_commit
    if commit is not None and not any(
        deed.position == commit.position and commit.what in deed.what for deed in _last_deeds(story)
    ):
        yield f"- last commit {_commit_line(commit)}"
    yield from _branch_lines(story)
    done = [task for task in tasks if task.is_done]
    if done:
        names = "; ".join(map(_task_name, done[-DONE_MOST:]))
        yield f"- tasks done ({len(done)} of {len(tasks)}): {names}"
    yield from failure_lines(ledger, story)


def lines_within(lines: Iterable[str], room: int, count: Callable[[str], int]) -> list[str]:
    """Return the lines that fit so many tokens, each whole: half of one would mislead."""
    taken: list[str] = []
    headed = False
    for line in lines:
        line = line.replace("\n", " ")
        cost = count(line) + 1
        # What a command said tells nothing without the line before it, which names the command.
        belongs = line.startswith(" ")
        fits = cost <= room and (headed or not belongs)
        headed = fits or (belongs and headed)
        if fits:
            taken.append(line)
            room -= cost
    return taken


def _changed_lines(story: Story) -> Iterator[str]:
    """Yield which files changed since tests passed, and which since the last commit."""
    commit = next(reversed(story.commits), None)
    tested, opening = story.changed, "- changed"
    if story.last_pass >= 0:
        opening = f"- changed since tests passed [{story.last_pass}]"
    elif commit is not None:
        tested = {}
    if tested:
        yield _changed_line(opening, tested)
    if commit is not None and story.uncommitted:
        opening = f"- changed since the last commit [{commit.position}]"
        if tested == story.uncommitted:
            yield f"{opening}: the same"
        else:
            yield _changed_line(opening, story.uncommitted)


def _changed_line(opening: str, changed: Mapping[str, int]) -> str:
    named = {canonical_path(path): at for path, at in changed.items()}
    newest = dict(list(named.items())[-CHANGED_MOST:])
    root = main_root(newest)
    files = "; ".join(f"{path.removeprefix(root)} [{at}]" for path, at in newest.items())
    under = ""
    if root:
        under = f" (under {root})"
    return f"{opening}: {files}{under}"


def _run_lines(story: Story) -> Iterator[str]:
    """Yield the last test run and the last command, with what that said of errors."""
    deeds = _last_deeds(story)
    if story.last_test is not None:
        yield f"- last test run {_run_line(story.last_test)}"
    if story.last_run is None or story.last_run not in deeds:
        return
    if story.last_run != story.last_test:
        yield f"- last command {_run_line(story.last_run)}"
    said = [deed.outcome for deed in deeds]
    for line in story.last_errors:
        # Not what its outcome or another line says.
        others = (other for other in (*said, *story.last_errors) if other != line)
        if line not in said and not any(line in other for other in others):
            yield f"  {line}"


def _last_deeds(story: Story) -> list[Deed]:
    """Return the last test run, and the last command if it came after people last spoke."""
    deeds: list[Deed] = []
    if story.last_test is not None:
        deeds.append(story.last_test)
    run = story.last_run
    # Commands for an older request say little.
    if run is not None and (not story.typed or run.position >= story.typed[-1]):
        deeds.append(run)
    return deeds


def _run_line(deed: Deed) -> str:
    return f"[{deed.position}] `{deed.what}`: {deed.outcome}"


def _commit_line(commit: Deed) -> str:
    """Return what git said of a commit; the command only if git said nothing."""
    if commit.outcome == QUIET:
        return f"[{commit.position}] `{commit.what}`"
    if commit.outcome.startswith("["):
        return f"[{commit.position}]: {commit.outcome}"
    return _run_line(commit)


def _branch_lines(story: Story) -> Iterator[str]:
    """Yield the pull request, the branch if no commit shows it, and earlier commits."""
    shown = [commit.outcome for commit in story.commits[-1:]]
    for name, (position, words) in story.named.items():
        if not any(outcome.startswith(f"[{words} ") for outcome in shown):
            yield f"- {name} [{position}]: {words}"
    # Of a quiet commit no subject is known.
    earlier = [
        f"[{commit.position}] {first_words(subject, TASK_CHARACTERS)}"
        for commit in story.commits[:-1]
        if COMMITTED_LINE.match(commit.outcome)
        and (subject := mask_secrets(commit.outcome.partition("] ")[2]))
    ]
    if earlier:
        yield f"- earlier commits: {'; '.join(earlier)}"


def _waiting_line(tasks: Sequence[Task]) -> Iterator[str]:
    """Yield the tasks that were not begun, the first of them by name."""
    waiting = [task for task in tasks if task.state in _NOT_BEGUN]
    if waiting:
        names = "; ".join(map(_task_name, waiting[:WAITING_MOST]))
        if len(waiting) > WAITING_MOST:
            names += f"; and {len(waiting) - WAITING_MOST} more"
        yield f"- tasks not begun: {names} [{format_positions(task.position for task in waiting)}]"


def _task_name(task: Task) -> str:
    return first_words(task.title or task.words, TASK_CHARACTERS)


def failure_lines(ledger: Ledger, story: Story) -> Iterator[str]:
    """Yield errors of the newest requests that nothing overcame, those tried at once in one."""
    since = story.typed[-ERROR_REQUESTS] if len(story.typed) >= ERROR_REQUESTS else 0
    newest: dict[frozenset[str], Failure] = {}
    for failure in ledger.errors:
        # A look that found nothing stands in nobody's way.
        if failure.call is None or failure.call.looks or failure.overcome is not None:
            continue
        # Of the newest try the first error: it is mostly the cause.
        before = newest.get(failure.call.about)
        if failure.position >= since and (before is None or before.position < failure.position):
            newest[failure.call.about] = failure
    lines: dict[str, str] = {}
    for failure in sorted(newest.values(), key=lambda failure: failure.position):
        assert failure.call is not None
        words = flatten(mask_secrets(failure.fact.words))[:ERROR_CHARACTERS]
        command = flatten(mask_secrets(failure.call.words or failure.call.tool))[:ERROR_CHARACTERS]
        # Another command may say the same: once, where it came last.
        lines.pop(words, None)
        if not any(_shows_error(deed, command, words) for deed in _last_deeds(story)):
            lines[words] = f"- not seen resolved [{failure.position}] `{command}`: {words}"
    yield from list(lines.values())[-ERRORS_MOST:]


def _shows_error(deed: Deed, command: str, error: str) -> bool:
    """Tell whether the line of a command shows how another line would say that it failed."""
    return command.startswith(deed.what.removesuffix("…")) and error in flatten(deed.outcome)


NO_FILE = ("$ ", "? ", "@ ")
"""Openings of keys of commands, searches and delegated tasks."""
FILES_MOST = 200
"""Files that are looked at, the last touched."""
ROOT_SHARE = 0.5
"""Share of the files that must lie under a folder for it to be said once for all."""
ROOT_PARTS = 2
"""Folders from which on a common root is worth a mention."""
_SEPARATORS = re.compile(r"[\s,;:`'\"“”]+")
_AROUND = "()[]{}<>.!?*"


# Most of the texts are the same in each try of a commit, and in the next commit.
@lru_cache(maxsize=1_024)
def _words_in(text: str) -> frozenset[str]:
    return frozenset(word.strip(_AROUND) for word in set(_SEPARATORS.split(text)))


def touched_lines(
    ledger: Ledger,
    story: Story,
    named: Iterable[str],
    stop: int,
    room: float,
    count: Callable[[str], int],
) -> list[str]:
    """Return lines that name the files touched before `stop` and not in the texts of `named`.

    A file that was only tried in vain is not among them. Changed files come before those that
    were only read, the last touched first; what does not fit into so many tokens is left out.
    """
    files = list(islice(filter(_is_file, reversed(ledger.artifacts)), FILES_MOST))
    vain = frozenset(story.vain)
    names = Counter(artifact.key.rpartition("/")[2] for artifact in files)
    words = frozenset().union(*map(_words_in, named))
    changed: list[str] = []
    read: list[str] = []
    for artifact in files:
        name = artifact.key.rpartition("/")[2]
        if artifact.first >= stop or not name:
            continue
        if not words.isdisjoint(_spellings(artifact.key, alone=names[name] == 1)):
            continue
        done = {action for action, at in artifact.actions if (at, artifact.key) not in vain}
        if not CHANGED.isdisjoint(done):
            changed.append(artifact.key)
        elif done:
            read.append(artifact.key)
    root = main_root([*changed, *read])
    lines: list[str] = []
    for verb, paths in (("changed", changed), ("read", read)):
        fitting = list(_fitting(paths, root, room, count))
        if fitting:
            lines.append(f"- {verb}: {group_by_folder(fitting, root)}")
            room -= count(lines[-1]) + 1
    if lines and root:
        lines.insert(0, f"(most under {root})")
    return lines


def _spellings(path: str, alone: bool) -> Iterator[str]:
    """Yield how a text may name a path: whole, or by its end with at least one folder.

    Its name without a folder is enough if it stands `alone`: no other file has that name.
    """
    yield path
    while "/" in path:
        path = path.partition("/")[2]
        if alone or "/" in path:
            yield path


def _is_file(artifact: Artifact) -> bool:
    if artifact.key.startswith(NO_FILE) or is_web(artifact.key) or is_scratch(artifact.key):
        return False
    # A shell fills such a name in.
    if "*" in artifact.key:
        return False
    # What version control keeps for itself is no part of the work, unless it was changed.
    if "/.git/" in f"/{artifact.key}":
        return any(action in CHANGED for action, _ in artifact.actions)
    # A folder that was searched is no file; what was searched for is told elsewhere.
    searched = all(action == "searched" for action, _ in artifact.actions)
    return not searched or "." in artifact.key.rpartition("/")[2]


def _fitting(
    paths: Iterable[str], root: str, room: float, count: Callable[[str], int]
) -> Iterator[str]:
    """Yield the first paths whose names and folders fit."""
    folders: set[str] = set()
    for path in paths:
        folder, _, name = path.rpartition("/")
        room -= count(f", {name}")
        # A folder is said once for all of its files.
        if folder not in folders:
            folders.add(folder)
            room -= count(f"; {_short_folder(folder, root)}:")
        if room < 0:
            return
        yield path


def group_by_folder(paths: Iterable[str], root: str) -> str:
    """Return files by name, those of one folder together: `cli: a.go, b.go; docs: c.md`."""
    groups: dict[str, list[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        groups.setdefault(_short_folder(folder, root), []).append(name)
    told: list[str] = []
    for folder, names in groups.items():
        label = f"{folder}: ".removeprefix(": ")
        told.append(label + ", ".join(names))
    return "; ".join(told)


def _short_folder(folder: str, root: str) -> str:
    """Return a folder below the root, or the last part of another."""
    if root and f"{folder}/".startswith(root):
        return f"{folder}/"[len(root) :].rstrip("/")
    return folder.rpartition("/")[2]


def main_root(paths: Iterable[str]) -> str:
    """Return the deepest folder that most of several files lie under, with its last slash."""
    under: Counter[str] = Counter()
    files = 0
    for path in paths:
        files += 1
        parts = path.split("/")[:-1]
        under.update("/".join((*parts[:length], "")) for length in range(1, len(parts) + 1))
    # Of most, not of all: one file in a temporary folder would leave no root.
    common = [folder for folder, inside in under.items() if inside > files * ROOT_SHARE]
    root = max(common, key=len, default="")
    if files < 2 or root.count("/") <= ROOT_PARTS:
        return ""
    return root
