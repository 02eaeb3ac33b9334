"""`steno demo`: replay the story, or show one technique before and after.

Lines are printed one after another and never redrawn, in 80 columns, so that a pipe shows
what a terminal shows, uncut. What is counted and compared is in `replay.py`.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated

from steno import Commit, Session
from steno.cli.demo import scripted_model
from steno.cli.demo.replay import (
    WINDOW_PARTS,
    DemoFrame,
    DemoReplay,
    Parts,
    replay_story,
    replay_summary,
)
from steno.cli.demo.techniques import print_lab, run_lab
from steno.cli.options import DONE, argument, exit_code, flag, option, parse_window
from steno.cli.output import NOTE, QUIET, StyledText, TerminalPage, print_json, print_report
from steno.cli.show import print_items
from steno.cli.window_map import KIND_STYLES, bar_cells, cell_of
from steno.core.errors import BadInput
from steno.events import Committed
from steno.inspector.conversation import LoadedConversation
from steno.inspector.describe import first_words
from steno.inspector.reports import edited_lines
from steno.inspector.window_map import KIND_WORDS, WindowMap, limit_marks

WIDTH = 80
BAR = 32
SPOKEN_LEAST = 80
"""Characters of a message that is worth quoting in the proof."""
SNIPPET = (
    "import steno",
    "result = steno.compact(messages, window=128_000)    # any provider's list",
    "client.messages.create(**result.request, model=…, max_tokens=…)",
)


def demo(
    technique: Annotated[
        str | None,
        argument(
            "[TECHNIQUE]", "micro, auto, force, memory, or lab for all. Default: the whole story."
        ),
    ] = None,
    window: Annotated[
        int, option("--window -w", "SIZE", "Tokens the model's window holds.", parser=parse_window)
    ] = 16_000,
    as_json: Annotated[bool, flag("--json", "Print only the numbers, as JSON.")] = False,
    model: Annotated[
        str, option("--model -m", "MODEL", "The model that writes summaries, if any.")
    ] = "script:demo",
) -> int:
    """Replay a long session under a small window, turn by turn.

    A coding agent looks for a bug in a window of 16,000 tokens. Each line is one request and shows
    what fills the window; each commit says what it covered. At the end every message is opened
    again and compared with the original. It needs no key. Exit code 1 if a check fails.

    `lab` shows one conversation under four techniques, side by side: micro (old results shrink
    after every round), auto (the middle is summarized under pressure), force (compact now, with a
    focus), memory (what the next session is offered). The name of one shows it beside the original.
    A script writes the summaries unless --model names a model.

    Examples

      steno demo                         the whole story
      steno demo lab                     four techniques, side by side
      steno demo force -w 8k             one of them, beside what was said
      steno demo --window 64000          in a larger window
      steno demo --json                  only the numbers
    """
    if technique is not None:
        lab = run_lab(technique, model, window)
        print_report(lab.summary, as_json, partial(print_lab, lab))
        return DONE
    if model != scripted_model.NAME:
        raise BadInput("--model is for the techniques: steno demo lab")
    replay = replay_story(window)
    if as_json:
        print_json(replay_summary(replay))
    else:
        DemoPainter(TerminalPage(widest=WIDTH)).show(replay)
    return exit_code(replay.holds)


class DemoPainter:
    def __init__(self, page: TerminalPage) -> None:
        self.page = page

    def show(self, replay: DemoReplay) -> None:
        self._print_intro(replay)
        for frame in replay.frames:
            self._print_frame(frame, replay)
        self._print_view(replay)
        self._print_proof(replay)
        self.page.heading("Try it on your own list")
        for line in SNIPPET:
            self.page.line((line, "cyan"), indent=2)

    def _print_intro(self, replay: DemoReplay) -> None:
        line, budget = self.page.line, replay.session.budget
        title = f"An agent says {replay.total_tokens:,} tokens to a model that holds "
        line((f"{title}{budget.window:,}.", "bold"))
        requests = len(replay.frames)
        line(f"It looks for a bug in {requests} requests: an invented story, no key, no network.")
        line("When the load passes soft, Steno brings it down to goal: it shows the oldest part")
        line("in short. It deletes nothing: at the end every message is opened and compared.")
        line()
        line("Each line is one request; the bar is what fills the window:")
        legend: list[StyledText] = []
        for kind in WINDOW_PARTS:
            style, words = KIND_STYLES[kind][1], KIND_WORDS[kind]
            legend += [(cell_of(self.page, kind), style), f" {words}   "]
        line(*legend, indent=2)
        limits = [f"{glyph} {name} {load:,}   " for load, name, glyph in limit_marks(budget)]
        line(*limits, f"░ {budget.reserve:,} kept free for the reply", indent=2)
        line("Messages are numbered from 0: 1-40 is a span of them, 8.0 the first block of 8.")
        line()
        line((f"   #  tokens  {'the window':<{BAR}}  what was new", QUIET))

    def _print_frame(self, frame: DemoFrame, replay: DemoReplay) -> None:
        session = replay.session
        self._print_bar(f"{frame.turn:>4}", frame.before, session, _new_words(frame, session))
        for at in frame.new:
            if any(message.by == "steno" for message in session.view.arrivals[at].shows):
                words = f"the call before {at} has no result: one that says so is shown"
                self._print_note("repaired", words)
        if frame is replay.first_overflow:
            words = f"Without Steno the session ends here: {frame.said:,} tokens do not fit."
            self.page.line((words, "bold red"), indent=6)
        for event in frame.events:
            if isinstance(event, Committed):
                self._print_commit(session.log.commits[event.number], event)
        if frame.before != frame.sent:
            self._print_bar("   →", frame.sent, session, "what the model is shown instead")

    def _print_bar(self, head: str, parts: Parts, session: Session, words: str) -> None:
        window = WindowMap(tuple(parts.items()), session.budget)
        end = " "
        if window.load > session.budget.window:
            end = "▶"
        self.page.line(
            f"{head} {window.load:>7,}  ",
            *bar_cells(self.page, window, BAR),
            (end, "red"),
            (f" {words}", QUIET),
        )

    def _print_commit(self, commit: Commit, event: Committed) -> None:
        why = f"{event.why} pressure"
        if event.why == "arrival":
            why = "too large to add whole"
        words = f"{why}: {event.before:,} → {event.after:,} tokens"
        self._print_note(f"commit {event.number}", words)
        for line in edited_lines((edit.by, edit.place) for edit in commit.edits):
            self._print_note("", f"{line}; from {event.boundary} on all is verbatim")

    def _print_note(self, name: str, words: str) -> None:
        self.page.line((f"{name}  ", f"bold {NOTE}"), (words, NOTE), indent=6)

    def _print_view(self, replay: DemoReplay) -> None:
        session = replay.session
        count = len(replay.messages)
        title = f"What the model sees at the end: {session.load:,} tokens for {count} messages"
        self.page.heading(title)
        print_items(self.page, LoadedConversation.of_session(session))
        for item in session.view.items:
            if item.main is None and item.shows:
                self.page.heading("The summary, as the model reads it")
                for line in item.shows[0].text.splitlines():
                    self.page.line((line, NOTE), indent=2)
                break

    def _print_proof(self, replay: DemoReplay) -> None:
        session = replay.session
        self.page.heading("Can every word be read back?")
        for at in replay.hidden_positions:
            text = session.log.messages[at].text
            if len(text) > SPOKEN_LEAST:
                span = session.view.at(at).span
                words = f"what the agent said, now in the summary of {span}:"
                self.page.line((f"session.open({at})  ", QUIET), words, indent=2)
                self.page.sentence(f"“{text}”", "cyan", indent=4)
                break
        self.page.line()
        said = len(replay.messages)
        count = f"{said - len(replay.unequal)} of {said} messages"
        self._print_verdict(not replay.unequal, f"{count} open word for word as they were said;")
        hidden = len(replay.hidden_positions)
        self.page.line(f"{hidden} of them the model no longer sees as they were said", indent=4)
        budget = session.budget
        fitting = sum(frame.load <= budget.usable for frame in replay.frames)
        count = f"{fitting} of {len(replay.frames)} requests"
        self._print_verdict(replay.fits, f"{count} fit the window of {budget.window:,};")
        fullest = f"{replay.fullest.load:,} of {budget.usable:,} usable tokens"
        self.page.line(f"the fullest held {fullest}", indent=4)

    def _print_verdict(self, holds: bool, words: str) -> None:
        mark = ("✗ ", "bold red")
        if holds:
            mark = ("✓ ", "bold green")
        self.page.line(mark, words, indent=2)


def _new_words(frame: DemoFrame, session: Session) -> str:
    """Say in a few words what was new: what the user said, or what the agent called."""
    new = session.log.messages[frame.new.start : frame.new.stop]
    telling = [message for message in new if not message.only_results]
    return first_words([*new, *telling][-1])
