"""`steno demo`: replay the story, or show one technique before and after."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from steno.cli.demo.painter import DemoPainter
from steno.cli.demo.replay import prove_replay, replay_story, replay_summary
from steno.cli.demo.techniques import print_technique, run_technique
from steno.cli.options import DONE, FAILED, parse_size
from steno.cli.output import print_json


def demo(
    technique: Annotated[
        str | None,
        typer.Argument(
            metavar="[TECHNIQUE]", help="micro, auto, force or memory. Default: the whole story."
        ),
    ] = None,
    window: Annotated[
        int,
        typer.Option(parser=parse_size, metavar="SIZE", help="Tokens the model's window holds."),
    ] = 16_000,
    fast: Annotated[bool, typer.Option("--fast", help="Print without pauses.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print only the numbers, as JSON.")
    ] = False,
    model: Annotated[
        str,
        typer.Option(
            "--model", "-m", metavar="MODEL", help="The model that writes summaries, if any."
        ),
    ] = "script:demo",
) -> int:
    """Replay a long session under a small window, turn by turn.

    A coding agent looks for a bug in some 130,000 tokens; the model's window holds 16,000. Each
    line is one request and shows what fills the window; each commit says what it covered. At the
    end every message is opened again and compared with the original. Needs no key and no network.
    Exit code 1 if a check fails.

    With a name, one technique before and after, side by side: micro (old results shrink after
    every round), auto (what happens under pressure), force (compact now, with a focus), memory
    (what is remembered beside the conversation).

    Examples

      steno demo                         with pauses to read along
      steno demo force                   before and after, side by side
      steno demo --fast --window 64000   all at once, in a larger window
      steno demo --json                  only the numbers
    """
    console = Console(highlight=False, markup=False)
    if technique is not None:
        shown = run_technique(technique, model)
        if as_json:
            print_json(shown.summary)
        else:
            print_technique(console, shown)
        return DONE
    replay = replay_story(window)
    proof = prove_replay(replay)
    if as_json:
        print_json(replay_summary(replay, proof))
    else:
        DemoPainter(console, slow=console.is_terminal and not fast).show(replay, proof)
    if proof.holds and replay.fits:
        return DONE
    return FAILED
