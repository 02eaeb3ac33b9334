"""`steno demo`: replay the story, or show one technique before and after."""

from __future__ import annotations

from typing import Annotated

from steno.cli.demo import scripted_model
from steno.cli.demo.painter import WIDTH, DemoPainter
from steno.cli.demo.replay import prove_replay, replay_story, replay_summary
from steno.cli.demo.techniques import print_lab, run_lab
from steno.cli.options import DONE, FAILED, argument, flag, option, parse_window
from steno.cli.output import TerminalPage, print_json
from steno.core.errors import BadInput


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
    fast: Annotated[bool, flag("--fast", "Print without pauses.")] = False,
    as_json: Annotated[bool, flag("--json", "Print only the numbers, as JSON.")] = False,
    model: Annotated[
        str, option("--model -m", "MODEL", "The model that writes summaries, if any.")
    ] = "script:demo",
) -> int:
    """Replay a long session under a small window, turn by turn.

    A coding agent looks for a bug in some 130,000 tokens; the model's window holds 16,000. Each
    line is one request and shows what fills the window; each commit says what it covered. At the
    end every message is opened again and compared with the original. Needs no key and no network.
    Exit code 1 if a check fails.

    `lab` shows one conversation under four techniques, side by side: micro (old results shrink
    after every round), auto (the middle is summarized under pressure), force (compact now, with a
    focus), memory (what the next session is offered). The name of one shows it beside the original.
    A script writes the summaries unless --model names a model.

    Examples

      steno demo                         with pauses to read along
      steno demo lab                     four techniques, side by side
      steno demo force -w 8k             one of them, beside what was said
      steno demo --fast --window 64000   all at once, in a larger window
      steno demo --json                  only the numbers
    """
    if technique is not None:
        lab = run_lab(technique, model, window)
        if as_json:
            print_json(lab.summary)
        else:
            print_lab(TerminalPage().console, lab)
        return DONE
    if model != scripted_model.NAME:
        raise BadInput("--model is for the techniques: steno demo lab")
    replay = replay_story(window)
    proof = prove_replay(replay)
    if as_json:
        print_json(replay_summary(replay, proof))
    else:
        page = TerminalPage(widest=WIDTH)
        DemoPainter(page, slow=page.console.is_terminal and not fast).show(replay, proof)
    if proof.holds and replay.fits:
        return DONE
    return FAILED
