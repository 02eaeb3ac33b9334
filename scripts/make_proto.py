"""Generate the Python of the gateway's protocol beside its .proto.

The build calls it, and `make proto`.

python scripts/make_proto.py            where grpcio-tools is installed
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROTO = "steno/gateway/v1/gateway.proto"


def made(source: Path) -> list[Path]:
    """Where the generated files of a source folder stand."""
    return [source / PROTO.replace(".proto", "_pb2.py")]


def stale(source: Path) -> bool:
    """Something is missing, or older than what it is made from."""
    then = (source / PROTO).stat().st_mtime
    return any(not file.exists() or file.stat().st_mtime < then for file in made(source))


def make(source: Path) -> None:
    """Generate, each file put in place whole: others may be importing it."""
    from grpc_tools import protoc

    with tempfile.TemporaryDirectory(dir=source) as fresh:
        code = protoc.main(["protoc", f"-I{source}", f"--python_out={fresh}", PROTO])
        if code:
            raise SystemExit(f"protoc could not read {PROTO} (exit code {code})")
        for new, there in zip(made(Path(fresh)), made(source), strict=True):
            os.replace(new, there)


if __name__ == "__main__":
    make(ROOT / "src")
    sys.stdout.write("".join(f"{file.relative_to(ROOT)}\n" for file in made(ROOT / "src")))
