"""Look for pinned packages with known vulnerabilities, and for withdrawn releases.

    python scripts/audit.py --known     by the list beside this script: needs no network
    python scripts/audit.py             also by the registry that pip is configured for, and OSV

The list names, for each package, the first version without an advisory. It is what was known
when it was written, so it keeps an old version from coming back and finds nothing new.

The registry states the advisories of a release in its JSON; OSV is asked for what it does not
answer. Packages that neither answers for are named, and the audit fails with code 3 if there
are any: not audited is not the same as clean. With `--most N` so many may be left.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from packaging.version import Version
from pip._internal.models.index import PyPI

ROOT = Path(__file__).parent.parent
KNOWN = Path(__file__).with_name("advisories.json")
OSV = "https://api.osv.dev/v1/querybatch"
SECONDS = 20.0
AT_ONCE = 8
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


def registry_address() -> str:
    """Return where the registry of pip's configuration answers in JSON."""
    index = os.environ.get("PIP_INDEX_URL", "")
    if not index:
        asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
        told = subprocess.run(asked, capture_output=True, text=True, check=False)
        index = told.stdout.strip() or PyPI.simple_url
    return index.rstrip("/").removesuffix("simple") + "pypi"


def registry_advisories(registry: str, name: str, version: str) -> list[str] | None:
    """Return what the registry holds against a release, or None if it does not answer."""
    # The newest release answers under the name of the project, also in mirrors that keep no
    # answer for each release.
    for address in (f"{registry}/{name}/json", f"{registry}/{name}/{version}/json"):
        try:
            answer = json.loads(_read(address))
            if answer["info"]["version"] != version:
                continue
            return [f"{name} {version}: {told}" for told in _objections(answer)]
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return None


def _objections(answer: dict[str, Any]) -> Iterator[str]:
    """Yield the advisories of a release that stand, and whether its authors withdrew it."""
    for advisory in answer["vulnerabilities"]:
        if not advisory.get("withdrawn"):
            yield " ".join([advisory["id"], *advisory.get("aliases", ())])
    if answer["info"].get("yanked"):
        yield f"withdrawn ({answer['info'].get('yanked_reason')})"


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


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _read(address: str, body: bytes | None = None) -> bytes:
    with urllib.request.urlopen(address, body, SECONDS, context=_tls()) as answer:
        return bytes(answer.read())


def ask_databases(pinned: dict[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return what the registry and OSV know, and the packages that neither answered for."""
    registry = registry_address()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(lambda pin: registry_advisories(registry, *pin), pinned.items()))
    found = [line for answer in answers for line in answer or ()]
    answered = zip(pinned.items(), answers, strict=True)
    left = {name: version for (name, version), answer in answered if answer is None}
    if left:
        try:
            found += osv_advisories(left)
            left = {}
        except (OSError, ValueError, KeyError) as error:
            print(f"OSV cannot be asked ({error})", file=sys.stderr)
    return found, left


def main() -> int:
    parser = argparse.ArgumentParser(description="Look for vulnerable packages.")
    parser.add_argument("--known", action="store_true", help="ask nobody, look at the list")
    parser.add_argument("--most", type=int, default=0, help="packages that may stay unaudited")
    given = parser.parse_args()
    pinned = pinned_packages()
    found = list(known_advisories(pinned))
    left: dict[str, str] = {}
    if not given.known:
        new, left = ask_databases(pinned)
        found += new
    for line in found:
        print(line, file=sys.stderr)
    for name, version in left.items():
        print(f"NOT AUDITED: {name} {version}", file=sys.stderr)
    if found:
        return FOUND
    print(f"{len(pinned) - len(left)} of {len(pinned)} pinned packages: no advisory found")
    if len(left) > given.most:
        return NOT_AUDITED
    return 0


if __name__ == "__main__":
    sys.exit(main())
