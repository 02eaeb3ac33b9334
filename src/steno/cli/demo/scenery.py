"""The invented project that the story plays in: its files, its test runs, its logs.

Everything is made here from a name and a seed, so that the same story is told
every time, and nothing in it was ever anybody's. What happens is the story's
business; this is only what the agent finds when it looks.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")

MARKETS = {
    "at": ("Austria", "20", "10"),
    "be": ("Belgium", "21", "6"),
    "de": ("Germany", "19", "7"),
    "dk": ("Denmark", "25", "0"),
    "es": ("Spain", "21", "4"),
    "fi": ("Finland", "25.5", "14"),
    "fr": ("France", "20", "5.5"),
    "ie": ("Ireland", "23", "9"),
    "it": ("Italy", "22", "4"),
    "nl": ("the Netherlands", "21", "9"),
    "pl": ("Poland", "23", "5"),
    "pt": ("Portugal", "23", "6"),
    "se": ("Sweden", "25", "6"),
    "gb": ("Great Britain", "20", "0"),
}
GOODS = (
    "books",
    "maps",
    "sheet_music",
    "periodicals",
    "prints",
    "postage",
    "gift_wrap",
    "vouchers",
    "repairs",
)
DUTIES = {
    "line_net": "Price times quantity, before discount.",
    "line_tax": "Tax on one line.",
    "discounted": "The line after its discount, which never goes below nothing.",
    "reverse_charge": "Whether the buyer owes the tax instead of us.",
    "credit_note": "The same invoice with its signs turned.",
    "footer": "The sentence that the law wants under the total.",
    "threshold": "Turnover from which on we must register there.",
    "is_exempt": "Whether nothing is owed on these goods.",
}


ROUNDING = """\
# How Finch rounds

Every amount is a Decimal in pounds or euros. A price has two places, a rate up to four, and whatever comes
of multiplying them has as many as it needs until somebody has to pay it.

- Rounding is half up, as the shops expect; never half even, which the old system did on Tuesdays only.
- Tax is rounded where it is owed. Whether that is on the line or on the invoice is for the market to say:
  most allow both, and none allows mixing the two on one page.
- A credit note turns the signs of an invoice that was already rounded. It never computes again.

If a printed total does not match its lines, then two of these were done in one place. Look there first.
"""
BACKFILL = """\
#!/bin/sh
# Recompute the stored totals of old invoices. Talks to the PRODUCTION database: ask before you run it.
set -eu
: "${FINCH_DB:=postgres://invoices@db.finch.internal/production}"
echo "backfill: ten seconds to change your mind"
sleep 10
psql "$FINCH_DB" -v ON_ERROR_STOP=1 <<SQL
begin;
update invoices set total = recomputed(id) where printed_on < '2031-03-14' and total <> recomputed(id);
insert into audit (who, what, rows) select current_user, 'backfill', count(*) from invoices;
commit;
SQL
"""


class Dice(Random):
    """Throws that are the same on every machine: only `random()` is promised to be."""

    def pick(self, among: Sequence[T]) -> T:
        return among[int(self.random() * len(among))]

    def upto(self, most: int) -> int:
        return int(self.random() * most)


def tree() -> str:
    """What lists at the root of the project."""
    rows = [
        "README.md",
        "Makefile",
        "pyproject.toml",
        "finch/__init__.py",
        "finch/invoice.py",
        "finch/money.py",
    ]
    rows += ["finch/discounts.py", "finch/render.py", "finch/vat/__init__.py", "finch/vat/base.py"]
    rows += ["tests/conftest.py", "tests/test_invoice.py", "tests/test_discounts.py"]
    for code in MARKETS:
        rows += [f"finch/vat/{code}.py", f"finch/pages/{code}.html", f"tests/vat/test_{code}.py"]
    rows += ["scripts/backfill.sh", "logs/nightly.log", "docs/rounding.md"]
    return "\n".join(rows)


def module(name: str, title: str, duties: int = 7, rows: int = 12) -> str:
    """A plausible source file."""
    dice = Dice(f"module {name}")
    parts = [f'"""{title}."""\n\nfrom __future__ import annotations\n']
    parts.append("from datetime import date\nfrom decimal import ROUND_HALF_UP, Decimal\n")
    parts.append("from finch.money import Money, pence\nfrom finch.vat.base import Line, Vat\n\n")
    table = "\n".join(_rate(dice, at) for at in range(rows))
    parts.append(f"RATES: dict[tuple[str, date], Decimal] = {{\n{table}\n}}\n")
    wanted = sorted(DUTIES, key=lambda _: dice.random())[:duties]
    parts += [_function(dice, duty, name) for duty in wanted]
    return "\n".join(parts)


def _rate(dice: Dice, at: int) -> str:
    since = f"{2009 + at}, {1 + dice.upto(12)}, 1"
    return f'    ("{dice.pick(GOODS)}", date({since})): Decimal("0.{dice.upto(26):02}{dice.pick("05")}"),'


def _function(dice: Dice, duty: str, name: str) -> str:
    goods, limit = dice.pick(GOODS), 100 * (1 + dice.upto(900))
    body = dice.pick(
        (
            f'    if line.kind == "{goods}" and line.net > pence({limit}):\n'
            f"        return line.net * RATES[line.kind, line.supplied]\n"
            f"    share = (line.net * self.share(line)).quantize(Decimal('0.01'), ROUND_HALF_UP)\n"
            f"    return share if share > 0 else Money.zero(line.currency)",
            f"    known = [since for kind, since in RATES if kind == line.kind and since <= line.supplied]\n"
            f"    if not known:\n"
            f'        raise LookupError(f"no rate for {{line.kind!r}} in {name} on {{line.supplied}}")\n'
            f"    return line.net * RATES[line.kind, max(known)]",
            f"    total = Money.zero(line.currency)\n"
            f"    for part in line.parts:\n"
            f"        # {goods} were moved to the reduced rate in {2012 + dice.upto(12)}\n"
            f'        rate = self.reduced if part.kind in ("{goods}", "{dice.pick(GOODS)}") else self.standard\n'
            f"        total += round_each(part.net * rate)\n"
            f"    return total",
            f"    words = self.words[line.language]\n"
            f"    if line.net < pence({limit}):\n"
            f"        return words.small.format(net=line.net, kind=line.kind)\n"
            f'    return words.full.format(net=line.net, tax=self.line_tax(line), since="{2001 + dice.upto(22)}")',
        )
    )
    return f'\ndef {duty}(self: Vat, line: Line) -> Money:\n    """{DUTIES[duty]}"""\n{body}\n'


def tests(name: str, rows: int = 18) -> str:
    """A plausible file of tests."""
    dice = Dice(f"tests {name}")
    cases = "\n".join(
        f'    ("{dice.pick(GOODS)}", {1 + dice.upto(40)}, "{dice.upto(90)}.{dice.upto(100):02}", '
        f'"{dice.upto(500)}.{dice.upto(100):02}"),'
        for _ in range(rows)
    )
    return (
        f"import pytest\n\nfrom finch.vat import {name}\nfrom tests.conftest import line\n\n"
        f"CASES = [\n{cases}\n]\n\n\n"
        f'@pytest.mark.parametrize(("kind", "quantity", "price", "total"), CASES)\n'
        f"def test_totals(kind, quantity, price, total):\n"
        f"    assert str({name}.total(line(kind, quantity, price))) == total\n"
    )


def passing(paths: Sequence[str]) -> str:
    """A test run without a failure."""
    counts = [(path, 9 + Dice(path).upto(40)) for path in paths]
    rows = "\n".join(f"{path:<28} {'.' * count}" for path, count in counts)
    total = sum(count for _, count in counts)
    return f"$ pytest -q\n{rows}\n\n{total} passed in {1 + Dice(rows).upto(300) / 100:.2f}s\n[exit code 0]"


def passing_each(path: str) -> str:
    """The same, told test by test."""
    dice = Dice(f"each {path}")
    count = 28 + dice.upto(24)
    rows = (
        f"{path}::test_totals[{dice.pick(GOODS)}-{1 + dice.upto(40)}-{dice.upto(90)}.{dice.upto(100):02}] "
        f"PASSED [{100 * at // count:>3}%]"
        for at in range(1, count + 1)
    )
    return "\n".join(
        [
            f"$ pytest -v {path}",
            f"collected {count} items\n",
            *rows,
            f"\n{count} passed\n[exit code 0]",
        ]
    )


def failing(path: str, failures: int = 4) -> str:
    """A test run with failures, each off by a penny."""
    dice = Dice(f"failing {path}")
    parts = [
        f"$ pytest -q {path}",
        f"{'F' * failures}{'.' * (10 + dice.upto(30))}",
        "=" * 30 + " FAILURES " + "=" * 30,
    ]
    names = []
    for at in range(failures):
        kind, quantity, price = (
            dice.pick(GOODS),
            1 + dice.upto(40),
            f"{dice.upto(90)}.{dice.upto(100):02}",
        )
        total = 100 + dice.upto(40_000)
        want, got = f"{total / 100:.2f}", f"{(total + dice.pick((-1, 1))) / 100:.2f}"
        names.append(
            f"FAILED {path}::test_totals[{kind}-{quantity}-{price}-{want}] - AssertionError"
        )
        parts += [
            f"____ test_totals[{kind}-{quantity}-{price}-{want}] ____\n",
            f"kind = '{kind}', quantity = {quantity}, price = '{price}', total = '{want}'\n",
            "    def test_totals(kind, quantity, price, total):",
            ">       assert str(total_of(line(kind, quantity, price))) == total",
            f"E       AssertionError: assert '{got}' == '{want}'\nE         - {want}\nE         + {got}\n",
            f"{path}:{30 + at}: AssertionError",
        ]
    return "\n".join(
        [*parts, "=" * 26 + " short test summary " + "=" * 26, *names, "[exit code 1]"]
    )


def diff(path: str, name: str) -> str:
    """What an edit changed."""
    at = 40 + Dice(path).upto(60)
    return (
        f"--- a/{path}\n+++ b/{path}\n@@ -{at},7 +{at},6 @@ def line_tax(self: Vat, line: Line) -> Money:\n"
        f"     total = Money.zero(line.currency)\n     for part in line.parts:\n"
        f"-        total += round_each(part.net * rate)\n-    return total\n"
        f"+        total += part.net * rate\n+    return self.round_once(total, {name!r})\n"
    )


def grep(word: str, paths: Sequence[str]) -> str:
    """Where a word occurs."""
    dice = Dice(f"grep {word}")
    rows = (
        f"{path}:{5 + dice.upto(180)}:        total += {word}(part.{dice.pick(('net', 'gross'))} * rate)"
        for path in paths
    )
    return "\n".join(rows)


def template(name: str, sections: int = 9) -> str:
    """The page that an invoice is printed from."""
    dice = Dice(f"template {name}")
    parts = [
        f'<article class="invoice {name}" lang="{name}">',
        "  <header>{{ shop.name }}, {{ shop.street }}</header>",
    ]
    for at in range(sections):
        goods = dice.pick(GOODS)
        parts += [
            f'  <section id="{goods}-{at}" style="margin: {dice.upto(9)}mm {dice.upto(20)}mm">',
            f"    {{% for line in invoice.lines if line.kind == '{goods}' %}}",
            f'    <tr class="{dice.pick(("odd", "even", "wide"))}">',
            f"    <td>{{{{ line.title | truncate({30 + dice.upto(40)}) }}}}</td>",
            f"    <td>{{{{ line.quantity }}}} × {{{{ line.price | money('{name}') }}}}</td>",
            f"    <td>{{{{ line.{dice.pick(('net', 'gross', 'tax'))} | money('{name}') }}}}</td></tr>",
            "    {% endfor %}\n  </section>",
        ]
    return "\n".join([*parts, "  <footer>{{ vat.footer(invoice) }}</footer>", "</article>"])


def printout(name: str, lines: int = 14) -> str:
    """An invoice as it comes out of the printer, in plain text."""
    dice = Dice(f"printed {name}")
    rows, total = [], 0
    for _ in range(lines):
        pennies = 100 + dice.upto(9_000)
        total += pennies
        rows.append(
            f"{dice.pick(GOODS):<14} {1 + dice.upto(9):>3} {pennies / 100:>10.2f}  {dice.pick(('A', 'B'))}"
        )
    head = f"$ python -m finch.render --market {name} --text\nInvoice F-{40_000 + dice.upto(9_000)}"
    return "\n".join(
        [head, "-" * 34, *rows, "-" * 34, f"{'total':<18} {total / 100:>10.2f}", "[exit code 0]"]
    )


def nightly(lines: int) -> str:
    """The log of a night's invoices: long, and nearly all of it is of no use."""
    dice = Dice("nightly")
    seconds = 2 * 3_600
    rows = []
    for at in range(lines):
        seconds += dice.upto(5)
        stamp = f"2031-03-14T{seconds // 3_600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}Z"
        rows.append(f"{stamp} {_log_line(dice, at)}")
    rows[lines * 5 // 8] = (
        "2031-03-14T02:51:07Z ERROR finch.total drift of 0.01 after 3 lines: per-line rounding in vat/fr"
    )
    return "\n".join(rows)


def _log_line(dice: Dice, at: int) -> str:
    invoice, code = f"F-{31_000 + at}", dice.pick(tuple(MARKETS))
    amount = f"{dice.upto(900)}.{dice.upto(100):02} EUR"
    return dice.pick(
        (
            f"INFO  finch.render invoice={invoice} market={code} pages={1 + dice.upto(4)} ms={dice.upto(900)}",
            f"INFO  finch.total invoice={invoice} lines={1 + dice.upto(30)} net={amount}",
            f"DEBUG finch.vat market={code} rate lookup for {dice.pick(GOODS)} took {dice.upto(80)} us, cache hit",
            f"DEBUG finch.mail queued {invoice}.pdf for customer {dice.upto(90_000):05} in {code}",
            f"WARN  finch.render invoice={invoice} font Garamond missing a glyph, fell back to serif",
            f"INFO  finch.store saved {invoice} in {dice.upto(40)} ms, journal at {4_096 * dice.upto(9_000)}",
        )
    )


def picture(width: int = 640, height: int = 480) -> str:
    """A small PNG of a striped page, as base64."""
    row = b"\0" + bytes((x // 40 % 2) * 90 + 150 for x in range(width))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(row * height, 9)), (b"IEND", b""))
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + body).decode()
