"""Draw the README's picture from the demo's session: `python scripts/make_picture.py`.

On the left the load of each request, with Steno and without; on the right what the last
request is made of, before and after. All numbers are counted in the run that draws it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from steno.cli.demo.replay import WINDOW_PARTS, DemoReplay, replay_story
from steno.inspector.describe import kind_of

OUT = Path(__file__).resolve().parent.parent / "docs" / "plots" / "demo.svg"
WINDOW = 16_000
TOP = 48_000
"""Tokens at the upper edge of the chart: the line without Steno goes on beyond it."""
COLOURS = {
    "prompt": "#8b949e",
    "shorthand": "#8250df",
    "user": "#1a7f37",
    "assistant": "#0969da",
    "results": "#bf8700",
}
WORDS = {
    "prompt": "prompt, tools",
    "shorthand": "Steno's shorthand",
    "user": "people",
    "assistant": "agent",
    "results": "tool results",
}


def text(x: float, y: float, words: str, colour: str = "#57606a", anchor: str = "start") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" fill="{colour}" text-anchor="{anchor}">{words}</text>'


def line(points: Sequence[tuple[float, float]], colour: str, width: float, dash: str = "") -> str:
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return (
        f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="{width}" '
        f'stroke-dasharray="{dash}"/>'
    )


def load_chart(replay: DemoReplay) -> list[str]:
    """Draw the load of each request over time."""
    left, top, wide, high = 52, 34, 430, 216

    def place(turn: int, tokens: int) -> tuple[float, float]:
        x = left + wide * turn / len(replay.frames)
        return x, top + high * (1 - min(tokens, TOP) / TOP)

    said = [place(frame.turn, frame.said) for frame in replay.frames if frame.said <= TOP * 1.05]
    shown = [place(frame.turn, frame.load) for frame in replay.frames]
    _, limit = place(0, WINDOW)
    parts = [
        text(left, 18, "tokens in each request of the demo's session"),
        line([(left, top), (left, top + high), (left + wide, top + high)], "#8b949e", 1),
        line([(left, limit), (left + wide, limit)], "#cf222e", 1.5, "5 4"),
        text(left + wide, limit - 6, "the model's window: 16,000", "#cf222e", "end"),
        line(said, "#8b949e", 2),
        text(said[-1][0] + 8, top + 8, f"without Steno: on to {replay.total_tokens:,}"),
        line(shown, "#8250df", 2),
        text(left + wide, shown[-1][1] + 34, "with Steno", "#8250df", "end"),
        text(left + wide, top + high + 18, f"{len(replay.frames)} requests", anchor="end"),
    ]
    for tokens in (0, 16_000, 32_000, 48_000):
        _, y = place(0, tokens)
        parts.append(text(left - 6, y + 4, f"{tokens // 1000}k", anchor="end"))
    return parts


def part_bars(replay: DemoReplay) -> list[str]:
    """Draw what everything that was said, and the last request, are made of."""
    last = replay.frames[-1].sent
    said: Counter[str] = Counter({"prompt": last["prompt"]})
    view = replay.session.view
    for message, item in zip(view.messages, view.arrivals, strict=True):
        said[kind_of(message)] += item.tokens
    parts = []
    columns = ((said, "all that was said"), (last, "what the model reads"))
    for at, (counts, words) in enumerate(columns):
        x, y, high = 530 + at * 150, 250.0, 216
        total = sum(counts.values())
        for kind in WINDOW_PARTS:
            share = high * counts.get(kind, 0) / total
            y -= share
            parts.append(
                f'<rect x="{x}" y="{y:.1f}" width="90" height="{share:.1f}" '
                f'fill="{COLOURS[kind]}"/>'
            )
        parts.append(text(x + 45, 18, words, anchor="middle"))
        parts.append(text(x + 45, 268, f"{total:,} tokens", anchor="middle"))
    for at, kind in enumerate(WINDOW_PARTS):
        parts.append(
            f'<rect x="800" y="{60 + at * 24}" width="12" height="12" fill="{COLOURS[kind]}"/>'
        )
        parts.append(text(818, 71 + at * 24, WORDS[kind]))
    return parts


def main() -> None:
    replay = replay_story(WINDOW)
    assert replay.first_overflow is not None
    parts = [*load_chart(replay), *part_bars(replay)]
    head = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 940 284" font-size="12" '
        'font-family="system-ui, sans-serif" role="img" aria-label="With Steno the load stays '
        f'under the window; without it the session ends at request {replay.first_overflow.turn}">'
    )
    background = '<rect width="940" height="284" fill="#ffffff"/>'
    OUT.write_text("\n".join([head, background, *parts, "</svg>"]) + "\n")


if __name__ == "__main__":
    main()
