"""Where the work stands, as far as the log shows it: tasks, untested changes, last commands,
errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import TypeGuard

from steno.core.message import Message
from steno.core.tape import Tape
from steno.facts import goals
from steno.facts.authorship import typed_text
from steno.facts.changes import text_changes
from steno.facts.failures import Failure
from steno.facts.ledger import Ledger
from steno.facts.paths import is_plan
from steno.facts.requests import slash_commands
from steno.facts.tasks import Task, fold_tasks
from steno.facts.text import flatten
from steno.secrets import mask_secrets
from steno.summary.activity import Deed
from steno.summary.render import format_positions
from steno.summary.story import Story
from steno.summary.words import first_words

FILES_MOST = 12
ERRORS_MOST = 5
ERROR_CHARACTERS = 200
TASK_CHARACTERS = 100
"""Characters of a task that was not begun."""
DONE_CHARACTERS = 80
"""Characters of a task that is done."""
ERROR_REQUESTS = 3
"""Newest requests whose errors are told: who goes on to other things has left older ones."""
REQUESTS_MOST = 8
DONE = "- requests done, as the replies say: "
_UNSETTLED = {
    goals.OPEN: "- requests open: ",
    goals.WAITING: "- requests answered with a question: ",
    goals.LEFT: "- requests answered, not finished: ",
}
REQUEST_CHARACTERS = 80
"""Characters of a request that is not settled."""
PLAN_REQUESTS = 2
"""Newest requests whose plan is named."""
TITLE_MOST = 160
"""Characters of a plan's title."""
WAITING_MOST = 12
"""Tasks not begun that are named where room is short."""
ROOT_PARTS = 2
"""Folders from which on a common root is worth a mention."""
_TITLE = re.compile(rf"^#{{1,2}} +(\S.{{,{TITLE_MOST}}})", re.M)
_WHOLE = ("written", "created")
"""Actions that give a whole text."""
_NOT_BEGUN = ("pending", "todo", "open", "not_started", "not-started")
_DONE = ("completed", "complete", "done", "finished", "closed", "cancelled", "deleted")


def state_lines(
    ledger: Ledger, story: Story, messages: Tape[Message], *, brief: bool = False
) -> Iterator[str]:
    """Yield one line for each thing that the next reader should know, the most telling first.

    If `brief`, the tasks that were not begun are named in one line.
    """
    tasks = list(messages.fold(fold_tasks).tasks.values())
    yield from _plan_lines(ledger, story, messages)
    yield from _task_lines(tasks, brief)
    if story.changed:
        newest = dict(list(story.changed.items())[-FILES_MOST:])
        root = common_root(list(newest))
        named = "; ".join(f"{path.removeprefix(root)} [{at}]" for path, at in newest.items())
        under = ""
        if root:
            under = f" (under {root})"
        yield f"- changed, and no test passed since{under}: {named}"
    if story.last_test is not None:
        yield f"- last test run {_run_line(story.last_test)}"
    if _is_recent(story.last_run, story) and story.last_run != story.last_test:
        yield f"- last command {_run_line(story.last_run)}"
    if _is_recent(story.last_run, story) or story.last_run == story.last_test:
        yield from _error_lines(story)
    if brief:
        # After what fails: that is in the way of all that waits.
        yield from _waiting_line(tasks)
    if story.last_commit is not None and not _is_told(story.last_commit, story):
        yield f"- last commit {_commit_line(story.last_commit)}"
    yield from _done_lines(tasks)
    since = story.typed[-ERROR_REQUESTS] if len(story.typed) >= ERROR_REQUESTS else 0
    told: dict[frozenset[str], tuple[int, str]] = {}
    said: dict[frozenset[str], str] = {}
    shown = list(_last_deeds(story))
    for failure in ledger.errors:
        if failure.call is not None and failure.position >= since and _stands(failure):
            words = flatten(mask_secrets(failure.fact.words))[:ERROR_CHARACTERS]
            called = failure.call.words or failure.call.tool
            of = flatten(mask_secrets(called))[:ERROR_CHARACTERS]
            # One line for tries at one thing, of the newest: its first error is mostly the cause.
            line = f"- not seen resolved [{failure.position}] `{of}`: {words}"
            if any(_tells_error(deed, of, words) for deed in shown):
                line = ""
            if told.get(failure.call.about, (-1,))[0] < failure.position:
                told[failure.call.about] = (failure.position, line)
                said[failure.call.about] = words
    # Another command may say the same: once, where it came last.
    once = {said[about]: line for about, (_, line) in sorted(told.items(), key=itemgetter(1))}
    yield from [line for line in once.values() if line][-ERRORS_MOST:]
    # Last: the story shows the same, so these are the first to go where room is short.
    yield from _request_lines(ledger, messages)


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


def _request_lines(ledger: Ledger, messages: Tape[Message]) -> Iterator[str]:
    """Yield which requests are done and which are not, if anything was called for them.

    A talk without calls needs no such list: each reply stands below what it answers. Nor is a
    reply below its request news that is neither the end of it nor waits for an answer.
    """
    worked = [goal for goal in ledger.goals if goal.worked]
    if not worked:
        return
    done = [goal for goal in worked if goal.state == goals.DONE][-REQUESTS_MOST:]
    if done:
        yield DONE + "; ".join(f"[{goal.at}] → [{goal.by}]" for goal in done)
    newest = ledger.goals[-1]
    if newest.state in _UNSETTLED:
        # A message that is shown whole has no number beside it, so its words are told.
        words = _request_words(messages[newest.at])
        answer = f" → [{newest.by}]" if newest.by >= 0 else ""
        yield f"{_UNSETTLED[newest.state]}[{newest.at}] “{words}”{answer}"


def _request_words(message: Message) -> str:
    """Return the first words of a request; of one that is a slash command, the command."""
    typed = typed_text(message) or " ".join(command for _, command in slash_commands(message))
    return first_words(flatten(typed), REQUEST_CHARACTERS)


def _error_lines(story: Story) -> Iterator[str]:
    """Yield what the last command said of errors, without what its outcome or another line says."""
    said = [deed.outcome for deed in (story.last_run, story.last_test) if deed is not None]
    for line in story.last_errors:
        others = (other for other in (*said, *story.last_errors) if other != line)
        if line not in said and not any(line in other for other in others):
            yield f"  {line}"


def _is_told(commit: Deed, story: Story) -> bool:
    """Tell whether the line of the last command or test run shows a commit."""
    return any(
        deed.position == commit.position and commit.what in deed.what for deed in _last_deeds(story)
    )


def _tells_error(deed: Deed, command: str, error: str) -> bool:
    """Tell whether the line of a command shows how another line would say that it failed."""
    return command.startswith(deed.what.removesuffix("…")) and error in flatten(deed.outcome)


def _last_deeds(story: Story) -> Iterator[Deed]:
    """Yield the last test run and the last command, if they are told."""
    if story.last_test is not None:
        yield story.last_test
    if _is_recent(story.last_run, story):
        yield story.last_run


def _stands(failure: Failure) -> bool:
    """Tell whether an error stands in the way: not one of a look that found nothing."""
    return failure.overcome is None and not (failure.call and failure.call.looks)


def _is_recent(deed: Deed | None, story: Story) -> TypeGuard[Deed]:
    """Tell whether something was done since a person last spoke: older commands say little."""
    return deed is not None and (not story.typed or deed.position >= story.typed[-1])


def common_root(paths: Sequence[str]) -> str:
    """Return the folder that all of several files lie in, with its last slash."""
    if len(paths) < 2:
        return ""
    root: list[str] = []
    for parts in zip(*(path.split("/")[:-1] for path in paths), strict=False):
        if len(set(parts)) > 1:
            break
        root.append(parts[0])
    # A short root saves less than it costs to say.
    if len(root) <= ROOT_PARTS:
        return ""
    return "/".join((*root, ""))


def _run_line(deed: Deed) -> str:
    return f"[{deed.position}] `{deed.what}`: {deed.outcome}"


def _commit_line(commit: Deed) -> str:
    """Return what git said of a commit; the command only if git said nothing."""
    if commit.outcome.startswith("["):
        return f"[{commit.position}]: {commit.outcome}"
    return _run_line(commit)


def _plan_lines(ledger: Ledger, story: Story, messages: Tape[Message]) -> Iterator[str]:
    """Yield the title of the plan that the agent wrote last for what it does now."""
    since = 0
    if len(story.typed) >= PLAN_REQUESTS:
        since = story.typed[-PLAN_REQUESTS]
    for artifact in reversed(ledger.artifacts):
        if artifact.newest[1] < since:
            return
        if not is_plan(artifact.key):
            continue
        wrote = [at for action, at in artifact.actions if action in _WHOLE and at >= since]
        if not wrote:
            continue
        texts = [change.new for call in messages[wrote[-1]].calls for change in text_changes(call)]
        title = _TITLE.search("\n".join(texts))
        if title is not None:
            name = artifact.key.rpartition("/")[2]
            yield f"- plan [{wrote[-1]}] {name}: {flatten(mask_secrets(title[1]))}"
            return


def _task_lines(tasks: Sequence[Task], brief: bool) -> Iterator[str]:
    for task in tasks:
        if task.state not in _DONE and not (brief and task.state in _NOT_BEGUN):
            yield f"- task, {task.state.replace('_', ' ')}: {task.words} [{task.position}]"


def _waiting_line(tasks: Sequence[Task]) -> Iterator[str]:
    """Yield the tasks that were not begun, the first of them by name."""
    # Open loops tell a longer one word for word; half of it would be told twice.
    waiting = [
        task for task in tasks if task.state in _NOT_BEGUN and len(_title(task)) <= TASK_CHARACTERS
    ]
    if waiting:
        names = "; ".join(map(_title, waiting[:WAITING_MOST]))
        if len(waiting) > WAITING_MOST:
            names += f"; and {len(waiting) - WAITING_MOST} more"
        yield f"- tasks not begun: {names} [{format_positions(task.position for task in waiting)}]"


def _title(task: Task) -> str:
    return flatten(task.title or task.words)


def _done_lines(tasks: Sequence[Task]) -> Iterator[str]:
    done = [task for task in tasks if task.state in _DONE]
    if done:
        names = (first_words(task.title or task.words, DONE_CHARACTERS) for task in done[-8:])
        yield f"- tasks done ({len(done)} of {len(tasks)}): {'; '.join(names)}"
