"""The right-hand side of the designs' tables: every name in it exists.

A cell holds Python in our names (`session.log.compaction`, `Summarize(scorer="rarity")`), fields
of a policy (`soft = 0.80`), options (`writer=`), commands (`steno demo lab`), tools, and files
below `src/steno`. What is not in backticks is prose. That the snippets of the pages run is tested
in `test_promises.py`.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import steno
from steno import rungs, tails
from steno.adapters import langgraph
from steno.agent import research
from steno.cli.main import app
from steno.core.log import Log
from steno.core.view import View
from steno.session.options import OPTION_TYPES
from tests.support.paths import ROOT
from tests.support.promises import proves

PAGES = sorted((ROOT / "docs" / "internals" / "designs").glob("*.md"))
ALL_DESIGNS = ROOT / "docs" / "designs.md"
TOOLS = ("compress_context", "recall", "remember", "forget")
MODULES = (steno, rungs, tails, steno.events, steno.models, langgraph, research)
THEIRS = {
    "agent-controlled": "QuotaCheckResult verbosity decision_making compaction_callback BaseTool "
    "ToolContext fill_pct CompactionConfig CompressContextTool compress_context",
    "researcher": "task_complexity agent_id session_ctx used_web_search PromptBuilder "
    "needs_compaction COMPACTION_PRESERVE_RECENT",
    "tiers": "keep_recent Compactor maybe_compact persist_to_longterm summarize_span",
    "lab": "compactConversation CompactConfig microcompact autocompact CompactState",
}
"""Names of the designs that a reader may look for."""
INSTANCES: dict[str, Any] = {
    "session": steno.Session,
    "policy": steno.Policy,
    "commit": steno.Commit,
    "view": View,
    "log": Log,
    "budget": steno.Budget,
}
"""What a small letter stands for in a cell."""


def cells(page: Path) -> list[str]:
    """Return the names in the middle column of a page's tables of names."""
    found = []
    named = False
    for line in page.read_text(encoding="utf-8").splitlines():
        columns = line.split(" | ")
        if "theirs" in columns[0]:
            named = True
        elif not line.startswith("|"):
            named = False
        elif named and len(columns) >= 2:
            found += re.findall(r"`([^`]+)`", columns[1])
    return found


@proves("designs.numbers")
@pytest.mark.parametrize("design", THEIRS)
def test_the_names_of_a_design_are_on_the_left_of_its_page(design: str) -> None:
    page = next(page for page in PAGES if page.stem == design)
    rows = [line for line in page.read_text(encoding="utf-8").splitlines() if line[:2] == "| "]
    left = " ".join(row.split(" | ")[0] for row in rows)
    assert [name for name in THEIRS[design].split() if not re.search(rf"\b{name}\b", left)] == []


def attribute(owner: Any, name: str) -> Any:
    """Return an attribute of a value or class; of a field, the type it is declared with."""
    if isinstance(owner, property):
        owner = get_type_hints(owner.fget).get("return", object)
    if inspect.isclass(owner):
        hints = get_type_hints(owner)
        if name in hints:
            return hints[name]
    return getattr(owner, name)


def resolve(node: ast.expr) -> Any:
    match node:
        case ast.Name(name):
            if name in INSTANCES:
                return INSTANCES[name]
            for module in MODULES:
                if hasattr(module, name):
                    return getattr(module, name)
            return importlib.import_module(name)
        case ast.Attribute(value, name):
            owner = resolve(value)
            if inspect.ismodule(owner) and not hasattr(owner, name):
                return importlib.import_module(f"{owner.__name__}.{name}")
            return attribute(owner, name)
        case ast.Call(function, _, keywords):
            called = resolve(function)
            accepted = inspect.signature(called).parameters
            takes_any = any(one.kind is one.VAR_KEYWORD for one in accepted.values())
            for keyword in keywords:
                known = keyword.arg in accepted or keyword.arg in steno.Policy.__struct_fields__
                assert known or takes_any, f"{ast.unparse(function)} takes no {keyword.arg}"
            if inspect.isclass(called):
                return called
            return inspect.signature(called).return_annotation
    raise AssertionError(f"{ast.unparse(node)} is no name")


def check_name(text: str) -> None:
    """Raise if a name of a cell is not one of ours."""
    field = re.fullmatch(r"(\w+) = .+", text)
    option = re.fullmatch(r'(\w+)=(?:"?[\w…]*"?)?', text)
    if text.startswith("steno "):
        names = {command.name for command in app.registered_commands}
        assert text.split()[1] in names, f"there is no command {text}"
    elif field is not None:
        assert field[1] in steno.Policy.__struct_fields__, f"a policy has no {field[1]}"
    elif option is not None:
        labels = ("characters", "tokens")
        assert option[1] in OPTION_TYPES or option[1] in labels, text
    elif "/" in text:
        assert (ROOT / "src" / "steno" / text).exists(), f"there is no file {text}"
    elif text not in TOOLS and text not in steno.Policy.__struct_fields__:
        resolve(ast.parse(text.replace("=…", "=None").replace("…", "None"), mode="eval").body)


@proves("designs.numbers")
@pytest.mark.parametrize("page", [*PAGES, ALL_DESIGNS], ids=lambda page: page.stem)
def test_every_name_on_the_right_exists(page: Path) -> None:
    names = cells(page)
    assert len(names) > 4
    for name in names:
        try:
            check_name(name)
        except (AttributeError, ModuleNotFoundError, SyntaxError) as wrong:
            raise AssertionError(f"{page.name}: `{name}` is not there") from wrong


@pytest.mark.parametrize(
    "name",
    [
        "session.shrink()",
        "soften = 0.8",
        "steno demolish",
        "facts/doubt.py",
        "Summarize(score=1)",
        "steno.events.Fell",
        "writers=",
        "CompactingSupervisor(graph, speaker=1)",
    ],
)
def test_a_name_that_is_not_there_is_noticed(name: str) -> None:
    with pytest.raises((AssertionError, AttributeError, ModuleNotFoundError)):
        check_name(name)


@proves("designs.numbers")
def test_the_page_on_all_designs_is_short_and_leads_to_each() -> None:
    text = ALL_DESIGNS.read_text(encoding="utf-8")
    for page in PAGES:
        assert f"(internals/designs/{page.name})" in text
    assert "—" not in "".join(page.read_text(encoding="utf-8") for page in PAGES)


FIGURES = re.compile(r"\b(?:63 ?%|AIME|41 ?% token|1\.5 ?% accuracy)", re.I)
"""Figures of the papers that the designs quote."""


def all_pages() -> list[str]:
    pages = (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
    return [page.read_text(encoding="utf-8") for page in pages]


@proves("designs.numbers")
def test_no_figure_of_a_designs_sources_is_repeated_as_ours() -> None:
    for text in all_pages():
        assert FIGURES.search(text) is None
