"""Make the pictures of the inspector for the docs: `python scripts/make_pictures.py [VIEW…]`.

Each view of the page is drawn wide in light and narrow in dark colours, over sessions that hold
only the demo's invented story, and both are kept as one WebP in `docs/inspector/`.
"""

from __future__ import annotations

import base64
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

import steno
from steno.cli.demo.story import opening, story
from steno.inspector.reader import StoreReader
from steno.inspector.server import Inspector
from steno.memory.merge import add_memory
from steno.proxy.run import RunningProxy
from steno.store.open import open_store_at

OUT = Path(__file__).parent.parent / "docs" / "inspector"
NAME, TOKEN = "invoice", "token"
SIZES: tuple[ViewportSize, ...] = ({"width": 1280, "height": 800}, {"width": 390, "height": 800})
SECONDS_MOST = 120_000
COMPOSE = """async (pictures) => {
  const images = await Promise.all(pictures.map(async (each) => createImageBitmap(
    await (await fetch(`data:image/png;base64,${each}`)).blob())));
  const canvas = document.createElement("canvas");
  canvas.width = images.reduce((sum, each) => sum + each.width, 24);
  canvas.height = Math.max(...images.map((each) => each.height));
  const pen = canvas.getContext("2d");
  let left = 0;
  for (const image of images) {
    pen.drawImage(image, left, 0);
    left += image.width + 24;
  }
  return canvas.toDataURL("image/webp", 0.75).split(",")[1];
}"""


def write_sessions(path: Path) -> None:
    """Store the demo's story in windows of several sizes."""
    for name, window in (("invoice-small", 16_000), ("invoice-large", 64_000), (NAME, 24_000)):
        model = "claude-sonnet-4-5"
        with steno.Session(
            path, wire="anthropic", window=window, model=model, name=name, user="ann"
        ) as session:
            session.request(**opening())
            for message in story():
                session.add(message)
                if message["role"] == "user":
                    session.messages()
            session.pin(0)
            session.set_constraint("Never push to main.")
    with closing(open_store_at(path)) as store:
        store.update_memories(
            "ann", lambda kept: add_memory(kept, "Ann answers in British English.", time.time())
        )


def _open_summary(page: Page) -> None:
    page.locator(".item", has_text="summary of").first.click()
    page.locator(".detail .pair").wait_for()
    page.locator(".detail").scroll_into_view_if_needed()


def _preview(page: Page) -> None:
    page.get_by_role("button", name="Preview a compaction…").click()
    page.get_by_label("Down to").fill("30")
    page.get_by_role("button", name="Preview", exact=True).click()
    page.locator(".outcome .strong").wait_for()


def _compare(page: Page) -> None:
    page.get_by_role("button", name="Compare").click()
    page.get_by_text("Save as one file").wait_for()


VIEWS: dict[str, tuple[str, Callable[[Page], None]]] = {
    "sessions": ("", lambda page: page.locator(".gauge").nth(2).wait_for()),
    "session": (f"session/{NAME}", lambda page: page.locator(".item").first.wait_for()),
    "original": (f"session/{NAME}", _open_summary),
    "preview": (f"session/{NAME}", _preview),
    "constraints": (
        f"session/{NAME}/constraints",
        lambda page: page.locator(".cards li").nth(2).wait_for(),
    ),
    "what-if": (f"session/{NAME}/what-if", _compare),
    "memory": ("memory", lambda page: page.locator(".cards li").first.wait_for()),
}


def draw(browser: Browser, address: str, view: str) -> bytes:
    """Return a view, wide and light beside narrow and dark, as WebP."""
    path, ready = VIEWS[view]
    drawn = []
    for size, scheme in zip(SIZES, ("light", "dark"), strict=True):
        context = browser.new_context(viewport=size, color_scheme=scheme)
        page = context.new_page()
        page.set_default_timeout(SECONDS_MOST)
        page.goto(f"{address}#/{path}")
        ready(page)
        page.wait_for_timeout(1_000)
        drawn.append(base64.b64encode(page.screenshot()).decode())
        context.close()
    blank = browser.new_page()
    return base64.b64decode(blank.evaluate(COMPOSE, drawn))


def main() -> None:
    OUT.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder, "agent.db")
        write_sessions(path)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        with closing(open_store_at(path)) as store:
            inspector = Inspector(StoreReader(lambda: [store]), TOKEN, print)
            with RunningProxy(inspector) as running:
                for view in sys.argv[1:] or VIEWS:
                    picture = draw(browser, f"{running.address}/{TOKEN}/", view)
                    OUT.joinpath(f"{view}.webp").write_bytes(picture)
                    print(f"{view}: {len(picture):,} bytes")
        browser.close()


if __name__ == "__main__":
    main()
