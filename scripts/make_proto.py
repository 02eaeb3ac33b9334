"""Generate the Python of the gateway's protocol beside its .proto: `make proto`."""

from __future__ import annotations

import sys
from pathlib import Path

from grpc_tools import protoc

SOURCE = Path(__file__).resolve().parent.parent / "src"
PROTO = "steno/gateway/v1/gateway.proto"


def make(target: Path) -> None:
    """Write messages and their types below `target`, in the folders of the package."""
    outputs = [f"--{kind}={target}" for kind in ("python_out", "pyi_out")]
    code = protoc.main(["protoc", f"-I{SOURCE}", *outputs, PROTO])
    if code:
        raise SystemExit(f"protoc could not read {PROTO} (exit code {code})")


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE)
