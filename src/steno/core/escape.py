"""One escape for everything that is shown in lines of ours.

Words of others stand in recalled messages, pages, summaries, notes, tables and questions to a
person. There a line end other than `\\n` would begin a line that looks like ours, and a
character that is not seen would make words look other than they are. `visible` writes those
characters as JSON does, so that nothing is lost: `\\u2028`.
"""

from __future__ import annotations

import re

_JOINERS = "\u200c\u200d"
NEVER_SEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, other line ends and escape sequences
    "\u2028\u2029"
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # direction of writing
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e0fff"
)
UNSEEN = re.compile(
    f"[{NEVER_SEEN}]"
    # Emoji and some scripts need joiners; between two Latin letters they only hide.
    rf"|(?<![^\x00-\x7f])[{_JOINERS}]|[{_JOINERS}](?![^\x00-\x7f])"
)
"""Characters that end a line, turn it round or are not seen; not the tab and not `\\n`."""

_SUSPECT = re.compile(f"[{NEVER_SEEN}{_JOINERS}]")
"""One set is searched quickly; most texts hold none of it."""

_FENCE_TAG = re.compile(r"<(?=/?steno-)", re.I)


def visible(text: str) -> str:
    """Return a text in which only `\\n` ends a line, and every character is seen."""
    if _SUSPECT.search(text) is None:
        return text
    return UNSEEN.sub(_escape, text.replace("\r\n", "\n"))


def quoted(text: str) -> str:
    """Return a text as `visible` shows it, in which no fence of ours begins or ends."""
    return without_fences(visible(text))


def without_fences(text: str) -> str:
    """Return a text in which no fence of ours begins or ends."""
    return _FENCE_TAG.sub(_escape, text)


def one_line(text: str) -> str:
    """Return a text of others on one line, with single blanks."""
    return quoted(" ".join(text.split()))


def indented(text: str, by: str = "    ") -> str:
    """Return a text of others whose lines after the first cannot pass for lines of ours."""
    return quoted(text).replace("\n", f"\n{by}")


def set_in(words: str, first: int = 0) -> str:
    """Return words of others whose rows from `first` on begin with a blank.

    Rows of ours begin at the margin, so that none of theirs passes for one, whatever it says and
    whatever ends it.
    """
    rows = visible(words).split("\n")
    return "\n".join([*rows[:first], *(row and f" {row}" for row in rows[first:])])


def _escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))
