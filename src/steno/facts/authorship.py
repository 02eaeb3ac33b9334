"""Who wrote which words of a message.

A role says how a text came in, not who wrote it: most of what arrives as "user" in a
coding session is reminders, command output, old summaries and pasted documents.
`split_by_author` cuts a message's text into stretches of one author each; joined they
are the text. In doubt a stretch is the machine's, because trust may be lost here but
never gained. `prose_lines` tells prose from code, quotes, tables and logs. People rarely
say where a paste ends, so a document, once begun, runs to the end of the text; logs and
code end where lines look like sentences again.
The blocks of a message are read alone and joined: a quotation may go on from one to the next.
What the words mean is left to the readers of facts.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from steno.core.message import Message, Result, Text, Value
from steno.facts.data_rows import json_span
from steno.facts.disguises import SeenText, folded, in_plain_letters
from steno.facts.fact import Trust
from steno.facts.labels import LABEL_MOST, labelled_start
from steno.facts.languages import LANGUAGES, in_every_language
from steno.facts.languages.cues import any_of
from steno.facts.languages.phrases import Phrases
from steno.facts.pasted import has_headings_of_request, pasted_start
from steno.facts.prose_lines import Stretch, is_no_sentence, split_stretches
from steno.facts.relayed import announces_block, is_own_head, relayed_spans
from steno.facts.tags import OPENING_TAG, tag_spans

DOCUMENT_LEAST = 600
"""Characters after a heading that make a document of it."""

_FENCE_MARK = re.compile(r"```++|\"\"\"++|'''++")
_QUOTATION = re.compile(
    r"(?:^[ \t]*+|[:：]\s{0,8}+)(?:\"[^\"\n]{16,2000}[.!?…]\"|'[^'\n]{16,2000}[.!?…]'(?!\w)"
    r"|“[^“”]{16,2000}[.!?…]”|„[^„“”]{16,2000}[.!?…][“”]|«[^«»]{16,2000}[.!?…]\s?»"
    r"|[「『][^「」『』]{8,2000}[。！？.!?…]?[」』])",
    re.M,
)
"""Whole sentences in quotation marks, at the beginning of a line or after a colon."""
_QUOTATION_MARKS = ('"', " '", "\n'", ":'", "“", "„", "«", "「", "『")
"""Without one of these a text need not be searched for it."""
_TILDES = re.compile(r"^[ \t]*+~~~++", re.M)
_HEADING = re.compile(r"^#{1,6} \S.*$", re.M)
_TERMINAL = re.compile(r"^[ \t]*(?:⏺|⎿|❯ )", re.M)
"""How agents' own screens begin a line; people do not type these."""
_FRONT = re.compile(
    r"\s*(?:---\n[\w-]+: |(?:\$|➜|>>>|[\w.-]+@[\w.-]+[ :][^\n]*[%$#]) \S"
    r"|(?:PS [^>\n]{1,80}|[A-Z]:\\[^>\n]{0,80}"
    r"|(?:mysql|sqlite|redis|postgres|\w+=[#>]?)[^>\n]{0,20})> ?\S)"
)
"""How a file with a head, or a copied shell, begins."""


def _document_nouns(*, unspaced: bool) -> str:
    nouns = (cues.text.documents for cues in LANGUAGES if cues.unspaced == unspaced)
    return any_of(*nouns)


_INTRODUCED = re.compile(
    rf"[\s(](?:{_document_nouns(unspaced=False)})(?:\s+[\w'#/-]+){{0,6}}\s*:\s*$", re.I
)
"""A blank must stand before the noun: a pattern that begins with one is searched quickly."""
_INTRODUCED_UNSPACED = re.compile(
    rf"(?:{_document_nouns(unspaced=True)})[^。！？\n]{{0,12}}[:：]\s*$"
)
_NOUNS = Phrases(_document_nouns(unspaced=False))
_CODE_REVIEW = re.compile(r"\bcode[ -]?reviews?\b", re.I)
_WORD_ENDS = "_'#/-"
_LOG_LIKE = re.compile(in_every_language(lambda cues: cues.text.logs), re.I)


def document_starts(text: str, following: int = 0) -> int:
    """Return where a pasted document begins: at a heading with much under it, or when announced."""
    if _FRONT.match(text):
        return 0
    start = len(text)
    heading = _HEADING.search(text) if "# " in text else None
    is_long = heading and len(text) + following - heading.start() >= DOCUMENT_LEAST
    if heading and is_long and not has_headings_of_request(text):
        start = heading.start()
    if not text.isascii() and (screen := _TERMINAL.search(text)):
        start = min(start, screen.start())
    # Behind the earliest start that is known none need be looked for.
    start = min(start, labelled_start(text, start))
    if start:
        start = min(start, pasted_start(text, start))
    return min(start, _announced_start(text, start))


def _announced_start(text: str, most: int) -> int:
    """Return what `most` is, or where a text begins before that, by words that announce it."""
    at = 0
    for line in text.splitlines(keepends=True):
        at += len(line)
        if at >= most:
            break
        if (":" in line or "：" in line) and _announces(line):
            return at
    return most


def _announces(line: str) -> bool:
    if not line.rstrip().endswith((":", "：")) or not _may_announce(line):
        return False
    if is_own_head(line[:LABEL_MOST].strip().rstrip(":：").rstrip()):
        return False
    # A review of code is people's prose, not code.
    end = _CODE_REVIEW.sub("review", line[-160:])
    found = _INTRODUCED.search(f" {end}")
    if found is None and not end.isascii():
        found = _INTRODUCED_UNSPACED.search(end)
    return found is not None and not _LOG_LIKE.search(found[0])


def _may_announce(line: str) -> bool:
    """Tell whether words stand before the colon of a line, as in most lines of code they do not."""
    if not line.isascii():
        return True
    before = line.rstrip()[:-1].rstrip()[-1:]
    return (before.isalnum() or before in _WORD_ENDS) and _NOUNS.found_in(line.lower())


_AUTHOR: dict[str, Trust] = {"system": "system", "user": "person", "assistant": "assistant"}
"""Every other role speaks for a tool."""

_FENCE = re.compile(r"<steno-(?P<digest>[0-9a-f]{12})\b[^<>\n]*>")

_NOTICES = (
    "This session is being continued from a previous conversation",
    "Caveat: The messages below were generated",
    "[Request interrupted by user",
    "Base directory for this skill:",
    "Operation stopped by hook",
    "Your tool call was malformed",
    "API Error",
    "Unknown slash command",
    "Launching skill:",
)
"""How agents' own programs begin a text that is no head of another."""
_MADE_WHOLE = (
    *_NOTICES,
    "Stop hook feedback",
    "Another language model started to solve this problem",
    "# AGENTS.md instructions for",
    "# Context from my IDE setup",
    "The user sent the following message:",
    "PreToolUse:",
    "PostToolUse:",
    "UserPromptSubmit hook",
    "SessionStart hook",
    "Here is a summary of the conversation so far",
    "EXECUTION RESULT of",
    "OBSERVATION:",
    "Observation:",
)
"""How agents' own programs begin what they send under the user's name."""

_TEMPLATE = ("\n    ", "\n\t")
"""A text that begins on its second line, set in, was cut out of a program's source."""

_MADE_LINE = re.compile(
    r"^[ \t]*(?:\[(?:Request interrupted|Image|image|Pasted text|Tool result|tool_result"
    r"|Attachment)[^\]\n]*\]|Invoke the [\w:-]+ skill\b.*|ARGUMENTS: .*"
    r"|If you need specific details from before exiting plan mode.*)[ \t]*$",
    re.M,
)
CUTS_KEPT, TYPED_KEPT, MESSAGES_KEPT = 64, 1_024, 8_192
TYPED_MOST = 8_000
"""Characters of a text that is held ready for longer."""


_OTHER_BLOCK = "\n<block></block>\n"
"""What a picture or a result is read as, between two texts: a program's text that has ended."""
_RUN_OF_MARKS = re.compile(r"[+]+|-+")

Cut = tuple[str, Trust, bool]
BlockCuts = dict[int, tuple[Cut, ...]]


class AuthoredText(Value, frozen=True, gc=False):
    """A stretch of a message's text by one author."""

    text: str
    trust: Trust
    block: int
    prose: bool
    """Sentences, as opposed to code, tables, quotes and logs."""


class _Part(NamedTuple):
    """A part of a text, in tags or between them: a person's perhaps, then surely another's."""

    body: str
    stretches: tuple[Stretch, ...]
    """The body, cut at lines that are no prose."""
    rest: str
    """What stands in tags, or from where a document begins."""
    is_prose: bool
    """Whether the rest is prose."""


def split_by_author(message: Message) -> Iterator[AuthoredText]:
    """Yield a message's text, cut by author, in order; what a call says is not text.

    Thinking is not said, so no fact quotes it.
    """
    # Our own summaries come back under the user's role; by that alone they gain no trust.
    author = _AUTHOR.get(message.role, "tool") if message.by == "caller" else "tool"
    blocks = message.blocks
    across = _own_across_blocks(message) if author == "person" and len(blocks) > 1 else {}
    for at, block in enumerate(blocks):
        match block:
            case Text(text):
                for said, trust, prose in across.get(at) or _cut_by_author(text, author):
                    yield AuthoredText(said, trust, at, prose)
            case Result():
                yield AuthoredText(block.text, "tool", at, prose=False)
            case _:
                pass


def is_others_by_shape(text: str, start: int, stop: int) -> bool:
    """Tell whether a stretch of a typed text is another's in part, by tags, lines and documents.

    These are found in less time than all of `split_by_author`. False says nothing: words that a
    person passes on may look like the person's.
    """
    plain = in_plain_letters(text)
    if _holds_others(_lines_by_shape(plain, start), start, stop):
        return True
    cuts = (
        cut
        for part in _typed_parts(plain)
        for cut in (*((said, owned) for said, owned, _ in part.stretches), (part.rest, False))
    )
    return _holds_others(cuts, start, stop)


def _lines_by_shape(text: str, start: int) -> Iterator[tuple[str, bool]]:
    """Yield tags and lines of a text; from a place on, tell whether they may be a person's.

    A line that is no sentence by itself is none in any paragraph, and documents begin with a line.
    """
    at = 0
    for said, spoken in _outside_tags(text):
        if not spoken:
            yield said, False
            at += len(said)
            continue
        for line in said.splitlines(keepends=True):
            at += len(line)
            yield line, at <= start or not is_no_sentence(line)


def _holds_others(cuts: Iterable[tuple[str, bool]], start: int, stop: int) -> bool:
    """Tell whether a stretch of a text holds a part of a cut that is not the person's."""
    at = 0
    for said, owned in cuts:
        if at >= stop:
            break
        if said and not owned and at + len(said) > start:
            return True
        at += len(said)
    return False


def own_words(message: Message) -> str:
    """Return the sentences of a message that a person wrote, and none of other words."""
    # Words of another role are no person's, and need not be cut.
    if _AUTHOR.get(message.role) != "person":
        return ""
    pieces = split_by_author(message)
    return "".join(piece.text for piece in pieces if piece.trust == "person" and piece.prose)


def typed_text(message: Message) -> str:
    """Return what may be quoted under a person's name; empty if all of it counts as another's."""
    if message.by != "caller" or message.role != "user":
        return ""
    return _kept_typed_text(message)


# Every commit tells what people typed.
@lru_cache(maxsize=MESSAGES_KEPT)
def _kept_typed_text(message: Message) -> str:
    pieces = list(split_by_author(message))
    own = "".join(piece.text for piece in pieces if piece.trust == "person")
    if own.strip():
        return own
    # One line that is no sentence (`go on`) states nothing, and few people paste one.
    whole = message.text.strip()
    if "\n" in whole or "<" in whole or any(piece.prose for piece in pieces):
        return ""
    return whole


def _own_across_blocks(message: Message) -> BlockCuts:
    """Return the cuts of several blocks; a quotation may begin in one and go on in the next.

    A person's is what is theirs in its block and in the blocks joined. Programs' blocks that end
    themselves, before and behind all others, are left out: two reminders quote nothing between.
    """
    texts = {at: block.text for at, block in enumerate(message.blocks) if isinstance(block, Text)}
    cuts = {at: _cut_by_author(text, "person") for at, text in texts.items()}
    ends = [_ends_itself(texts[at], cuts[at]) for at in texts]
    if len(texts) < 2 or all(ends):
        return cuts
    between = list(texts)[ends.index(False) : len(ends) - ends[::-1].index(False)]
    parts = [texts[between[0]]]
    for before, at in pairwise(between):
        parts += [_OTHER_BLOCK if at - before > 1 else "\n", texts[at]]
    joined = _cut_by_author("".join(parts), "person")
    owned = _marks_of_person(joined)
    shown = _end_of_announcement([texts[at] for at in between], parts)
    owned = owned[:shown] + "-" * len(owned[shown:])
    read: BlockCuts = {}
    start = 0
    for at, gap in zip(between, (*parts[1::2], ""), strict=True):
        read[at] = tuple(_join_neighbours(_own_by_both(cuts[at], owned, start)))
        start += len(texts[at]) + len(gap)
    return read


def _end_of_announcement(blocks: Sequence[str], parts: Sequence[str]) -> int:
    """Return where the first of several blocks ends that speaks of the text in the next."""
    end = 0
    for at, block in enumerate(blocks[:-1]):
        end += len(block)
        if parts[2 * at + 1] == "\n" and announces_block(block):
            return end
        end += len(parts[2 * at + 1])
    return sum(map(len, parts))


def _marks_of_person(cuts: Iterable[Cut]) -> str:
    """Return a mark for each character of cuts: whether it is a person's."""
    return "".join(("+" if trust == "person" else "-") * len(said) for said, trust, _ in cuts)


def _own_by_both(cuts: tuple[Cut, ...], owned: str, start: int) -> Iterator[Cut]:
    """Yield the cuts of a block, cut where the marks from a place on say that they are others'."""
    for said, trust, prose in cuts:
        for run in _RUN_OF_MARKS.finditer(owned, start, start + len(said)):
            begin, end = run.span()
            own = owned[begin] == "+"
            yield said[begin - start : end - start], trust if own else "tool", prose
        start += len(said)


def _ends_itself(text: str, cuts: tuple[Cut, ...]) -> bool:
    """Tell whether a block is a notice of a program, or stands in one tag from first to last."""
    if any(trust == "person" for _, trust, _ in cuts):
        return False
    words = text.strip()
    opening = OPENING_TAG.match(words)
    if opening is not None:
        return words.endswith(f"</{opening[1]}>")
    return not words or (words.startswith(_NOTICES) and not words.endswith(":"))


def _cut_by_author(text: str, author: Trust) -> tuple[Cut, ...]:
    if author == "tool":
        return ((text, "tool", False),)
    if author == "person" and _is_made_whole(text):
        return ((text, "tool", True),)
    if author == "person" and len(text) <= TYPED_MOST:
        return _typed_cuts(text)
    return _some_cuts(text, author)


def _is_made_whole(text: str) -> bool:
    return text.lstrip().startswith(_MADE_WHOLE) or text.startswith(_TEMPLATE)


# Each reader of facts asks for the pieces of the same message in turn.
@lru_cache(maxsize=CUTS_KEPT)
def _some_cuts(text: str, author: Trust) -> tuple[Cut, ...]:
    return tuple(_join_neighbours(_cuts_of_words(text, author)))


# What people typed is read again when a view is composed.
@lru_cache(maxsize=TYPED_KEPT)
def _typed_cuts(text: str) -> tuple[Cut, ...]:
    return tuple(_join_neighbours(_cuts_of_words(text, "person")))


def _cuts_of_words(text: str, author: Trust) -> Iterator[Cut]:
    """Return the cuts of a text; a person's is what is theirs as written and as seen."""
    plain = in_plain_letters(text)
    at = 0
    cuts: list[Cut] = []
    for said, trust, prose in _author_cuts(plain, author):
        cuts.append((text[at : at + len(said)], trust, prose))
        at += len(said)
    if author != "person" or all(trust != author for _, trust, _ in cuts):
        return iter(cuts)
    seen = SeenText(plain)
    if seen.text == plain:
        return iter(cuts)
    if _is_made_whole(seen.text):
        return iter([(text, "tool", True)])
    owned = _marks_of_person(_author_cuts(seen.text, author))
    return _own_by_both(tuple(cuts), seen.marks_of_whole(owned), 0)


def _author_cuts(text: str, author: Trust) -> Iterator[Cut]:
    typed = author == "person"
    at = 0
    for part in _typed_parts(text) if typed else _parts_by_shape(text, typed=False):
        at += len(part.body) + len(part.rest)
        others: list[tuple[int, int]] = []
        # Where nothing is the person's own, nothing can be taken from them.
        if typed and any(owned for _, owned, _ in part.stretches):
            over_fence = not part.rest and text.startswith("```", at)
            others = relayed_spans(part.body, over_fence=over_fence)
        for said, owned, prose in _cut_at(iter(others), part.stretches):
            yield said, author if owned else "tool", prose
        yield part.rest, "tool", part.is_prose


# A search asks for the shape of a text first, and then perhaps for who wrote it.
@lru_cache(maxsize=CUTS_KEPT)
def _typed_parts(text: str) -> tuple[_Part, ...]:
    return tuple(_parts_by_shape(text, typed=True))


def _parts_by_shape(text: str, *, typed: bool) -> Iterator[_Part]:
    """Yield a text, cut at tags, fences, documents and lines that are no prose."""
    left = len(text)
    pasted = False
    for said, spoken in _outside_tags(text) if typed else _outside_fences(text):
        left -= len(said)
        if not spoken or pasted:
            yield _Part("", (), said, is_prose=pasted)
            continue
        body = len(said)
        if typed:
            body = document_starts(folded(said), left)
        stretches = tuple(split_stretches(said[:body], pasting=typed))
        yield _Part(said[:body], stretches, said[body:], is_prose=True)
        # A document, once begun, goes on behind the tags that stand in it.
        pasted = body < len(said)


def _cut_at(others: Iterator[tuple[int, int]], stretches: Iterable[Stretch]) -> Iterator[Stretch]:
    """Yield stretches, cut where words of others that a person passes on begin and end."""
    begin, end = next(others, (sys.maxsize, sys.maxsize))
    at = 0
    for text, owned, prose in stretches:
        start, stop = at, at + len(text)
        while at < stop:
            is_relayed = at >= begin
            cut = min(stop, end if is_relayed else begin)
            yield text[at - start : cut - start], owned and not is_relayed, prose
            at = cut
            if at >= end:
                begin, end = next(others, (sys.maxsize, sys.maxsize))


def _join_neighbours(cuts: Iterator[Cut]) -> Iterator[Cut]:
    """Yield the parts with neighbours of one author and nature joined, and no empty one."""
    held: list[str] = []
    nature: tuple[Trust, bool] = ("tool", False)
    for said, trust, prose in cuts:
        if held and nature != (trust, prose):
            yield "".join(held), *nature
            held = []
        if said:
            held.append(said)
            nature = (trust, prose)
    if held:
        yield "".join(held), *nature


def _outside_fences(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the text outside and inside of Steno's own fences, also if these were changed."""
    start = 0
    while found := _FENCE.search(text, start) if "<steno-" in text else None:
        closing = f"</steno-{found['digest']}>"
        end = text.find(closing, found.end())
        stop = len(text) if end < 0 else end + len(closing)
        yield text[start : found.start()], True
        yield text[found.start() : stop], False
        start = stop
    yield text[start:], True


def _outside_tags(text: str) -> Iterator[tuple[str, bool]]:
    """Yield what people wrote, and what stands in the tags and code fences of a text."""
    for said, spoken in _outside_fences(text):
        if not spoken:
            yield said, False
            continue
        start = 0
        for begin, stop in _quoted_spans(said):
            if stop <= start:
                continue
            yield from _outside_lines(said[start:begin])
            yield said[max(start, begin) : stop], False
            start = stop
        yield from _outside_lines(said[start:])


def _quoted_spans(text: str) -> list[tuple[int, int]]:
    """Return where others' words stand in a text, by tags, code fences and quotation marks."""
    text = folded(text)
    fenced = _fenced_span(text)
    data = json_span(text)
    spans = [(fenced.start, fenced.stop), (data.start, data.stop)]
    if text.startswith("'") or any(mark in text for mark in _QUOTATION_MARKS):
        spans += [found.span() for found in _QUOTATION.finditer(text)]
    if "<" in text:
        spans += tag_spans(text, fenced)
    return sorted(spans)


def _fenced_span(text: str) -> range:
    """Return the range from the first code fence to the last.

    A fenced page may hold fences of its own, so no text between two of them is surely the
    person's. A fence that is not closed holds the rest.
    """
    marks = []
    if "``" in text or '""' in text or "''" in text:
        marks = [found.span() for found in _FENCE_MARK.finditer(text)]
    marks += [found.span() for found in _TILDES.finditer(text)] if "~~~" in text else []
    if not marks:
        return range(0)
    if len(marks) == 1:
        return range(marks[0][0], len(text))
    return range(min(marks)[0], max(marks)[1])


def _outside_lines(text: str) -> Iterator[tuple[str, bool]]:
    start = 0
    for found in _MADE_LINE.finditer(text):
        yield text[start : found.start()], True
        yield found[0], False
        start = found.end()
    yield text[start:], True
