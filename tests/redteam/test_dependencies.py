"""What is installed may be used, and no pinned version is known to be vulnerable."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.support.paths import ROOT
from tests.support.promises import proves

sys.path.insert(0, str(ROOT / "scripts"))
import audit
import licences


@proves("dependencies.audited")
def test_every_installed_package_has_a_licence_of_the_list() -> None:
    assert list(licences.wrong_packages()) == []


@proves("dependencies.audited")
@pytest.mark.parametrize(
    ("stated", "allowed"),
    [
        ("MIT", True),
        ("Apache-2.0 OR BSD-3-Clause", True),
        ("MPL-2.0 AND (Apache-2.0 OR MIT)", True),
        ("MIT License, Apache License, Version 2.0", True),
        ("GPL-3.0-only", False),
        ("MIT AND GPL-2.0", False),
        ("AGPL-3.0", False),
        ("BSD-4-Clause", False),
        ("Other/Proprietary License", False),
        ("", False),
    ],
)
def test_a_licence_is_allowed_by_name_alone(stated: str, allowed: bool) -> None:
    assert licences.is_allowed(stated) is allowed


@proves("dependencies.audited")
def test_a_pinned_version_that_is_known_to_be_vulnerable_is_found() -> None:
    assert list(audit.known_advisories(audit.pinned_packages())) == []
    assert list(audit.known_advisories({"h11": "0.14.0", "unheard-of": "1.0"})) == [
        "h11 0.14.0: CVE-2025-43859, fixed in 0.16.0"
    ]
    pinned = audit.pinned_packages()
    assert set(json.loads(audit.KNOWN.read_text())) <= set(pinned), "no longer used"


ANSWERS: dict[str, dict[str, Any]] = {
    "/pypi/clean/json": {"info": {"version": "2.0"}, "vulnerabilities": []},
    "/pypi/older/json": {"info": {"version": "9.0"}, "vulnerabilities": []},
    "/pypi/older/1.0/json": {
        "info": {"version": "1.0", "yanked": True, "yanked_reason": "a bug"},
        "vulnerabilities": [
            {"id": "PYSEC-1", "aliases": ["CVE-1"], "withdrawn": None},
            {"id": "PYSEC-2", "aliases": [], "withdrawn": "2026-01-01"},
        ],
    },
    "/pypi/mirrored/json": {"info": {"version": "9.0"}, "vulnerabilities": []},
}
"""What a registry answers: it knows no answer for the old release of `mirrored`."""


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    class Registry(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = ANSWERS.get(self.path)
            self.send_response(404 if answer is None else 200)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *about: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Registry) as server:
        address = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setenv("PIP_INDEX_URL", f"{address}/simple/")
        monkeypatch.setattr(audit, "OSV", f"{address}/osv")
        serving = threading.Thread(target=server.serve_forever, args=(0.02,))
        serving.start()
        yield
        server.shutdown()
        serving.join()


@proves("dependencies.audited")
@pytest.mark.usefixtures("registry")
def test_the_registry_is_asked_for_the_very_release() -> None:
    assert audit.ask_databases({"clean": "2.0", "older": "1.0"}) == (
        ["older 1.0: PYSEC-1 CVE-1", "older 1.0: withdrawn (a bug)"],
        {},
    )


@proves("dependencies.audited")
@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize(("most", "code"), [("0", audit.NOT_AUDITED), ("1", 0)])
def test_what_was_not_answered_is_not_called_clean(
    most: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audit, "pinned_packages", lambda: {"clean": "2.0", "mirrored": "1.0"})
    monkeypatch.setattr(sys, "argv", ["audit.py", "--most", most])
    assert audit.main() == code
    printed = capsys.readouterr()
    assert "NOT AUDITED: mirrored 1.0" in printed.err
    assert "1 of 2" in printed.out
