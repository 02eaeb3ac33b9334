"""Every number that a user page reports as measured has its command on the page of figures."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from steno.adapters.recall import recall_tool
from steno.core.budget import default_reserve
from steno.engine.policy import Policy
from steno.memory.offer import OFFER_MOST, OFFER_SHARE
from steno.providers import get_wire
from steno.recall.described import HITS
from steno.session.session import Session
from steno.summary.constraints_block import PINNED_LEAST, PINNED_SHARE
from tests.docs.test_promises import CODE, DOCS, ROOT, USER_PAGES

FIGURES = DOCS / "internals" / "figures.md"
MEASURED = re.compile(
    r"(?<![\w.\]-])0?\.\d{2,3}\b(?!\.)|\b\d[\d.]* (?:ms|MB|GB)\b|\b\d+ of \d+\b(?!,)"
    r"|\b\d+\.\d+M\b|\$\d"
)
"""How a share, a time, a size in memory, a count of cases or a sum of money is written."""
INLINE = re.compile(r"`[^`\n]+`")
TOOL = {
    "openai": ("gpt-5", {"type": "function", "function": {"name": "look"}}),
    "anthropic": ("claude-sonnet-4-5", {"name": "look", "input_schema": {"type": "object"}}),
}


def page_text(name: str) -> str:
    folder = ROOT if name == "README.md" else DOCS
    return " ".join((folder / name).read_text("utf-8").split())


def rows() -> list[list[str]]:
    lines = FIGURES.read_text("utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "|" in line]
    return [row for row in cells if row[0].endswith(".md")]


def measured_sections() -> Iterator[tuple[str, str]]:
    for page in USER_PAGES:
        heading = ""
        for line in INLINE.sub("", CODE.sub("", page.read_text("utf-8"))).splitlines():
            if line.startswith("#"):
                heading = line.lstrip("# ")
            elif MEASURED.search(line):
                yield page.name, heading


def test_every_section_that_reports_a_measurement_is_listed() -> None:
    listed = {(row[0], row[1]) for row in rows()}
    assert set(measured_sections()) - listed == set(), "add it to docs/internals/figures.md"


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row[0]}: {row[2]}")
def test_a_listed_figure_stands_on_its_page(row: list[str]) -> None:
    assert row[2] in page_text(row[0])
    if row[4].startswith("`test_"):
        sources = (file.read_text("utf-8") for file in (ROOT / "tests").rglob("test_*.py"))
        assert any(f"def {row[4].strip('`')}(" in source for source in sources)


def tool_tokens(wire: str) -> int:
    """Return what the definition of `recall` adds to a request that has a tool."""
    model, other = TOOL[wire]
    with Session(wire=wire, model=model) as session:
        session.host.set_preamble(None, [other], None)
        without = session.load
        session.host.set_preamble(None, [other, recall_tool(get_wire(wire))], None)
        return session.load - without


def test_constants_on_pages_are_those_of_the_code() -> None:
    policy = Policy()
    assert isinstance(policy.goal, float)
    soft, goal = round(policy.soft * 100), round(policy.goal * 100)
    openai, anthropic = tool_tokens("openai"), tool_tokens("anthropic")
    pinned = f"{PINNED_SHARE * 100:.0f} % of the window"
    said = {
        "README.md": f"From {soft} % of the usable window on, Steno waits for the end of the "
        f"agent's step and compacts down to {goal} %",
        "designs.md": f"| {policy.soft:.2f}, {policy.hard:.2f} |",
        "tutorial.md": f"At {soft} % of the usable window",
        "proxy.md": f"{openai} tokens with OpenAI, {anthropic} with Anthropic",
        "memory.md": f"at most {OFFER_SHARE * 100:.0f} % of the window and {OFFER_MOST} tokens",
        "limits.md": f"{pinned}, at least {PINNED_LEAST} tokens",
        "constraints.md": f"**Within {pinned}**, at least {PINNED_LEAST} tokens",
        "recall.md": f"({ {5: 'five', 6: 'six'}[HITS] } hits",
    }
    assert [page for page, words in said.items() if words not in page_text(page)] == []


def test_limits_by_the_window_are_those_of_the_default_policy() -> None:
    table = re.findall(
        r"^\| ([\d,]+) \| ([\d,]+) \| (\d+) % \| (\d+) % \|",
        (DOCS / "designs.md").read_text("utf-8"),
        re.M,
    )
    assert len(table) == 7
    for cells in table:
        window, reserve, soft, goal = (int(cell.replace(",", "")) for cell in cells)
        budget = Policy().budget(window)
        assert (reserve, soft, goal) == (
            default_reserve(window),
            round(budget.soft * 100),
            round(budget.goal * 100),
        ), window


def test_the_goal_beside_a_large_system_prompt_is_what_the_page_says() -> None:
    budget = Policy(goal=0.5).budget(32_000)
    first, second = (round(budget.goal_beside(n) / budget.usable, 2) for n in (8_000, 12_000))
    said = f".50 is {first:.2f} beside 8,000, {second:.2f} beside 12,000".replace("is 0", "is ")
    page = (DOCS / "designs.md").read_text("utf-8")
    assert " ".join(said.replace(", 0.", ", .").split()) in " ".join(page.split())
