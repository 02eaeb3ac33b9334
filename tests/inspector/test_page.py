"""The inspector's page in a real browser: speed, hostile words, what it does, who can use it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, CDPSession, Page, expect, sync_playwright

import steno
from steno.core.log import Commit, Edit
from steno.core.message import Message, Span, user_message
from steno.providers import decode_messages, get_wire
from steno.session.settings import StoredSettings
from steno.store.open import open_store_at
from tests.inspector.served import Served, inspect, write_session
from tests.support.command_line import Run

pytestmark = pytest.mark.slow

# A busy machine is no finding: what is expected may take its time.
expect.set_options(timeout=60_000)

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDE, NARROW = 1280, 390
LONG, WORK, HOSTILE, REPORTED = "long", "ann:work", "hostile", "reported"
LONG_MESSAGES = 10_000
SESSIONS = 100
TASK_SECONDS = 0.05
PAINT_SECONDS = 1.0
EVIL = (
    "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 2'>"
    "<svg onload='window.broken = 3'>\u202egnp.exe\u202c \x00\x07\x1b[31m \ud800 &amp; \u2028"
)


@dataclass
class Shown:
    """The page, with what went wrong in it and what it asked for."""

    page: Page
    served: Served
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def open(self, *path: str) -> Shown:
        """Open a view of the page and wait until it is drawn."""
        self.page.goto(f"{self.served.address}#/{'/'.join(path)}")
        expect(self.page.locator("h1")).to_be_visible()
        if path[:1] == ("session",) and len(path) == 2:
            expect(self.page.locator("#load")).not_to_have_text("–")
            expect(self.page.locator("output")).to_contain_text("tokens")
        return self


def as_messages(count: int) -> list[Message]:
    """Return a long session of about a hundred tokens a message."""
    plain: list[dict[str, Any]] = []
    for at in range(count // 4):
        call = {"id": f"c{at}", "type": "function"}
        call["function"] = {"name": ("read", "bash")[at % 2], "arguments": '{"path": "a.py"}'}  # type: ignore[assignment]
        plain += [
            {"role": "user", "content": f"Step {at}. " + "Look at the next part of it. " * 15},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{at}", "content": f"line {at} of the file\n" * 40},
            {"role": "assistant", "content": f"Part {at} is done. " * 8},
        ]
    return decode_messages(get_wire("openai"), plain)


def write_long(path: Path) -> None:
    """Store a session of a million tokens, twice compacted, and many small ones."""
    messages, few = as_messages(LONG_MESSAGES), as_messages(20)
    setup = str(StoredSettings(window=400_000, model="gpt-4.1"))
    with closing(open_store_at(path)) as store:
        for number in range(SESSIONS):
            store.create(f"small-{number}", "openai", setup)
            store.append(f"small-{number}", few)
        store.create(LONG, "openai", setup)
        store.append(LONG, messages)
        for base, (first, last) in enumerate(((0, 4_000), (4_000, 8_000))):
            text = (user_message(f"What came before, up to {last} [17].", by="steno"),)
            edit = Edit(Span(first, last), text, "summarize", level=1)
            figures = {"before": 900_000, "after": 500_000, "goal": 500_000}
            at = len(messages)
            store.commit(LONG, Commit(base, at, "soft", (edit,), meter="none", **figures))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    path = tmp_path_factory.mktemp("page") / "agent.db"
    write_long(path)
    write_session(path, WORK, user="ann")
    write_session(path, REPORTED, constraints=["Never push to main."])
    with steno.Session(path, name=REPORTED, wire="openai") as session:
        session.messages()
        reported = {"prompt_tokens": session.load * 13 // 10, "completion_tokens": 9}
        session.add({"role": "assistant", "content": "It is done."}, usage=reported)
    with closing(open_store_at(path)) as store:
        store.create(HOSTILE, "openai", str(StoredSettings(window=9_000_000)))
        evil = [
            {"role": "user", "content": EVIL},
            {"role": "assistant", "content": EVIL * 3},
            {"role": "user", "content": "x" * 5_000_000},
        ]
        store.append(HOSTILE, decode_messages(get_wire("openai"), evil))
    with inspect(path) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.fail("the page is tested in a real browser and none is here: run `make browser`")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def shown(browser: Browser, served: Served) -> Iterator[Shown]:
    context = browser.new_context(viewport={"width": WIDE, "height": 900})
    found = Shown(context.new_page(), served)
    page = found.page
    page.on(
        "console", lambda told: found.errors.append(told.text) if told.type == "error" else None
    )
    page.on("pageerror", lambda error: found.errors.append(str(error)))
    page.on("request", lambda request: found.requests.append(request.url))
    yield found
    context.close()
    assert found.errors == []
    # Nothing leaves: every request goes to the inspector itself.
    assert all(url.startswith(served.address) for url in found.requests), found.requests


def thread_seconds(figures: CDPSession) -> float:
    """Return the processor time of the page's tasks so far: a busy machine makes it no longer."""
    told = figures.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in told if each["name"] == "TaskDuration"))


def test_the_first_paint_does_not_wait_for_the_sessions(shown: Shown) -> None:
    seconds = []
    for _ in range(3):
        shown.page.goto("about:blank")
        shown.page.goto(shown.served.address)
        expect(shown.page.locator("tbody tr")).to_have_count(SESSIONS + 4)
        program = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
        seconds.append(shown.page.evaluate(program) / 1000)
    assert min(seconds) <= PAINT_SECONDS
    shown.requests = [url for url in shown.requests if url != "about:blank"]


def test_the_slider_and_the_timeline_of_a_million_tokens_are_quick(shown: Shown) -> None:
    page = shown.open("session", LONG).page
    expect(page.locator("#messages")).to_have_text(f"{LONG_MESSAGES:,}")
    figures = page.context.new_cdp_session(page)
    figures.send("Performance.enable", {"timeDomain": "threadTicks"})
    last = int(page.locator("#request").get_attribute("max") or 0)
    box = page.locator("canvas").first.bounding_box()
    assert box is not None and last > 4_000
    slowest = 0.0
    for step in range(20):
        # Up to three times: a busy machine holds a step up, a slow page every time.
        took = [_step_seconds(page, figures, box, last, step)]
        while min(took) > TASK_SECONDS and len(took) < 3:
            took.append(_step_seconds(page, figures, box, last, step))
        slowest = max(slowest, min(took))
    assert slowest <= TASK_SECONDS, slowest


def _step_seconds(page: Any, figures: Any, box: Any, last: int, step: int) -> float:
    """Move the slider and the mouse one step, and return what it cost the page's thread."""
    before = thread_seconds(figures)
    page.evaluate(
        """(to) => new Promise((done) => {
          const slider = document.getElementById("request");
          slider.value = to;
          slider.dispatchEvent(new Event("input"));
          requestAnimationFrame(() => requestAnimationFrame(done));
        })""",
        last * step // 20,
    )
    page.mouse.move(box["x"] + 10 + step * 40, box["y"] + 10 + step)
    return thread_seconds(figures) - before


def test_the_page_stays_small_while_a_session_grows(shown: Shown) -> None:
    page = shown.open("session", LONG).page
    heap = page.context.new_cdp_session(page)

    def used() -> int:
        heap.send("HeapProfiler.collectGarbage")
        return int(heap.send("Runtime.getHeapUsage")["usedSize"])

    count = LONG_MESSAGES
    sizes = []
    with closing(open_store_at(shown.served.path)) as store:
        for _ in range(3):
            store.append(LONG, as_messages(200))
            count += 200
            expect(page.locator("#messages")).to_have_text(f"{count:,}")
            expect(page.locator("output")).to_contain_text(f"of {count:,} messages")
            sizes.append(used())
    assert sizes[-1] - sizes[0] < 4_000_000, sizes
    # Of ten thousand items, only those in sight are elements.
    assert page.locator(".item").count() < 100


def test_hostile_words_are_text(shown: Shown) -> None:
    page = shown.open("session", HOSTILE).page
    page.locator(".item").nth(1).click()
    expect(page.locator(".detail pre").first).to_contain_text("window.broken = 1")
    # What would turn the text around, or ring a bell, is named.
    expect(page.locator(".detail pre").first).to_contain_text("\\u202egnp.exe")
    expect(page.locator(".detail pre").first).to_contain_text("\\u0000\\u0007\\u001b[31m")
    page.locator(".item").nth(2).click()
    expect(page.locator(".detail")).to_contain_text("more characters")
    assert page.evaluate("window.broken") is None
    assert page.locator("main img, main script, main [onload]").count() == 0
    shown.open()
    assert page.evaluate("window.broken") is None


def test_an_original_stands_beside_what_is_shown_and_citations_jump(shown: Shown) -> None:
    page = shown.open("session", LONG).page
    page.locator(".item", has_text="summary of").first.click()
    expect(page.locator(".detail h2")).to_have_text("Position 0")
    expect(page.locator(".detail")).to_contain_text("What came before")
    expect(page.locator(".detail .note").first).to_contain_text("summarize in commit 0")
    page.get_by_role("button", name="Difference").click()
    expect(page.locator(".diff .gone-line").first).to_be_visible()
    page.locator(".detail .cite").first.click()
    expect(page.locator(".detail h2")).to_have_text("Position 17")
    page.locator(".commits button").first.click()
    expect(page.locator("#said")).to_contain_text("commit 1")


def test_the_numbers_are_those_of_show(shown: Shown) -> None:
    page = shown.open("session", WORK).page
    told = shown.served.read("view", name=WORK)
    for place, key in (("load", "load"), ("said-tokens", "said"), ("left-out", "left_out")):
        expect(page.locator(f"#{place}")).to_have_text(f"{told[key]:,}")
    expect(page.locator("output")).to_contain_text(f": {told['load']:,} tokens")
    shown.open()
    expect(page.locator(f"tr[data-name='{WORK}'] td").nth(1)).to_contain_text(f"{told['load']:,}")


def test_the_parts_by_kind_are_those_of_show(shown: Shown, run: Run) -> None:
    """One session, one number: also if the provider reported more than the meter counted."""
    assert shown.served.read("session", name=REPORTED)["ratio"] > 1.1
    page = shown.open("session", REPORTED).page
    expect(page.locator(".kinds li").first).to_be_visible()
    drawn: dict[str, int] = {}
    for entry in page.locator(".kinds li").all():
        kind, tokens = entry.get_attribute("data-kind") or "", entry.locator(".num").inner_text()
        drawn[kind] = drawn.get(kind, 0) + int(tokens.replace(",", ""))
    printed = run("show", str(shown.served.path), "--session", REPORTED, "--json").json
    told = {kind: tokens for kind, tokens in printed["tokens"].items() if tokens}
    free, reserve = told.pop("free"), told.pop("reserve")
    assert drawn == told and drawn.keys() > {"prompt", "shorthand", "user", "results"}
    assert sum(drawn.values()) == printed["load"] == printed["window"] - reserve - free


def test_a_person_previews_compacts_pins_and_undoes(shown: Shown) -> None:
    page = shown.open("session", WORK).page
    before = shown.served.read("view", name=WORK)["load"]
    page.get_by_role("button", name="Preview a compaction…").click()
    page.get_by_label("Down to").fill("30")
    page.get_by_role("button", name="Preview", exact=True).click()
    expect(page.locator(".outcome")).to_contain_text("would go into summaries")
    assert shown.served.read("view", name=WORK)["load"] == before
    page.get_by_role("button", name="Compact like this").click()
    expect(page.locator("#load")).not_to_have_text(f"{before:,}")
    assert shown.served.read("view", name=WORK)["load"] < before
    page.get_by_role("button", name="Undo commit").click()
    expect(page.locator("#load")).to_have_text(f"{before:,}")
    page.locator(".item", has_text="summary of").first.click()
    page.get_by_role("button", name="Edit the summary…").click()
    page.locator("dialog textarea").fill("It is all done.")
    page.get_by_label("Your name").fill("Ann")
    page.get_by_role("button", name="Save as a commit").click()
    expect(page.locator(".detail")).to_contain_text("It is all done.")
    expect(page.locator(".commits li").first).to_contain_text("made by Ann")
    page.get_by_role("button", name="Pin", exact=True).click()
    expect(page.get_by_role("button", name="Unpin")).to_be_visible()


def test_it_works_by_keyboard(shown: Shown) -> None:
    page = shown.open("session", WORK).page
    page.locator("canvas").first.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".pointed").first).to_contain_text("2 ·")
    page.keyboard.press("Enter")
    expect(page.locator(".detail h2")).to_have_text("Position 2")
    page.locator("#request").focus()
    page.keyboard.press("Home")
    expect(page.locator("output")).to_contain_text("request 1 of")


def violations(page: Page) -> list[Any]:
    """Return what axe finds, with the first elements of each finding."""
    found = Axe().run(page).response["violations"]
    return [(each["id"], [node["html"][:200] for node in each["nodes"][:3]]) for each in found]


@pytest.mark.parametrize(("scheme", "width"), [("light", WIDE), ("dark", NARROW)])
def test_axe_finds_nothing_and_nothing_is_cut_off(shown: Shown, scheme: Any, width: int) -> None:
    page = shown.page
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 844})
    session = ["session", WORK]
    for path in ([], session, [*session, "constraints"], [*session, "what-if"], ["memory"]):
        shown.open(*path)
        if not path:
            page.locator("#filter").fill(WORK)
            expect(page.locator("tbody tr")).to_have_count(1)
        if path == ["session", WORK]:
            page.locator(".item", has_text="summary of").first.click()
            expect(page.locator(".detail")).to_be_visible()
            assert violations(page) == []
            page.get_by_role("button", name="Preview a compaction…").click()
            page.get_by_role("button", name="Preview", exact=True).click()
            expect(page.locator(".outcome .strong")).to_be_visible()
        assert violations(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= width
