"""Where the work stands, as far as the log shows it: tasks, untested changes, last commands,
errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steno.core.message import Message
from steno.core.tape import Tape
from steno.facts.ledger import Ledger
from steno.facts.tasks import Task, fold_tasks
from steno.facts.text import flatten
from steno.summary.activity import Deed
from steno.summary.story import Story

FILES_MOST = 12
ERRORS_MOST = 5
ERROR_CHARACTERS = 200
_DONE = ("completed", "complete", "done", "finished", "closed", "cancelled", "deleted")


def state_lines(ledger: Ledger, story: Story, messages: Tape[Message], stop: int) -> Iterator[str]:
    """Yield one line for each thing that whoever goes on should know, the most telling first."""
    yield from _task_lines(list(messages.fold(fold_tasks).tasks.values()))
    if story.changed:
        newest = list(story.changed.items())[-FILES_MOST:]
        named = "; ".join(f"{path} [{at}]" for path, at in newest)
        yield f"- changed, and no test passed since: {named}"
    if story.last_test is not None:
        yield f"- last test run {_told(story.last_test)}"
    if story.last_run is not None and story.last_run != story.last_test:
        yield f"- last command {_told(story.last_run)}"
    for line in story.last_errors:
        yield f"  {line}"
    if story.last_commit is not None and story.last_commit != story.last_run:
        yield f"- last commit {_told(story.last_commit)}"
    standing = [failure for failure in ledger.errors if failure.overcome is None]
    for failure in standing[-ERRORS_MOST:]:
        words = flatten(failure.fact.words)[:ERROR_CHARACTERS]
        of = f" `{flatten(failure.call.words)[:100]}`" if failure.call else ""
        yield f"- not resolved [{failure.position}]{of}: {words}"


def _told(deed: Deed) -> str:
    return f"[{deed.position}] `{deed.what}`: {deed.outcome}"


def _task_lines(tasks: Sequence[Task]) -> Iterator[str]:
    done = [task for task in tasks if task.state in _DONE]
    left = [task for task in tasks if task.state not in _DONE]
    for task in left:
        yield f"- task, {task.state.replace('_', ' ')}: {task.words} [{task.position}]"
    if done:
        words = "; ".join(task.words for task in done[-8:])
        yield f"- tasks done ({len(done)} of {len(tasks)}): {words}"
