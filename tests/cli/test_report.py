"""The page of a replay in a real browser: its numbers, its controls, and hostile words."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import (
    Browser,
    CDPSession,
    ConsoleMessage,
    Locator,
    Page,
    Request,
    expect,
    sync_playwright,
)

from steno.cli.replay import COSTS, SHARES
from steno.core.price import Prices
from steno.inspector.replay_page import render_page
from steno.lab import as_json
from steno.lab.bill import ReplaySetting
from steno.lab.policies import start_policy
from steno.lab.recorded import SessionOrigin
from steno.lab.run import replay_session
from tests.support.coding_sessions import returning_session, tale
from tests.support.paths import ROOT
from tests.support.promises import proves
from tests.support.replay_reports import MEASURES, POLICIES, SESSIONS, report

pytestmark = pytest.mark.slow

# A busy machine is no finding: what is expected may take its time.
expect.set_options(timeout=60_000)

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDE, NARROW = 1280, 390
HOSTILE = (
    "</script><script>window.broken = 1</script>"
    "<!--<img src=x onerror='window.broken = 2'>\u2028\ud800"
)
REACHABLE = "button, a[href], input, select, summary, [tabindex='0']"
CLICKS = """
window.clickable = [];
const listen = EventTarget.prototype.addEventListener;
EventTarget.prototype.addEventListener = function (name, ...rest) {
  if (["click", "pointerdown", "mousedown"].includes(name)) window.clickable.push(this);
  return listen.call(this, name, ...rest);
};
"""
CONTRASTS = """
() => {
  const numbers = (colour) => (colour.match(/[\\d.]+/g) || []).map(Number);
  const light = (colour) => {
    const [r, g, b] = numbers(colour).map((each) => each / 255)
      .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (node) => {
    for (let each = node; each; each = each.parentElement) {
      const colour = getComputedStyle(each).backgroundColor;
      if (numbers(colour)[3] !== 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const drawn = [...document.body.querySelectorAll(":not(script, noscript, option, title)")];
  const texts = drawn.filter((node) =>
    [...node.childNodes].some((each) => each.nodeType === 3 && each.data.trim()));
  return texts.map((node) => {
    const style = getComputedStyle(node);
    const words = node instanceof SVGElement ? style.fill : style.color;
    const [a, b] = [light(words), light(ground(node))].sort((x, y) => y - x);
    return [(a + 0.05) / (b + 0.05), node.textContent.trim().slice(0, 40)];
  });
}
"""


@dataclass
class Shown:
    """A report as it is shown, with the errors and requests of the page."""

    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    @cached_property
    def figures(self) -> CDPSession:
        return self.page.context.new_cdp_session(self.page)

    @property
    def seconds(self) -> float:
        """Processor time of the page so far: a busy machine makes it no longer."""
        told = self.figures.send("Performance.getMetrics")["metrics"]
        return float(next(each["value"] for each in told if each["name"] == "TaskDuration"))

    def listen(self) -> None:
        self.page.on("console", self._hear_message)
        self.page.on("pageerror", self._hear_error)
        self.page.on("request", self._hear_request)

    def stop_listening(self) -> None:
        self.page.remove_listener("console", self._hear_message)
        self.page.remove_listener("pageerror", self._hear_error)
        self.page.remove_listener("request", self._hear_request)

    def _hear_message(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def _hear_error(self, error: Exception) -> None:
        self.errors.append(str(error))

    def _hear_request(self, request: Request) -> None:
        if not request.is_navigation_request():
            self.requests.append(request.url)

    def row(self, policy: str) -> list[str]:
        row = self.page.locator("#table tbody tr").filter(
            has=self.page.get_by_role("button", name=policy, exact=True)
        )
        return [" ".join(each.split()) for each in row.locator("td").all_inner_texts()]

    def order(self) -> list[str]:
        return self.page.locator("#table tbody th").all_inner_texts()

    @property
    def misses(self) -> Locator:
        return self.page.locator("#misses details")


Show = Callable[..., Shown]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.fail(
            f"the page is tested in a real browser and none of {', '.join(BROWSERS)} is here: "
            "run `make browser`"
        )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def idle() -> list[Page]:
    """Pages that no test uses now: to open a new one takes the browser longer than a report."""
    return []


@pytest.fixture
def show(browser: Browser, idle: list[Page], tmp_path: Path) -> Iterator[Show]:
    """Open a report as a file; check at the end for errors and network requests."""
    opened: list[Shown] = []

    def show(
        given: dict[str, Any], width: int = WIDE, scheme: Literal["light", "dark"] = "light"
    ) -> Shown:
        path = tmp_path / f"{len(opened)}.html"
        path.write_text(render_page(given), encoding="utf-8")
        if not idle:
            idle.append(browser.new_page())
            idle[0].add_init_script(CLICKS)
        shown = Shown(idle.pop())
        opened.append(shown)
        shown.page.set_viewport_size({"width": width, "height": 900})
        shown.page.emulate_media(color_scheme=scheme)
        shown.listen()
        shown.figures.send("Performance.enable", {"timeDomain": "threadTicks"})
        shown.page.goto(path.as_uri())
        return shown

    yield show
    for each in opened:
        each.stop_listening()
        each.figures.detach()
        idle.append(each.page)
        assert (each.errors, each.requests) == ([], [])


@proves("report.page")
def test_the_table_shows_the_numbers_of_the_report(show: Show) -> None:
    given = report()
    shown = show(given)
    assert shown.order() == list(POLICIES)
    for total in given["totals"]:
        cells = shown.row(total["policy"])
        shares = []
        for name in (*MEASURES, "lost"):
            mean = total["means"][name]
            interval = f"{100 * mean['low']:.0f}–{100 * mean['high']:.0f}"
            shares.append(f"{100 * mean['mean']:.1f}% {interval}")
        assert cells[:7] == shares
        assert cells[9] == f"{total['peak']:,}" and cells[-1] == f"${total['money']:.2f}"
        assert cells[10:13] == [str(total[each]) for each in ("over", "commits", "illegal")]
        titles = (
            shown.page.locator("#table tbody tr")
            .nth(POLICIES.index(total["policy"]))
            .locator("td[title]")
        )
        exact = [titles.nth(at).get_attribute("title") for at in (0, 6, 7)]
        names = total["uses"]["names"]
        assert exact == [
            f"{names['visible']:,} of {names['all']:,}",
            f"{total['sent']:,}",
            f"{total['billed']:,}",
        ]


@proves("report.page")
def test_one_session_is_shown_by_its_own_shares(show: Show) -> None:
    given = report()
    shown = show(given)
    shown.page.get_by_role("button", name="chosen session").click()
    score = next(each for each in given["scores"] if each["policy"] == "default")
    uses = [*(score["uses"][name]["visible"] / score["uses"][name]["all"] for name in MEASURES)]
    lost = score["all_uses"]["lost"] / score["all_uses"]["all"]
    assert shown.row("default")[:7] == [f"{100 * each:.1f}%" for each in (*uses, lost)]


@proves("report.page")
def test_agents_are_shown_apart_if_there_are_several(show: Show) -> None:
    given = report()
    rows = show(given).page.locator("#agents tbody tr")
    for at, row in enumerate(given["agents"]):
        cells = rows.nth(at).locator("th, td").all_inner_texts()
        assert cells[:2] == [f"{row['agent']} ({row['sessions']})", row["policy"]]
        assert [each.split()[0] for each in cells[2:]] == [
            f"{100 * row['means'][name]['mean']:.1f}%" for name in (*MEASURES, "lost")
        ]
    alone = show(report(sessions=["one.jsonl"]))
    expect(alone.page.locator("#by-agent")).to_be_hidden()


@proves("report.page")
def test_a_real_report_is_shown_with_its_numbers(show: Show) -> None:
    """Replay a session of 501 requests: table, thinned chart, and misses are right."""
    long = replace(
        tale(returning_session(7, 500, lines=4), "long"),
        origin=SessionOrigin("it's.jsonl", "long"),
    )
    piped = tale(returning_session(8, 60), "piped")
    dollars = Prices(0.3, 3.75, 3.0, 15.0)
    setting = ReplaySetting(2_000, prices=dollars.relative_to_input, dollars=dollars)
    names = ("sliding", "default")
    scores = [
        replay_session(each, name, start_policy(name, each, setting), setting)
        for each in (long, piped)
        for name in names
    ]
    given = as_json.replay_report(
        [long, piped],
        scores,
        setting,
        command="steno replay it's.jsonl -",
        model="claude-sonnet-5",
    )
    shown = show(given)
    for total in given["totals"]:
        cells = shown.row(total["policy"])
        assert total["uses"]["edits"]["all"] > 100
        assert cells[1].split()[0] == f"{100 * total['means']['edits']['mean']:.1f}%"
        assert cells[9] == f"{total['peak']:,}" and cells[11] == f"{total['commits']:,}"
    chart = shown.page.locator("#load > svg")
    chart.press("Home")
    shown.page.keyboard.press("ArrowRight")
    turns = given["scores"][1]["turns"]
    expect(shown.page.locator("#about")).to_contain_text(
        f"request 3, at position {turns['at'][1]}."
    )
    expect(chart).to_have_attribute("aria-valuenow", "3")
    shown.page.keyboard.press("End")
    expect(shown.page.locator("#about")).to_contain_text("request 501, at position")
    for score in given["scores"][:2]:
        expect(
            shown.page.locator("#load-legend button").filter(has_text=score["policy"])
        ).to_contain_text(f"{score['turns']['load'][-1]:,}")
    shown.misses.first.locator("summary").press("Enter")
    miss = given["scores"][1]["misses"][0]
    expect(shown.misses.first.locator("code")).to_have_text(
        rf"steno open 'it'\''s.jsonl' {miss['said']} --session long"
    )
    shown.page.get_by_role("button", name="Session after").click()
    shown.misses.first.locator("summary").press("Enter")
    expect(shown.misses.first.locator("pre")).to_be_visible()
    assert shown.misses.first.locator("code").count() == 0, (
        "what came through a pipe cannot be opened"
    )


@proves("report.page")
def test_the_head_says_what_was_replayed(show: Show) -> None:
    given = report()
    given["limits"]["sliding"] = {"soft": 0.9, "goal": 0.5}
    facts = show(given).page.locator("#facts").inner_text()
    assert given["command"] in facts
    assert "default: over 27,200 (85%) to 19,200 (60%)" in facts
    assert "sliding: over 28,800 (90%) to 16,000 (50%)" in facts
    assert "claude-sonnet-5: input 2, cache read 0.2, write 2.5 dollars a million tokens" in facts


@proves("report.page")
def test_the_best_that_can_be_run_is_marked(show: Show) -> None:
    shown = show(report())
    best = shown.page.locator("#table tbody tr:has(td.best)").locator("th").all_inner_texts()
    assert "default" in best
    assert "none" not in best, "it saw everything because it went over the window"
    assert "45.8%" in shown.page.locator("#table tr.chosen td.best").first.inner_text()


@proves("report.page")
def test_headers_sort_and_keep_the_focus(show: Show) -> None:
    shown = show(report())
    header = shown.page.locator("#table thead button").filter(has_text="billed")
    order = sorted(report()["totals"], key=lambda total: total["billed"])
    names = [total["policy"] for total in order]
    header.press("Enter")
    assert shown.order() == names
    shown.page.keyboard.press("Enter")
    assert shown.order() == names[::-1]
    expect(shown.page.locator("th[aria-sort=descending]")).to_have_text("billed ↓")


@proves("report.page")
def test_the_table_can_be_of_one_session(show: Show) -> None:
    given = report()
    shown = show(given)
    shown.page.get_by_role("button", name="chosen session").click()
    score = next(
        each
        for each in given["scores"]
        if (each["session"], each["policy"]) == (SESSIONS[0], "sliding")
    )
    assert shown.row("sliding")[9] == f"{score['peak']:,}"


@proves("report.page")
@pytest.mark.parametrize("place", ["table", "scatter"])
def test_a_policy_can_be_chosen(show: Show, place: str) -> None:
    shown = show(report())
    shown.page.locator(f"#{place} [role=button], #{place} tbody button").filter(
        has_text="masking"
    ).press("Enter")
    expect(shown.page.locator("#chosen select").last).to_have_value("masking")
    expect(shown.page.locator("#table tr.chosen th")).to_have_text("masking")
    expect(shown.page.locator("#made-about")).to_contain_text("masking")
    expect(shown.page.locator("#misses-about")).to_contain_text("masking")
    assert shown.page.evaluate("document.activeElement.textContent").endswith("masking"), (
        "the focus stays"
    )


@proves("report.page")
def test_the_scatter_names_every_policy_and_turns_to_edits(show: Show) -> None:
    shown = show(report())
    names = shown.page.locator("#scatter .dot > text")
    assert sorted(names.all_text_contents()) == sorted(POLICIES)
    before = shown.page.locator("#scatter .dot circle").last.get_attribute("cy")
    shown.page.locator("#metric").get_by_role("button", name="edits").click()
    expect(shown.page.locator("#scatter")).to_contain_text("edits that could still be used")
    assert shown.page.locator("#scatter .dot circle").last.get_attribute("cy") != before


@proves("report.page")
def test_names_in_the_scatter_cover_no_other(show: Show) -> None:
    eight = [*POLICIES, "ratio", "design-a", "design-b", "clairvoyant"]
    for width in (WIDE, NARROW):
        boxes = [
            box
            for each in show(report(eight), width).page.locator("#scatter .dot > text").all()
            if (box := each.bounding_box())
        ]
        assert len(boxes) == len(eight)
        pairs = [(a, b) for at, a in enumerate(boxes) for b in boxes[:at]]
        covered = [
            (a, b)
            for a, b in pairs
            if a["x"] < b["x"] + b["width"]
            and b["x"] < a["x"] + a["width"]
            and abs(a["y"] - b["y"]) < 10
        ]
        assert not covered


@proves("report.page")
def test_sessions_are_picked_and_walked_through(show: Show) -> None:
    shown = show(report())
    before, after = (
        shown.page.get_by_role("button", name=f"Session {each}") for each in ("before", "after")
    )
    expect(before).to_be_disabled()
    after.click()
    expect(shown.page.locator("#about")).to_contain_text(SESSIONS[1])
    expect(after).to_be_disabled()
    shown.page.locator("#chosen select").first.select_option("0")
    expect(shown.page.locator("#about")).to_contain_text(SESSIONS[0])


@proves("report.page")
def test_the_chart_of_loads_tells_one_request(show: Show) -> None:
    given = report()
    shown = show(given)
    loads = {
        each["policy"]: each["turns"] for each in given["scores"] if each["session"] == SESSIONS[0]
    }
    chart = shown.page.locator("#load > svg")
    chart.press("Home")
    shown.page.keyboard.press("ArrowRight")
    expect(shown.page.locator("#about")).to_contain_text("request 2, at position 3")
    for policy, turns in loads.items():
        expect(shown.page.locator("#load-legend button").filter(has_text=policy)).to_contain_text(
            f"{turns['load'][1]:,}"
        )
    expect(chart).to_have_attribute(
        "aria-valuetext", f"position 3: default {loads['default']['load'][1]:,} tokens"
    )
    chart.hover(position={"x": 700, "y": 100})
    expect(shown.page.locator("#about")).not_to_contain_text("request 2,")
    assert shown.page.locator("#load .limit").count() == 3
    assert shown.page.evaluate("[2e5, 15e4, 2.5e6, 5e3, 12500].map(tick)") == [
        "200k",
        "150k",
        "2.5M",
        "5,000",
        "12.5k",
    ]
    assert shown.page.locator("#load .commit").count() == sum(
        len(turns["commits"]) for turns in loads.values()
    )


@proves("report.page")
def test_the_legend_hides_a_policy(show: Show) -> None:
    shown = show(report())
    assert shown.page.locator("#load .curve").count() == len(POLICIES)
    shown.page.locator("#load-legend button").filter(has_text="none").press("Enter")
    assert shown.page.locator("#load .curve").count() == len(POLICIES) - 1
    expect(shown.page.locator("#load-legend button[aria-pressed=false]")).to_contain_text("none")


@proves("report.page")
def test_the_window_is_shown_by_kind(show: Show) -> None:
    given = report()
    shown = show(given)
    parts = next(each for each in given["scores"] if each["policy"] == "default")["turns"][
        "made_of"
    ]
    shown.page.locator("#made > svg").press("Home")
    rows = shown.page.locator("#made-legend tbody tr")
    assert shown.page.locator("#made .area").count() == len(parts)
    for kind, words in {"results": "tool results", "prompt": "prompt, tools"}.items():
        expect(rows.filter(has_text=words)).to_contain_text(f"{parts[kind][0]:,}")


@proves("report.page")
def test_misses_are_filtered(show: Show) -> None:
    given = report()
    shown = show(given)
    misses = next(each for each in given["scores"] if each["policy"] == "default")["misses"]
    expect(shown.misses).to_have_count(len(misses))
    shown.page.locator("#filters select").first.select_option("edits")
    shown.page.locator("#filters select").last.select_option("lost")
    wanted = [each for each in misses if (each["measure"], each["state"]) == ("edits", "lost")]
    assert 0 < len(wanted) < len(misses)
    expect(shown.misses).to_have_count(len(wanted))
    shown.page.get_by_label("Text or place").fill(wanted[0]["text"].upper())
    expect(shown.misses).to_have_count(1)
    expect(shown.page.locator("#count")).to_have_text(
        "1 of 30 misses; 120 more are not in this page."
    )
    shown.page.get_by_label("Text or place").fill("nothing is like this")
    expect(shown.page.locator("#misses")).to_have_text("No miss matches.")


@proves("report.page")
def test_a_place_narrows_the_misses(show: Show) -> None:
    given = report()
    shown = show(given)
    score = next(each for each in given["scores"] if each["policy"] == "default")
    button = shown.page.locator("#places button").filter(has_text="Read result")
    lost = score["places"]["Read result"]
    expect(button).to_contain_text(f"{lost['lost']} lost of {lost['all']}")
    button.click()
    expect(shown.misses).to_have_count(
        sum(each["place"] == "Read result" for each in score["misses"])
    )


@proves("report.page")
def test_a_miss_opens_and_shows_where_it_was(show: Show) -> None:
    given = report(sessions=["it's one.jsonl"])
    shown = show(given)
    miss = next(each for each in given["scores"] if each["policy"] == "default")["misses"][0]
    expect(shown.misses.first).to_contain_text(
        f"used at {miss['at']}, last said at {miss['said']} ({miss['place']})"
    )
    shown.misses.first.locator("summary").press("Enter")
    expect(shown.misses.first.locator("code")).to_have_text(
        rf"steno open 'it'\''s one.jsonl' {miss['said']}"
    )
    for chart in ("load", "made"):
        expect(shown.page.locator(f"#{chart} text.mark")).to_have_text(
            [f"said {miss['said']}", f"used {miss['at']}"]
        )
    shown.misses.first.locator("summary").press("Enter")
    expect(shown.page.locator("text.mark")).to_have_count(0)


@proves("report.page")
def test_hostile_words_are_only_words(show: Show) -> None:
    given = report([HOSTILE, "default"], [HOSTILE, "__proto__"])
    given["command"] = HOSTILE
    for score in given["scores"]:
        score["places"] = {HOSTILE: {"all": 3, "visible": 1, "recallable": 1, "lost": 1}}
        for miss in score["misses"]:
            miss["text"] = miss["place"] = HOSTILE
    shown = show(given)
    shown.misses.first.locator("summary").click()
    shown.page.locator("#places button").click()
    # A sign that ends a line is named, not obeyed.
    seen = HOSTILE.replace("\ud800", "").replace("\u2028", "\\u2028")
    for place in (
        "#facts code",
        "#table tbody button",
        "#misses pre",
        "#places .name",
        "#about",
        "#scatter title",
    ):
        text = shown.page.locator(place).first.text_content() or ""
        assert seen in text.replace("\ud800", "").replace("\ufffd", ""), place
    assert shown.page.evaluate("window.broken") is None
    assert shown.page.locator("img").count() == 0
    assert shown.page.locator("script").count() == 2


@proves("report.page")
def test_data_cannot_end_its_element() -> None:
    text = render_page(report([HOSTILE], [HOSTILE]))
    data = re.search(r'id="report">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    assert "<" not in data[1]
    assert data[1].isascii()


@proves("report.page")
def test_the_page_may_neither_fetch_nor_make_markup_from_words(show: Show) -> None:
    shown = show(report())
    fetched = "fetch('https://example.com/').then(() => 'fetched', () => 'refused')"
    assert shown.page.evaluate(fetched) == "refused"
    markup = (
        "(() => { try { document.body.innerHTML = '<b>x</b>'; return 'made'; } "
        "catch { return 'refused'; } })()"
    )
    assert shown.page.evaluate(markup) == "refused"
    assert all("Content Security Policy" in each or "TrustedHTML" in each for each in shown.errors)
    shown.errors.clear()
    shown.requests.clear()


@proves("report.page")
@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_word_can_be_read(show: Show, scheme: Literal["light", "dark"], width: int) -> None:
    shown = show(report(), width, scheme)
    shown.misses.first.locator("summary").click()
    shown.page.locator("#load-legend button").first.click()
    contrasts = shown.page.evaluate(CONTRASTS)
    assert len(contrasts) > 100
    assert [each for each in contrasts if each[0] < 4.5] == []
    ground = shown.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")


ODD: dict[str, dict[str, Any]] = {
    "usual": report(),
    "one policy, one session": report(["default"], ["one.jsonl"]),
    "nothing used again": report(used=False),
    "no money": report(priced=False),
    "one request": report(requests=1, misses=0),
    "no requests": report(requests=0, misses=0),
    "long names": report(["policy" * 30, "default"], ["folder/" * 60, "a name " * 60]),
}


@proves("report.page")
@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("case", ODD)
def test_no_report_makes_the_page_scroll_sideways(show: Show, case: str, width: int) -> None:
    shown = show(ODD[case], width)
    for policy in range(len(ODD[case]["policies"])):
        shown.page.locator("#chosen select").last.select_option(index=policy)
    shown.page.locator("#chosen select").first.select_option(index=len(ODD[case]["sessions"]) - 1)
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= width
    assert "NaN" not in shown.page.locator("body").inner_html()
    assert not re.search("undefined|NaN|Infinity", shown.page.locator("body").inner_text())


@proves("report.page")
def test_what_never_was_is_a_dash(show: Show) -> None:
    shown = show(ODD["nothing used again"])
    assert shown.row("default")[:6] == ["–"] * 6
    expect(shown.page.locator("#scatter")).to_contain_text("Nothing was used again")
    expect(shown.page.locator("#misses")).to_have_text("Nothing was missed.")


@proves("report.page")
def test_the_cost_axis_counts_in_thousands(show: Show) -> None:
    page = show(ODD["no money"]).page
    said = [page.evaluate(f"tick({tokens})") for tokens in (2_000, 200_000, 1_500_000, 20_000_000)]
    assert said == ["2,000", "200k", "1.5M", "20M"]
    labels = page.locator("#scatter text").all_text_contents()
    assert any(re.fullmatch(r"[\d.]+[kM]", label) for label in labels)


@proves("report.page")
def test_without_money_the_cost_is_what_is_billed(show: Show) -> None:
    shown = show(ODD["no money"])
    expect(shown.page.locator("#scatter")).to_contain_text("tokens billed")
    assert "money" not in shown.page.locator("#table thead").inner_text()


@proves("report.page")
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_all_that_can_be_clicked_can_be_reached_by_keyboard(show: Show, width: int) -> None:
    shown = show(report(), width)
    unreachable = (
        f"clickable.filter((each) => !each.matches?.({REACHABLE!r})).map((each) => String(each))"
    )
    assert shown.page.evaluate("clickable.length") > 20
    assert shown.page.evaluate(unreachable) == []
    nameless = f"""[...document.querySelectorAll({REACHABLE!r})].filter((each) =>
        !(each.ariaLabel || each.textContent.trim() || each.labels?.length
          || each.ariaLabelledByElements)).length"""
    assert shown.page.evaluate(nameless) == 0


@proves("report.page")
def test_a_large_report_opens_at_once(show: Show) -> None:
    policies = [*POLICIES, "ratio", "design-a", "design-b", "clairvoyant"]
    given = report(
        policies, [f"session-{at:02}.jsonl" for at in range(54)], requests=200, misses=200
    )
    shown = show(given)
    opened = shown.seconds
    assert 0 < opened < 5
    shown.page.get_by_role("button", name="Session after").click()
    expect(shown.page.locator("#about")).to_contain_text("session-01.jsonl")
    assert 0 < shown.seconds - opened < 5


def test_columns_have_the_same_names_on_the_page_the_command_line_and_in_the_results() -> None:
    script = (ROOT / "src/steno/inspector/page/replay.js").read_text("utf-8")
    labels = re.findall(r'group: "\w+", label: "([^"]+)"', script)
    only_here = ("answers", "money")
    on_page = [*MEASURES, *(label for label in labels if label not in only_here)]
    assert on_page == [*SHARES, *COSTS]
    results = (ROOT / "docs/internals/results.md").read_text("utf-8")
    assert f"| policy | {' | '.join(SHARES)} |" in results
    pooled = " | ".join(f"{name}, pooled" for name in MEASURES)
    assert f"| policy | {pooled} | {' | '.join(COSTS)} |" in results
