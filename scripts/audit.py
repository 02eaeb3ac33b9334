"""Look for pinned packages with known vulnerabilities.

    python scripts/audit.py --known     by the list beside this script: needs no network
    python scripts/audit.py             also by the OSV database, and releases that were withdrawn

The list names, for each package, the first version without an advisory. It is what was known
when it was written, so it keeps an old version from coming back and finds nothing new. Without
the database the audit says so and fails with code 3: not audited is not the same as clean.
"""

from __future__ import annotations

import json
import re
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from packaging.version import Version

ROOT = Path(__file__).parent.parent
KNOWN = Path(__file__).with_name("advisories.json")
OSV = "https://api.osv.dev/v1/querybatch"
INDEX = "https://pypi.org/simple/{name}/"
_WITHDRAWN = re.compile(r'<a\b[^>]*data-yanked="([^"]*)"[^>]*>\s*([^<\s]+)')
SECONDS = 20.0
FOUND, NOT_AUDITED = 1, 3


def pinned_packages() -> dict[str, str]:
    """Return the version of each package in `constraints.txt`."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pairs = (line.split("==") for line in lines if "==" in line)
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in pairs}


def known_advisories(pinned: dict[str, str]) -> Iterator[str]:
    """Yield a line for each pinned version that the list calls vulnerable."""
    for name, fixes in json.loads(KNOWN.read_text()).items():
        for first_safe, advisory in fixes.items():
            if name in pinned and Version(pinned[name]) < Version(first_safe):
                yield f"{name} {pinned[name]}: {advisory}, fixed in {first_safe}"


def osv_advisories(pinned: dict[str, str]) -> Iterator[str]:
    """Yield a line for each advisory of the OSV database."""
    queries = [
        {"version": version, "package": {"name": name, "ecosystem": "PyPI"}}
        for name, version in pinned.items()
    ]
    answer = json.loads(_read(OSV, json.dumps({"queries": queries}).encode()))
    for (name, version), found in zip(pinned.items(), answer["results"], strict=True):
        for advisory in found.get("vulns", ()):
            yield f"{name} {version}: {advisory['id']}"


def withdrawn_releases(pinned: dict[str, str]) -> Iterator[str]:
    """Yield a line for each pinned version that its authors withdrew from the registry."""
    for name, version in pinned.items():
        page = _read(INDEX.format(name=name)).decode("utf-8", "replace")
        for reason, file in _WITHDRAWN.findall(page):
            stem = re.sub(r"[-_.]+", "-", file).lower()
            if re.match(re.sub(r"[-_.]+", "-", f"{name}-{version}") + r"(?:-|$)", stem):
                yield f"{name} {version}: withdrawn ({reason})"
                break


def _read(address: str, body: bytes | None = None) -> bytes:
    with urllib.request.urlopen(address, body, timeout=SECONDS) as answer:
        return bytes(answer.read())


def main() -> int:
    pinned = pinned_packages()
    found = list(known_advisories(pinned))
    code = 0
    if "--known" not in sys.argv:
        for source, look in (("OSV", osv_advisories), ("the registry", withdrawn_releases)):
            try:
                found += look(pinned)
            except (OSError, ValueError, KeyError) as error:
                print(f"NOT AUDITED by {source}: it cannot be asked ({error})", file=sys.stderr)
                code = NOT_AUDITED
    for line in found:
        print(line, file=sys.stderr)
    if found:
        return FOUND
    print(f"{len(pinned)} pinned packages: no advisory found in what could be asked")
    return code


if __name__ == "__main__":
    sys.exit(main())
