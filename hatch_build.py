"""Generate the gateway's Python from its .proto, for every wheel and editable install."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Protocol(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        script = runpy.run_path(str(root / "scripts" / "make_proto.py"))
        if script["stale"](root / "src"):
            script["make"](root / "src")
        # Git does not keep what is generated, and the build leaves out what git does not keep.
        made = script["made"](root / "src")
        build_data["artifacts"] += [f"/{file.relative_to(root)}" for file in made]
