"""A transcript without its secrets: the same file, to the byte where there are none.

Which words are secrets is `session/redact.py`'s business.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from steno.session.redact import Redactor
from steno.transcript import open_lines
from steno.wire import text_of, value_of


@contextmanager
def redacted(file: Path) -> Iterator[Path]:
    """A copy of the file, of the same name, that is gone afterwards."""
    text = "".join(open_lines(file))
    with TemporaryDirectory(prefix="steno-") as folder:
        clean = Path(folder, file.name.removesuffix(".gz"))
        clean.write_text(_clean(text, Redactor()), encoding="utf-8", errors="surrogatepass", newline="")
        yield clean


def _clean(text: str, redactor: Redactor) -> str:
    """As one JSON value, as lines of JSON, or else as the text it is."""
    whole = _json(text, redactor)
    if whole is not None:
        return whole
    if not text.lstrip().startswith("{"):
        return redactor.text(text)
    lines = text.splitlines(keepends=True)
    return "".join(redactor.text(line) if (clean := _json(line, redactor)) is None else clean for line in lines)


def _json(text: str, redactor: Redactor) -> str | None:
    try:
        value = value_of(text)
    except json.JSONDecodeError:
        return None
    new = redactor.plain(value)
    return text if new is value else text_of(new) + "\n" * text.endswith("\n")
