"""Draw what policies keep against what they cost: one dot a policy, in plain SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

WIDTH, HEIGHT, LEFT, BELOW, ABOVE, RIGHT = 720, 420, 60, 50, 40, 110
INK, QUIET, OURS, OTHERS = "#57606a", "#d0d7de", "#8250df", "#0969da"

Dot = tuple[str, float, float]


def scatter(title: str, across: str, up: str, dots: Sequence[Dot], ours: Sequence[str]) -> str:
    """Draw the policies between nothing and everything visible; ours stand out."""
    most = max(x for _, x, _ in dots) * 1.05

    def at(x: float, y: float) -> tuple[float, float]:
        return LEFT + x / most * (WIDTH - LEFT - RIGHT), HEIGHT - BELOW - y * (
            HEIGHT - BELOW - ABOVE
        )

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        _text(LEFT, 22, title, INK, size=14),
    ]
    for share in (0, 0.25, 0.5, 0.75, 1):
        _, y = at(0, share)
        parts.append(
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="{QUIET}"/>'
        )
        parts.append(_text(LEFT - 8, y + 4, f"{share:.0%}", INK, anchor="end"))
    step = _step(most)
    ticks = [n * step for n in range(int(most / step) + 1)]
    parts += [
        _text(at(x, 0)[0], HEIGHT - BELOW + 18, f"{x:g}", INK, anchor="middle") for x in ticks
    ]
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, across, INK, anchor="middle"))
    parts.append(_text(LEFT, ABOVE - 2, up, INK))
    for name, x, y in dots:
        px, py = at(x, y)
        colour = OURS if name in ours else OTHERS
        parts.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="5" fill="{colour}"/>')
        parts.append(_text(px + 9, py + 4, name, colour))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _step(most: float) -> float:
    """Return a round distance for four to eight ticks."""
    scale = 1.0
    while most / scale > 8:
        scale *= 2.5 if f"{scale:g}".startswith("2") else 2
    return scale


def _text(
    x: float, y: float, words: str, colour: str, *, anchor: str = "start", size: int = 12
) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} fill="{colour}" font-size="{size}">{escape(words)}</text>'
