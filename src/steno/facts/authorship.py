"""Who wrote which words of a message, by its role and its structure.

A user message is the user's, pasted or not. Not the user's are: messages that a program or Steno
put there (`by`), Steno's fences, texts in programs' tags and behind the name of a command, texts
that programs open in a known way, code fences, and lines marked as quotations (`>`, `|`). Lines
that are no prose, and the middle of a message over 2,000 characters, are the user's and are not
read for what they say. No phrase of any language decides who speaks: see `docs/security.md`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate, groupby, pairwise

from steno.core.message import Message, Result, Text, Value
from steno.facts.fact import Trust
from steno.facts.languages import rows_pattern
from steno.facts.prose_lines import ITEM, outline, prose_runs, quoted_lines
from steno.facts.tags import OPENING_TAG, is_spoken, tag_spans

LONG = 2_000
"""Characters from which on only the ends of a message are read, its first and last paragraph, each
up to half as long; and list items that are rules."""
CUTS_KEPT = 4_096
KEPT_LENGTH = 8_000
"""Characters of a text whose cuts are held ready."""

_AUTHOR: dict[str, Trust] = {"system": "system", "user": "person", "assistant": "assistant"}
"""Every other role speaks for a tool."""
_STENO_FENCE = re.compile(r"<steno-(?P<digest>[0-9a-f]{12})\b[^<>\n]*>")
_FENCE_MARK = re.compile(r"```+|~~~+|\"\"\"|'''")
_LANGUAGE = re.compile(r"[^\s`~\"']+[^\S\n]*+(?:\n|\Z)")
_OPENINGS = (
    "This session is being continued from a previous conversation",
    "Caveat: The messages below were generated",
    "[Request interrupted by user",
    "Base directory for this skill:",
    "Operation stopped by hook",
    "Your tool call was malformed",
    "API Error",
    "Unknown slash command",
    "Launching skill:",
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
_COMMAND_ENDS = ("</command-name>", "</command-message>", "</command-args>")
_TEMPLATE = ("\n    ", "\n\t")
"""A text that begins on its second line, set in, was cut out of a program's source."""
_MADE_LINE = re.compile(
    r"^[ \t]*(?:\[(?:Request interrupted|Image|image|Pasted text|Tool result|tool_result"
    r"|Attachment)[^\]\n]*\]|Invoke the [\w:-]+ skill\b.*|ARGUMENTS: .*"
    r"|If you need specific details from before exiting plan mode.*)[ \t]*$",
    re.M,
)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_STOP = re.compile(r"[.!?…](?=\s)|[。！？\n]")

Cut = tuple[str, Trust, bool]
Span = tuple[int, int]


class AuthoredText(Value, gc=False):
    """A stretch of a message's text by one author."""

    text: str
    trust: Trust
    block: int
    prose: bool
    """Sentences that are read for what they say."""


def split_by_author(message: Message) -> Iterator[AuthoredText]:
    """Yield a message's text, cut by author, in order; what a call says is not text.

    Thinking is not said, so no fact quotes it.
    """
    # Our own summaries come back under the user's role; by that alone they gain no trust.
    author: Trust = "tool"
    if message.by == "caller":
        author = _AUTHOR.get(message.role, "tool")
    joined: dict[int, list[Cut]] = {}
    if author == "person" and len(message.blocks) > 1:
        joined = _cuts_across_blocks(message)
    expanded = False
    for at, block in enumerate(message.blocks):
        match block:
            case Text(text) if expanded:
                expanded = False
                yield AuthoredText(text, "tool", at, prose=False)
            case Text(text):
                text = message.split_reasoning(text)[1]
                expanded = author == "person" and names_command(text)
                for said, trust, prose in joined.get(at) or cuts_of(text, author):
                    yield AuthoredText(said, trust, at, prose)
            case Result():
                yield AuthoredText(block.text, "tool", at, prose=False)


def names_command(text: str) -> bool:
    """Tell whether a text is the name of a command in tags; the program writes what comes next."""
    return text.lstrip().startswith("<command-") and text.rstrip().endswith(_COMMAND_ENDS)


def stands_free(texts: Sequence[str], number: int, start: int, stop: int) -> bool:
    """Tell whether a stretch of a user's blocks stands in no page, tag, quotation or code fence.

    One that is a block of its own does: no page says where blocks end.
    """
    if number and names_command(texts[number - 1]):
        return False
    if texts[number].strip() == texts[number][start:stop].strip():
        return True
    before = [text for text in texts[:number] if not _ends_itself(text)]
    after = [text for text in texts[number + 1 :] if not _ends_itself(text)]
    lead = "\n\n".join((*before, texts[number][:start]))
    # Any word in its place, so that only what is around it counts.
    text = f"{lead}here" + "\n\n".join((texts[number][stop:], *after))
    others = _others(text, typed=True)
    return not _is_made(text) and not any(begin <= len(lead) < end for begin, end, _ in others)


def _cuts_across_blocks(message: Message) -> dict[int, list[Cut]]:
    """Return the cuts of a user's blocks read as one text: a fence may go on in the next block."""
    texts = {
        at: block.text
        for at, block in enumerate(message.blocks)
        if isinstance(block, Text) and not _ends_itself(block.text)
    }
    cuts = cuts_of("\n\n".join(texts.values()), "person")
    places = list(accumulate((len(said) for said, _, _ in cuts), initial=0))
    found: dict[int, list[Cut]] = {}
    start = 0
    for at, text in texts.items():
        stop = start + len(text)
        # Only the cuts of this block: to walk all of them for each block is quadratic.
        first, last = bisect_right(places, start) - 1, bisect_left(places, stop)
        found[at] = list(_cuts_within(cuts[first:last], start - places[first], len(text)))
        start = stop + 2
    return found


def _cuts_within(cuts: Sequence[Cut], start: int, length: int) -> Iterator[Cut]:
    """Yield the parts of cuts that a stretch of their text has, from `start` on."""
    at = 0
    for said, trust, prose in cuts:
        part = said[max(0, start - at) : max(0, start + length - at)]
        if part:
            yield part, trust, prose
        at += len(said)


def own_words(message: Message) -> str:
    """Return the sentences of a message that a person wrote, and none of other words."""
    if message.role != "user" or message.by != "caller":
        return ""
    pieces = split_by_author(message)
    return "".join(piece.text for piece in pieces if piece.trust == "person" and piece.prose)


# Every commit asks for what people typed in the whole session.
@lru_cache(maxsize=CUTS_KEPT)
def typed_text(message: Message, other: str = "") -> str:
    """Return what may be quoted under a person's name, with `other` where another's words stand."""
    mark = other.strip()
    if message.by != "caller" or message.role != "user":
        return ""
    quoted: list[str] = []
    last, is_own = "", False
    for piece in split_by_author(message):
        said = piece.text
        if piece.trust != "person":
            # One mark stands for all that comes between two words of a person.
            if not said.strip() or (mark and last.rstrip().endswith(mark)):
                continue
            said = last = other
        elif said.strip():
            last, is_own = said, True
        quoted.append(said)
    return "".join(quoted) * is_own


def cuts_of(text: str, author: Trust) -> tuple[Cut, ...]:
    """Return a text of an author, cut into stretches: the words, who wrote them, if prose."""
    if author == "tool":
        return ((text, "tool", False),)
    if len(text) > KEPT_LENGTH:
        return tuple(_cut(text, author))
    return _kept_cuts(text, author)


# Each reader of facts asks for the pieces of the same message in turn, and every commit
# tells what people typed.
@lru_cache(maxsize=CUTS_KEPT)
def _kept_cuts(text: str, author: Trust) -> tuple[Cut, ...]:
    return tuple(_cut(text, author))


def _cut(text: str, author: Trust) -> Iterator[Cut]:
    typed = author == "person"
    if typed and _is_made(text):
        yield text, "tool", True
        return
    at = 0
    read = _read_spans(text) if typed else [(0, len(text))]
    for start, stop, by_author in _others(text, typed):
        if stop <= at:
            continue
        yield from _own_cuts(text, at, max(at, start), author, read)
        yield text[max(at, start) : stop], author if by_author else "tool", False
        at = stop
    yield from _own_cuts(text, at, len(text), author, read)


def _is_made(text: str) -> bool:
    """Tell whether an agent's program wrote a text, by how it begins."""
    shape = outline(text)
    return shape.lstrip().startswith(_OPENINGS) or shape.startswith(_TEMPLATE)


def _ends_itself(text: str) -> bool:
    """Tell whether a block is a program's from its first word to its last."""
    opening = OPENING_TAG.match(text.strip())
    if opening is not None and not is_spoken(opening[1]):
        return text.rstrip().endswith(f"</{opening[1]}>")
    return _is_made(text)


def _others(text: str, typed: bool) -> list[tuple[int, int, bool]]:
    """Return what is not the author's prose, and whether it is the author's at all."""
    # A break of any kind begins what is distrusted, and nothing unseen hides its mark.
    shape = outline(text)
    found = [(start, stop, False) for start, stop in _steno_spans(text)]
    found += [(start, stop, not typed) for start, stop in quoted_lines(text, shape)]
    code = list(_code_spans(text, shape))
    found += [(start, stop, not typed) for start, stop in code]
    # A fenced page, which has more than one line, may hold fences of its own: what stands between
    # two of them is not read.
    fenced = ((span, text[slice(*span)]) for span in code)
    pages = [span for span, said in fenced if "\n" in said or said.count("```") < 2]
    found += [(before[1], after[0], True) for before, after in pairwise(pages)]
    if typed:
        if "<" in text:
            found += [(start, stop, False) for start, stop in tag_spans(shape)]
        found += [(*line.span(), False) for line in _MADE_LINE.finditer(shape)]
    joined: list[tuple[int, int, bool]] = []
    for start, stop, by_author in sorted(found):
        if joined and joined[-1][1] == start and joined[-1][2] == by_author:
            start = joined.pop()[0]
        joined.append((start, stop, by_author))
    return joined


def _steno_spans(text: str) -> Iterator[Span]:
    """Yield Steno's own fences, also if what stands in them was changed."""
    if "<steno-" not in text:
        return
    start = 0
    while found := _STENO_FENCE.search(text, start):
        closing = f"</steno-{found['digest']}>"
        end = text.find(closing, found.end())
        start = end + len(closing)
        if end < 0:
            start = len(text)
        yield found.start(), start


def _code_spans(text: str, shape: str) -> Iterator[Span]:
    """Yield code fences; one that is not closed holds the rest.

    As in Markdown, no shorter mark closes a fence. One with a language opens a fence within it:
    pages that models write hold such fences behind as few marks as their own.
    """
    begin, opened = 0, list[str]()
    for start, stop, mark, only_opens in _fence_marks(text, shape):
        if not opened:
            begin = start
        if only_opens or not opened:
            opened.append(mark)
            continue
        while len(opened) > 1 and mark.startswith(opened[-1]) and mark != opened[-1]:
            opened.pop()
        if mark.startswith(opened[-1]):
            opened.pop()
            if not opened:
                yield begin, stop
    if opened:
        yield begin, len(text)


def _fence_marks(text: str, shape: str) -> Iterator[tuple[int, int, str, bool]]:
    """Yield the marks of fences: backticks anywhere, others from where their line begins."""
    for found in _FENCE_MARK.finditer(shape):
        start, stop = found.span()
        line = shape.rfind("\n", max(0, start - 9), start) + 1  # a line may be very long
        begins_line = start - line <= 8 and not shape[line:start].strip(" \t")
        only_opens = (
            begins_line and found[0][0] in "`~" and _LANGUAGE.match(shape, stop) is not None
        )
        if found[0][0] != "`":
            if not begins_line:
                continue
            start = line
            only_opens = only_opens or text[line - 1 : line] not in "\n"
        yield start, stop, found[0], only_opens


def _read_spans(text: str) -> list[Span]:
    """Return what of a message is read: all of a short one, the ends of a long one."""
    if len(text) <= LONG:
        return [(0, len(text))]
    breaks = [found.span() for found in _BLANK_LINE.finditer(text.rstrip())]
    first, last = len(text), 0
    if breaks:
        first, last = breaks[0][0], breaks[-1][1]
    head, tail = min(first, LONG // 2), max(last, len(text) - LONG // 2)
    # Half a sentence may say the opposite of the whole.
    if head < first:
        head = max((found.end() for found in _STOP.finditer(text, 0, head)), default=head)
    if tail > last and (stop := _STOP.search(text, tail)):
        tail = stop.end()
    return [(0, head), (tail, len(text))]


def _own_cuts(text: str, start: int, stop: int, author: Trust, read: list[Span]) -> Iterator[Cut]:
    """Yield what the author wrote between two places, cut at lines of no prose."""
    for begin, end, is_read in _by_reading(start, stop, read):
        if author != "person":
            yield text[begin:end], author, True
        elif is_read:
            yield from ((part, author, prose) for part, prose in prose_runs(text[begin:end]))
        else:
            yield from _listed_cuts(text[begin:end], author)


def _listed_cuts(said: str, author: Trust) -> Iterator[Cut]:
    """Yield what is not read of a long message, apart from rules among its list items.

    A plan that was pasted has many items that bind nobody; few begin with always, never or only.
    """
    for part, prose in prose_runs(said):
        lines = groupby(_LINE.findall(part), lambda line: bool(_listed_rule().match(line.lower())))
        for is_rule, run in lines:
            yield "".join(run), author, prose and is_rule


@cache
def _listed_rule() -> re.Pattern[str]:
    words = rows_pattern("absolute")
    return re.compile(rf"{ITEM.pattern}\W{{0,4}}(?:\w+ (?:must|should|may|can) )?(?:{words})")


def _by_reading(start: int, stop: int, read: list[Span]) -> Iterator[tuple[int, int, bool]]:
    at = start
    for begin, end in read:
        if end <= at or begin >= stop:
            continue
        if begin > at:
            yield at, begin, False
        yield max(at, begin), min(stop, end), True
        at = min(stop, end)
    if at < stop:
        yield at, stop, False
