"""Which lines of a message are data: rows, settings, JSON, comments of code, a chat with times.

They were copied, and say so by shape: a time at the beginning of each line, rows with the same
separators, keys with values or lists, brackets around named values, comments beside code. Around
such lines, plain sentences are the person's. Text that has no end of its own is in `pasted`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from steno.facts.languages import in_every_language

LINE_MOST = 200
"""Characters of a line that are looked at."""
ROWS_LEAST = 2

TIME = r"\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?(?:\s?[AaPp]\.?[Mm]\b\.?)?"
_DATE = (
    r"(?:\d{4}|\d{1,2})(?:[./-]\d{1,2}[./-]\d{1,4}"
    r"|\s?[年년]\s?\d{1,2}\s?[月월]\s?\d{1,2}\s?[日일](?:\s?\(\w\))?)"
)
_MINUTES = re.compile(r":\d\d")
"""Every time holds this, and few lines do."""
_ENDS_SENTENCE = (".", "!", "?", "。", "！", "？", "…", "؟", "।")

STAMPED = re.compile(
    rf"[\s*_>]{{0,4}}(?:[\[(]{TIME}[\])]|[\[(]?{_DATE},?[\sT]{{1,2}}\w{{0,6}}\s?{TIME}\b"
    rf"|[^\d:\n]{{0,30}}[\[(]{TIME}[\])]\s?:|[^:\n]{{0,24}}?\b\d\d:\d\d:\d\d\b)"
)
"""A time in brackets, one with seconds, or a date with a time, before the words of a line."""
_SPEAKER = re.compile(r"[\s:\])-]{0,5}(?:<[^<>\n]{1,30}>|[^\W\d][\w .'’-]{0,30}[:：])")
_TIMED = re.compile(rf"[\s*_-]{{0,4}}{TIME}(?:\s|<|$)")
"""A bare time before the words of a line: two of these make a chat."""
_KEY = re.compile(
    r"(?P<indent>[ \t]*+)(?P<item>- )?[\"']?(?P<key>[A-Za-z_][\w.-]{0,60})[\"']?:(?=\s|$)"
)
_SCALAR = re.compile(
    r":\s+(?:-?\d[\d.,:_eE+-]*|true|false|null|yes|no|~|\"[^\"\n]*\"|'[^'\n]*'|\[.*\]|\{.*\}"
    r"|\S+@\S+|https?://\S+|[0-9a-f-]{8,})\s*$"
)
_BLOCK = re.compile(r":\s+[|>][+-]?\d?\s*$")
_LIST_KEY = re.compile(r"[ \t]*+(?:- )?[a-z][\w.-]{0,60}:\s*$")
_OWN_KEY = re.compile(
    rf"(?:my[_-])?(?:{in_every_language(lambda cues: cues.rules.headings)})", re.I
)
_WORDS_JOINED = re.compile(r"[a-z0-9][_.-][a-z0-9]")
_ITEM = re.compile(r"(?P<indent>[ \t]*+)- (?P<quoted>[\"'])?")
_SET_IN = re.compile(r"(?: {4}|\t)[ \t]*+(?![-*•+] |\d+[.)] )\S")
"""Set in as a program or a page does it; people set in the items of a list."""
_SECTION = re.compile(r"[ \t]*+\[\[?[\w .:\"'/-]{1,60}\]\]?\s*$")
_PAIR = re.compile(
    r"[ \t]*+(?:(?:export |set )?[\w.-]{1,60}[ \t]?=(?!=)[ \t]?\S|[a-z][\w-]{1,30} \".*\"\s*$"
    r"|[A-Z][A-Z-]{3,30}(?:;[^:\n]{0,60})?:\S)"
)
"""A setting, a phrase of a translation, a line of a calendar."""
_ASSIGNED = re.compile(
    r"[ \t]*+(?:export |set )?"
    r"(?:[A-Z][A-Z0-9_]{2,60}=\S|[a-z][\w-]{0,30}(?:\.[\w-]{1,30}){1,6}[ \t]?=\S)"
)
_COMMENT = re.compile(r"[ \t]*+(?:(?:#{1,3}|;{1,4}|%{1,3}|//) ?+[^\s#;%]|(?:--|'|REM) \S)")
_STATEMENT = re.compile(
    r"[ \t]*+(?:export \w{1,60}="
    r"|(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|DROP|GRANT|WITH|FROM|RUN"
    r"|COPY|CMD|ENTRYPOINT|ENV|WORKDIR)\s\S|(?:local|let|const|var|int|dim|Dim|def|fn"
    r"|func) (?:[\w$]{1,60}[ \t]?(?:[:;(<\[]|$|[Aa]s )|[^.!?\n]{1,80}=)|echo (?:[\"'$-]"
    r"|\S{1,60}\s*$)|[\w.$]{1,60}(?:\[[^\]\n]{0,40}\])?[ \t]?(?:[-+*:|]?=|<-)(?!=)[ \t]?\S"
    r"|\([\w!?*-]{1,30}[ )]|\\[a-z]{2,20}[{\[]|[\w.]{1,60}\([^()\n]{0,80}\)[;:{ ]{0,3}\s*$"
    r"|\[[\w.\"-]{1,40}\]\s*$)"
)
"""How lines of programs, queries and settings begin; asked only beside comments."""
_REMARK = re.compile(
    r"; {0,8}(?:--|//|#|/\*) |^[ \t]*+(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP)\s.* -- "
)
"""A comment behind a statement."""
_OPENERS, _CLOSERS = ("(", "{", "["), (")", "}", "]")
_DELIMITERS = (",", ";", "\t", "|")
_BARRED = re.compile(r"[^|\n]{1,80}[ \t]\|(?:\s|$)")
_NAMED_BAR = re.compile(r"[ \t]*+[\w./:@-]{1,60}[ \t]+\|\s")
"""A program's name before each line that it prints: one such line is enough."""
_CELL_MOST = 40
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_JSON_OPENS = re.compile(
    r"^[ \t]*+(?:[-*] |data: ?)?(?=(?:\{\s{0,200}[\"'][^\"'\n]{0,80}[\"']\s{0,8}:"
    r"|\[\s{0,200}(?:\{\s{0,200})?[\"']))",
    re.M,
)


def data_lines(lines: Sequence[str]) -> list[bool]:
    """Tell for each line of a text whether it is a row of data, or of a chat with times."""
    marked = [False] * len(lines)
    for first, stop in _blocks(lines):
        marked[first:stop] = [True] * (stop - first)
    for number in _remarks(lines):
        marked[number] = True
    return marked


def json_span(text: str) -> range:
    """Return the range from the first JSON of a text to the last bracket that can close it.

    A value may hold brackets and line ends of its own, so no text between two pieces of JSON is
    surely the person's. JSON that is not closed holds the rest.
    """
    if '"' not in text and "'" not in text:
        return range(0)
    found = _JSON_OPENS.search(text)
    if found is None:
        return range(0)
    last = max(text.rfind("}"), text.rfind("]"))
    if last < found.end():
        return range(found.start(), len(text))
    return range(found.start(), last + 1)


def is_sentence(line: str) -> bool:
    return line.rstrip().endswith(_ENDS_SENTENCE)


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield first and last line (not included) of each block of rows."""
    yield from _stamped_blocks(lines)
    yield from _bracketed_blocks(lines)
    at = labels_stop = 0
    while at < len(lines):
        if lines[at].isspace():
            at += 1
            continue
        stop = max(_set_in_stop(lines, at), _pairs_stop(lines, at), _cells_stop(lines, at))
        stop = max(stop, _barred_stop(lines, at))
        # A run of labels that is no data is looked through once, or the cost would be its square.
        if at >= labels_stop:
            labels_stop, is_data = _keys_stop(lines, at)
            if is_data:
                stop = max(stop, labels_stop)
        if stop > at:
            yield at, stop
        at = max(stop, at + 1)


def _stamped_blocks(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the lines of logs and chats with times, each with the rest of its paragraph.

    What stands between two lines of a chat is a speaker's; between logs people say what they see.
    """
    stamped = []
    timed = []
    said = []
    for number, line in enumerate(lines):
        if ":" not in line or not _MINUTES.search(line):
            continue
        if found := STAMPED.match(line[:LINE_MOST]):
            stamped.append(number)
            if _SPEAKER.match(line, found.end()):
                said.append(number)
        elif _TIMED.match(line[:LINE_MOST]):
            timed.append(number)
    if len(timed) >= ROWS_LEAST:
        said += timed
    stop = 0
    for number in sorted({*stamped, *said}):
        if number >= stop:
            stop = _paragraph_stop(lines, number)
            yield number, stop
    if said:
        yield min(said), max(said)


def _paragraph_stop(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and not lines[at].isspace():
        at += 1
    return at


def _bracketed_blocks(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield from each line that ends in an open bracket to the line that begins by closing it."""
    closing = [number for number, line in enumerate(lines) if line.lstrip()[:1] in _CLOSERS]
    stop = 0
    for number, line in enumerate(lines):
        if number < stop or not line.rstrip().endswith(_OPENERS):
            continue
        later = bisect_right(closing, number)
        if later < len(closing):
            stop = closing[later] + 1
        else:
            stop = _paragraph_stop(lines, number)
        yield number, stop


def _remarks(lines: Sequence[str]) -> Iterator[int]:
    """Yield the lines that are comments of a program: beside its code, or behind a statement."""
    if not any(";" in line or _COMMENT.match(line) for line in lines):
        return
    held: list[int] = []
    below_code = False
    at = 0
    while at < len(lines):
        if lines[at].isspace():
            at += 1
            continue
        paragraph = range(at, _paragraph_stop(lines, at))
        at = paragraph.stop
        comments = [number for number in paragraph if _COMMENT.match(lines[number])]
        code = [number for number in paragraph if _is_code(lines[number])]
        yield from (number for number in code if _REMARK.search(lines[number][:LINE_MOST]))
        # Comments between two blank lines belong to the code before or behind them.
        if len(comments) == len(paragraph) and not below_code:
            held += comments
            continue
        below_code = bool(code) or (below_code and len(comments) == len(paragraph))
        if below_code:
            yield from (*held, *comments)
        held = []


def _is_code(line: str) -> bool:
    """Tell whether a line that stands beside comments can be a line of a program."""
    if _STATEMENT.match(line) or line.rstrip().endswith(";"):
        return True
    return ";" in line and _REMARK.search(line[:LINE_MOST]) is not None


def _keys_stop(lines: Sequence[str], at: int) -> tuple[int, bool]:
    """Return where labels with values that begin at a line end, and whether they are data."""
    keys = 0
    typed = nested = listing = joined = own = False
    stop = at
    while stop < len(lines):
        line = lines[stop][:LINE_MOST]
        found = _KEY.match(line) if ":" in line else None
        deeper = stop > at and line[:1] in " \t" and not line.isspace()
        item = _ITEM.match(line) if listing else None
        if found is None and not deeper and item is None:
            break
        if found is not None:
            # People begin a label of their own with a capital letter, a program its keys rarely.
            keys += found["key"][0].islower()
            typed = typed or _SCALAR.search(line) is not None
            nested = nested or deeper or found["item"] is not None
            if _BLOCK.search(line):
                keys, nested, stop = ROWS_LEAST, True, _indented_stop(lines, stop + 1) - 1
            listing = _LIST_KEY.match(line) is not None
            joined = _WORDS_JOINED.search(found["key"]) is not None
            # Before all else it heads what a person asks for; behind words it is shown.
            own = stop == 0 and _OWN_KEY.fullmatch(found["key"]) is not None
        # One key is enough over a list as programs write it: set in, in quotation marks, or
        # under words that are joined.
        if item is not None and not own and (item["indent"] or item["quoted"] or joined):
            keys, nested = ROWS_LEAST, True
        stop += 1
    return stop, keys >= ROWS_LEAST and (typed or nested)


def _indented_stop(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and (lines[at][:1] in " \t\n\r"):
        at += 1
    return at


def _set_in_stop(lines: Sequence[str], at: int) -> int:
    """Return where lines that are set in under nothing, or under a heading in capitals, end."""
    above = "".join(lines[at - 1 : at]).strip()
    stop = at
    if not above or above.isupper():
        while stop < len(lines) and _SET_IN.match(lines[stop]):
            stop += 1
    return stop


def _pairs_stop(lines: Sequence[str], at: int) -> int:
    """Return where settings (`name = value`, with a section or without) that begin here end."""
    section = _SECTION.match(lines[at][:LINE_MOST]) is not None
    stop = at + section
    while stop < len(lines) and _PAIR.match(lines[stop][:LINE_MOST]):
        stop += 1
    if stop - at >= ROWS_LEAST or (stop > at and _ASSIGNED.match(lines[at][:LINE_MOST])):
        return stop
    return at


def _barred_stop(lines: Sequence[str], at: int) -> int:
    """Return where lines with a bar between words, as tables and joined logs have it, end."""
    stop = at
    while stop < len(lines) and "|" in lines[stop] and _BARRED.match(lines[stop][:LINE_MOST]):
        stop += 1
    if stop - at >= ROWS_LEAST or (stop > at and _NAMED_BAR.match(lines[at][:LINE_MOST])):
        return stop
    return at


def _cells_stop(lines: Sequence[str], at: int) -> int:
    """Return where rows of cells that begin at a line end; the same line if none do."""
    head = lines[at].strip()
    if len(head) > LINE_MOST or is_sentence(head):
        return at
    for delimiter in _DELIMITERS:
        cells = head.split(delimiter)
        if len(cells) < ROWS_LEAST or any(_is_no_cell(cell) for cell in cells):
            continue
        stop = at + 1
        while stop < len(lines) and _is_row(lines[stop], delimiter):
            stop = _quoted_stop(lines, stop)
        least = ROWS_LEAST
        if _UNSPACED.search(head):
            # Without spaces between words, two clauses look like two cells.
            least += 1
        if stop - at >= least:
            return stop
    return at


def _is_no_cell(cell: str) -> bool:
    return not cell or cell[0] == " " or len(cell) > _CELL_MOST


def _is_row(line: str, delimiter: str) -> bool:
    if line.startswith('"'):
        return f'"{delimiter}' in line
    before, found, behind = line.partition(delimiter)
    return bool(found) and len(before) <= _CELL_MOST and behind[:1] not in (" ", "\n", "")


def _quoted_stop(lines: Sequence[str], at: int) -> int:
    """Return the line behind a row; a cell in quotation marks may hold line ends."""
    marks = lines[at].count('"')
    stop = at + 1
    if marks % 2 and '"' in "".join(lines[stop : stop + 40]):
        while stop < len(lines) and marks % 2:
            marks += lines[stop].count('"')
            stop += 1
    return stop
