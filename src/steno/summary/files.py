"""The newest state of files, as far as the log shows it, in pieces that mean something.

A file's text is put together from what was read of it and from the edits since:
an edit is applied where its old text stands, a whole file that was written takes
the place of everything before. Pieces are contiguous and end where a definition,
a section or a paragraph does. Which pieces are worth showing is not decided here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from operator import itemgetter

from msgspec.structs import replace

from steno.core.message import Call, Message, Result, Value
from steno.core.tape import Tape, stored_as
from steno.facts.artifacts import Artifact, base_of_call, call_touches, command_of_call
from steno.facts.changes import TextChange, text_changes
from steno.facts.errors import has_failed, open_envelope
from steno.facts.shell import shows_one_file
from steno.facts.shell_changes import UnseenChange, left_tree, unseen_changes
from steno.facts.vocabulary import CHANGES
from steno.summary.activity import touched_in_vain

TOUCHES_MOST = 60
"""Touches of one file that are looked at, the newest."""
LOOK_AHEAD = 64
"""Messages after a call in which its result is looked for."""
TEXT_MOST = 200_000
"""Characters of a result that are looked at."""
PIECE_LINES = 16
"""Lines of a piece, about."""
NUMBERED_SHARE = 0.5
"""Share of lines with a number before them from which on the numbers are a tool's."""
SAME_SHARE = 0.7
"""Share of a stretch's lines that a newer read must show to take its place."""
TELLING = 4
"""Characters from which on a line counts when texts are compared."""
OVERLAP_LINES = 3
"""Such lines that two reads must share to be joined."""
_NUMBERED = re.compile(r"\s*+L?([0-9]{1,9})(?:→|\t|: )")
UNSEEN_MOST = 16
"""Changes of one command that are not followed and looked at."""
_TELLING_ACTIONS = CHANGES | {"read"}
"""Actions that show or change a file's text."""


class Stretch(Value):
    """Lines of a file that stand together, as they were last seen."""

    lines: tuple[str, ...]
    seen: tuple[int, ...]
    """For each line where it was last read or changed."""
    kind: str
    """`read`, `written` or `edited`."""
    edits: frozenset[int] = frozenset()
    """Which of those places are edits."""
    number: int = 0
    """The number that a tool gave its first line; 0 where none did."""


class Upset(Value):
    """A command that may have changed files, and does not say how."""

    position: int
    change: UnseenChange


class FilePiece(Value, gc=False):
    """A contiguous piece of a file in its newest state."""

    path: str
    words: str
    """The path as the agent wrote it."""
    text: str
    position: int
    edited: tuple[int, ...]
    kind: str
    order: int
    """Its place among the pieces of its file."""
    since: int
    """Where the line of it was seen or changed that was not seen for longest."""
    touched: int
    """Where this piece was last seen or changed."""
    file_touched: int
    """Where its file was last touched."""
    before: int = -1
    """Where version control may have changed it since; -1 if nowhere."""


def file_pieces(
    messages: Sequence[Message], artifact: Artifact, upsets: Sequence[Upset] = ()
) -> list[FilePiece]:
    """Return the pieces of a file's newest state.

    What was seen before one of the `upsets` that concerns the file may have changed, and goes.
    After a switch of branches and the like, what was only read stays, and is told as such.
    """
    changed, switched = _newest_upsets(upsets, artifact)
    touches = [touch for touch in _telling_touches(artifact) if touch[1] > changed]
    stretches: list[Stretch] = []
    # A command that upsets files may show them too, before or after: it is not believed.
    for action, position in [touch for touch in touches if touch[1] < switched]:
        stretches = _with_touch(stretches, messages, artifact.key, action, position)
    stretches = [stretch for stretch in stretches if stretch.kind == "read" and not stretch.edits]
    for action, position in [touch for touch in touches if touch[1] > switched]:
        stretches = _with_touch(stretches, messages, artifact.key, action, position)
    stretches.sort(key=lambda stretch: stretch.number)
    pieces: list[FilePiece] = []
    order = 0
    for stretch in stretches:
        for piece in _stretch_pieces(stretch, artifact, order):
            if piece.touched < switched:
                piece = replace(piece, before=switched)
            pieces.append(piece)
            order = piece.order + 1
        order += 1  # a gap: the next stretch does not go on where this one ends
    return pieces


def _telling_touches(artifact: Artifact) -> list[tuple[str, int]]:
    """Return the newest touches that show text; a search or a listing only names a file."""
    # Each place once: all calls of a message that touch the file are followed together.
    touches = dict.fromkeys(touch for touch in artifact.actions if touch[0] in _TELLING_ACTIONS)
    return list(touches)[-TOUCHES_MOST:]


KnownPieces = dict[tuple[Artifact, tuple[int, int]], list[FilePiece]]
"""Pieces by what was done to a file and where it was last upset."""


@stored_as("known pieces", 8)
def fold_known_pieces(
    before: KnownPieces | None, messages: Sequence[Message], at: int
) -> KnownPieces:
    """Keep the pieces of files between commits; a fold for `Tape.fold`.

    A copy for a longer log: a fork of it may read other text at the same places.
    """
    return dict(before or {})


def known_pieces(
    messages: Tape[Message], artifacts: Sequence[Artifact], upsets: Sequence[Upset]
) -> Iterator[tuple[Artifact, list[FilePiece]]]:
    """Yield files with their pieces; those that nothing happened to are not read again."""
    known = messages.fold(fold_known_pieces)
    used: KnownPieces = {}
    for artifact in artifacts:
        key = (artifact, _newest_upsets(upsets, artifact))
        pieces = known.get(key)
        if pieces is None:
            pieces = file_pieces(messages, artifact, upsets)
        if key in known or _is_answered(messages, artifact):
            used[key] = pieces
        yield artifact, pieces
    known.clear()
    known.update(used)


def _is_answered(messages: Sequence[Message], artifact: Artifact) -> bool:
    """Tell whether all calls that touched a file have their results, or will never have them."""
    newest = len(messages) - LOOK_AHEAD
    return all(
        result_of(messages, position, call) is not None
        for _, position in _telling_touches(artifact)
        if position >= newest
        for call in messages[position].calls
    )


def _newest_upsets(upsets: Sequence[Upset], artifact: Artifact) -> tuple[int, int]:
    """Return where a file was last changed by something that does not say how; -1 if never.

    And where version control may have done so, if that was later.
    """
    known = {at for action, at in artifact.actions if action in CHANGES}
    switched = -1
    for upset in reversed(upsets):
        # What names the file is one of its touches, and followed where it can be.
        if upset.position in known or not upset.change.concerns(artifact.key):
            continue
        if not upset.change.by_history:
            return upset.position, switched
        switched = max(switched, upset.position)
    return -1, switched


def upsets_of(position: int, call: Call, result: Result) -> Iterator[Upset]:
    """Yield how an answered call may have changed files unseen."""
    left = left_tree(command_of_call(call), result.text, has_failed(result))
    for change in islice(_changes_unseen(call), UNSEEN_MOST):
        if not (left and change.by_history):
            yield Upset(position, change)


def _changes_unseen(call: Call) -> Iterator[UnseenChange]:
    command = command_of_call(call)
    if command:
        yield from unseen_changes(command, base_of_call(call))
    for touch in call_touches(call):
        if touch.action in CHANGES:
            # It may be known by another spelling, relative to a folder.
            yield UnseenChange(touch.key)


def joined_spellings(artifacts: Sequence[Artifact]) -> list[Artifact]:
    """Return things with a file once that is spelt both from the root and from a folder."""
    rooted: dict[str, list[Artifact]] = {}
    for artifact in artifacts:
        if artifact.key.startswith("/"):
            rooted.setdefault(artifact.key.rpartition("/")[2], []).append(artifact)
    joined = {artifact.key: artifact for artifact in artifacts}
    for artifact in artifacts:
        folder, _, name = artifact.key.rpartition("/")
        if not folder or artifact.key.startswith("/"):
            continue
        same = [other for other in rooted.get(name, ()) if is_same_place(other.key, artifact.key)]
        if len(same) == 1:
            del joined[artifact.key]
            joined[same[0].key] = _joined_artifact(joined[same[0].key], artifact)
    return sorted(joined.values(), key=lambda artifact: artifact.newest[1])


def _joined_artifact(rooted: Artifact, other: Artifact) -> Artifact:
    # Stable, so that what one message does stays in order.
    actions = sorted((*rooted.actions, *other.actions), key=itemgetter(1))
    to = rooted.to
    if other.newest[1] > rooted.newest[1]:
        to = other.to
    first = min(rooted.first, other.first)
    touches = rooted.touches + other.touches
    return Artifact(rooted.key, rooted.words, tuple(actions), to, first, touches)


def _stretch_pieces(stretch: Stretch, artifact: Artifact, order: int) -> Iterator[FilePiece]:
    for first, last, text in split_lines(stretch.lines):
        places = set(stretch.seen[first:last])
        edited = sorted(places & stretch.edits)
        shown = sorted(places - stretch.edits) or edited
        yield FilePiece(
            artifact.key,
            artifact.words,
            text,
            shown[-1],
            tuple(edited),
            stretch.kind,
            order,
            min(places),
            max(places),
            artifact.newest[1],
        )
        order += 1


def _with_touch(
    stretches: list[Stretch], messages: Sequence[Message], key: str, action: str, position: int
) -> list[Stretch]:
    message = messages[position]
    for call in message.calls:
        touches = [touch for touch in call_touches(call) if is_same_place(key, touch.key)]
        command, result = command_of_call(call), result_of(messages, position, call)
        done = [touch for touch in touches if touch.action == action]
        if result is not None and done:
            vain = touched_in_vain(call, result[1])
            done = [touch for touch in done if touch not in vain]
        if not done:
            continue
        if action in CHANGES:
            # Nothing stays if the call does not say which text it puts there.
            changes = [change for change in text_changes(call) if is_same_place(key, change.path)]
            if not changes:
                stretches = []
            for change in changes:
                stretches = _with_change(stretches, change, position)
        if action in ("deleted", "moved"):
            stretches = []
        if action != "read" or result is None:
            continue
        # What a command picked out or joined is no part of a file.
        if not command or shows_one_file(command):
            stretches = _with_read(stretches, open_envelope(result[1].text).text, position)
    return stretches


def is_same_place(key: str, other: str) -> bool:
    """Tell whether two paths are spellings of one place, if one is relative to a folder."""
    return key == other or (key.startswith("/") and key.endswith(f"/{other}"))


def result_of(messages: Sequence[Message], position: int, call: Call) -> tuple[int, Result] | None:
    """Return the result of a call that was made at a position, and where it stands."""
    for at in range(position + 1, min(position + 1 + LOOK_AHEAD, len(messages))):
        for result in messages[at].results:
            if result.call == call.id:
                return at, result
    return None


def _with_read(stretches: list[Stretch], text: str, position: int) -> list[Stretch]:
    lines, number = plain_lines(text[:TEXT_MOST])
    if not any(map(_is_telling, lines)):
        return stretches
    new = Stretch(tuple(lines), (position,) * len(lines), "read", number=number)
    shown = {line.strip() for line in lines}
    edited = any(stretch.edits for stretch in stretches)
    kept: list[Stretch] = []
    for stretch in stretches:
        telling = _telling_lines(stretch)
        if _is_shown(telling, shown):
            continue
        joined = _join(stretch, new)
        if joined is not None:
            new = joined
        # After an edit the old numbers no longer tell.
        elif edited or not _contradicts(stretch, new):
            kept.append(stretch)
    return [*kept, new]


def _contradicts(old: Stretch, new: Stretch) -> bool:
    """Tell whether something unseen changed a file: other lines under the same numbers."""
    first = max(old.number, new.number)
    last = min(old.number + len(old.lines), new.number + len(new.lines))
    if not old.number or not new.number or first >= last:
        return False
    before = old.lines[first - old.number : last - old.number]
    return before != new.lines[first - new.number : last - new.number]


def _join(old: Stretch, new: Stretch) -> Stretch | None:
    """Return two stretches that overlap as one; None where no lines of them are the same."""
    shift = _shift(old.lines, new.lines)
    if shift is None:
        return None
    before, after = max(0, shift), shift + len(new.lines)
    number = old.number
    if shift < 0:
        number = new.number
    return Stretch(
        old.lines[:before] + new.lines + old.lines[max(0, after) :],
        old.seen[:before] + new.seen + old.seen[max(0, after) :],
        new.kind,
        old.edits | new.edits,
        number,
    )


def _shift(old: Sequence[str], new: Sequence[str]) -> int | None:
    """Return the line of `old` at which `new` begins, below 0 where `new` begins before it."""
    for at, line in enumerate(old):
        if line == new[0] and _agree(old[at : at + len(new)], new[: len(old) - at]):
            return at
    for at, line in enumerate(new):
        if line == old[0] and _agree(new[at : at + len(old)], old[: len(new) - at]):
            return -at
    return None


def _agree(left: Sequence[str], right: Sequence[str]) -> bool:
    return left == right and sum(map(_is_telling, left)) >= OVERLAP_LINES


def _is_telling(line: str) -> bool:
    return len(line.strip()) >= TELLING


def _telling_lines(stretch: Stretch) -> list[str]:
    return [line.strip() for line in stretch.lines if _is_telling(line)]


def _is_shown(telling: list[str], shown: set[str]) -> bool:
    same = sum(line in shown for line in telling)
    return same >= SAME_SHARE * len(telling)


def _with_change(stretches: list[Stretch], change: TextChange, position: int) -> list[Stretch]:
    old, new = change.old, change.new
    lines = tuple(new.split("\n"))
    if old is None:
        return [Stretch(lines, (position,) * len(lines), "written")]
    if change.unplaced:
        # Something else stands no longer, and it is unknown what.
        return [Stretch(lines, (position,) * len(lines), "edited", frozenset((position,)))]
    if change.everywhere and old:
        changed = [_changed_everywhere(stretch, old, new, position) for stretch in stretches]
        if changed != stretches:
            return changed
    for number in range(len(stretches) - 1, -1, -1):
        edited = _edit(stretches[number], old, new, position)
        if edited is not None:
            return [*stretches[:number], edited, *stretches[number + 1 :]]
    # The old text was never seen in one piece: what overlaps it is out of date.
    gone = {line.strip() for line in old.split("\n") if _is_telling(line)}
    kept = [stretch for stretch in stretches if not _is_stale(stretch, gone)]
    if not new.strip():
        return kept
    return [*kept, Stretch(lines, (position,) * len(lines), "edited", frozenset((position,)))]


def _is_stale(stretch: Stretch, gone: set[str]) -> bool:
    """Tell whether a stretch shows what is gone, in whatever form, or little else."""
    text = "\n".join((*(line.strip() for line in stretch.lines), ""))
    whole = bool(gone) and all(f"{line}\n" in text for line in gone)
    return whole or _is_shown(_telling_lines(stretch), gone)


def _edit(stretch: Stretch, old: str, new: str, position: int) -> Stretch | None:
    """Return a stretch after an edit; None where the old text does not stand in it."""
    text = "\n".join(stretch.lines)
    at = text.find(old)
    if not old or at < 0:
        return None
    # The lines that the edit touches, whole: it may begin or end within a line.
    first = text.count("\n", 0, at)
    last = first + old.count("\n") + 1
    touched = "\n".join(stretch.lines[first:last]).replace(old, new, 1).split("\n")
    return replace(
        stretch,
        lines=stretch.lines[:first] + tuple(touched) + stretch.lines[last:],
        seen=stretch.seen[:first] + (position,) * len(touched) + stretch.seen[last:],
        edits=stretch.edits | {position},
    )


def _changed_everywhere(stretch: Stretch, old: str, new: str, position: int) -> Stretch:
    """Return a stretch with a part of a line replaced wherever it stands."""
    lines: list[str] = []
    seen: list[int] = []
    for line, place in zip(stretch.lines, stretch.seen, strict=True):
        after = line.replace(old, new).split("\n")
        lines += after
        seen += [position if old in line else place] * len(after)
    if position not in seen:
        return stretch
    return replace(stretch, lines=tuple(lines), seen=tuple(seen), edits=stretch.edits | {position})


def plain_lines(text: str) -> tuple[list[str], int]:
    """Return a result's lines without a tool's line numbers, and the first of those, or 0."""
    lines = text.split("\n")
    numbered = [(number, line) for number, line in without_numbers(lines) if number]
    if len(numbered) <= NUMBERED_SHARE * len(lines):
        return lines, 0
    return [line for _, line in numbered], numbered[0][0]


def without_numbers(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield each line with the number that a tool put before it, or 0, and its rest."""
    before = 0
    for line in lines:
        found = _NUMBERED.match(f"{line} ")  # A blank at the end may be lost.
        number = int(found[1]) if found else 0
        # A number that does not count up is the file's own.
        if found and number > before:
            before = number
            yield number, line[found.end() :]
        else:
            yield 0, line


def split_lines(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield pieces that end where a paragraph or a definition does: start, stop and text."""
    starts = [0]
    for at, line in enumerate(lines):
        long = at - starts[-1]
        full = long >= PIECE_LINES * 0.7
        begins = bool(line.strip()) and line[:1] not in " \t})]"
        ends = long >= PIECE_LINES // 2 and not line.strip()
        if ends or (full and begins) or long >= PIECE_LINES * 2:
            starts.append(at)
    # A rest of a few lines says little alone: it stays with the piece before it.
    rest = len(lines) - starts[-1]
    if len(starts) > 1 and rest < PIECE_LINES // 2:
        starts.pop()
    for first, last in pairwise((*starts, len(lines))):
        text = "\n".join(lines[first:last]).strip("\n")
        if text.strip():
            yield first, last, text
