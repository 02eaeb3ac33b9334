"""What is installed may be used, and no pinned version is known to be vulnerable."""

from __future__ import annotations

import sys

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
    assert set(audit.json.loads(audit.KNOWN.read_text())) <= set(pinned), "no longer used"


@proves("dependencies.audited")
def test_what_was_not_asked_is_not_called_clean(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unreachable(address: str, body: bytes | None = None) -> bytes:
        raise OSError("no route")

    monkeypatch.setattr(audit, "_read", unreachable)
    monkeypatch.setattr(sys, "argv", ["audit.py"])
    assert audit.main() == audit.NOT_AUDITED
    assert capsys.readouterr().err.count("NOT AUDITED") == 2

    page = b'<a href="x" data-yanked="a bug">h11-0.16.0-py3-none-any.whl</a>'
    monkeypatch.setattr(audit, "_read", lambda address, body=None: page)
    assert list(audit.withdrawn_releases({"h11": "0.16.0", "idna": "3.7"})) == [
        "h11 0.16.0: withdrawn (a bug)"
    ]
