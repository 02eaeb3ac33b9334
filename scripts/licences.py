"""Check the licences of what is installed against a list of those that we may depend on.

    python scripts/licences.py             print the table
    python scripts/licences.py --check     fail if a package has another licence, or none
    python scripts/licences.py --sbom      print them as a bill of materials (CycloneDX 1.6)

Reads the packages' own metadata and nothing else. Packages under the LGPL are used as they are,
by import, and only by extras and tests; a new one has to be named here.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions

ALLOWED = re.compile(
    r"\b(?:MIT(?:-0)?|Apache(?: Software)?(?: License)?(?:[-, ]+(?:Version )?2\.0)?|0BSD"
    r"|(?:3-Clause )?BSD(?:-[23]-Clause)?|ISC(?: License \(ISCL)?|PSF-2\.0|Python-2\.0|CNRI-Python"
    r"|DFSG approved|Zlib|CC0-1\.0|Unlicense|MPL-2\.0|Mozilla Public License 2\.0 \(MPL 2\.0)"
    r"(?: License)?(?![-\w])"
)
LESSER = {"psycopg", "psycopg-binary", "psycopg-pool", "python-stdnum"}
"""Packages under the LGPL that extras and tests use."""


def stated_licence(package: Distribution) -> str:
    """Return the licence that a package states, in the most exact form it has."""
    metadata = package.metadata
    expression = metadata.get("License-Expression")
    if expression:
        return str(expression)
    classifiers = metadata.get_all("Classifier") or []
    named = [line.rpartition(" :: ")[2] for line in classifiers if line.startswith("License ::")]
    if named:
        return " OR ".join(named)
    stated = metadata.get("License")
    if not stated:
        files = metadata.get_all("License-File") or [""]
        stated = package.read_text(f"licenses/{files[0]}")
    return str(stated or "").partition("\n")[0].strip()


def is_allowed(licence: str) -> bool:
    """Tell whether a statement names licences of the list and nothing else."""
    rest = re.sub(r"\b(?:AND|OR)\b|[(),\s]", "", ALLOWED.sub(" ", licence))
    return bool(licence) and not rest


def wrong_packages() -> Iterator[str]:
    """Yield a line for each package whose licence is not on the list."""
    for package in distributions():
        name = package.metadata["Name"]
        licence = stated_licence(package)
        lesser = name.lower() in LESSER and re.match(r"LGPL|GNU Lesser", licence)
        if not lesser and not is_allowed(licence):
            yield f"{name} {package.version}: {licence or 'no licence is stated'}"


def bill_of_materials() -> dict[str, object]:
    """Return the installed packages with versions and licences, as CycloneDX wants them."""
    components = []
    for package in sorted(distributions(), key=lambda each: each.metadata["Name"].lower()):
        name, version = package.metadata["Name"], package.version
        components.append(
            {
                "type": "library",
                "name": name,
                "version": version,
                "purl": f"pkg:pypi/{re.sub(r'[-_.]+', '-', name).lower()}@{version}",
                "licenses": [{"license": {"name": stated_licence(package) or "not stated"}}],
            }
        )
    return {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": components}


def main() -> int:
    if "--sbom" in sys.argv:
        print(json.dumps(bill_of_materials(), indent=1))
        return 0
    if "--check" not in sys.argv:
        for package in sorted(distributions(), key=lambda each: each.metadata["Name"].lower()):
            print(f"{package.metadata['Name']:36}{stated_licence(package)[:80]}")
    wrong = sorted(wrong_packages())
    for line in wrong:
        print(f"not on the list of licences: {line}", file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
