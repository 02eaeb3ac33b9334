"""`steno statusline`: one line about the running proxy, for the agent's own status line."""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from collections.abc import Mapping
from typing import Any

from steno.inspector.describe import plural, short_count

SECONDS = 1.0
ADDRESS = "ANTHROPIC_BASE_URL"


def statusline() -> None:
    """Print what Steno did so far in this run of Claude Code, in one line.

    For Claude Code's setting statusLine; steno wrap gives it to claude if you have none of your
    own. Claude Code writes its state to stdin, which is not needed: the proxy whose address
    ANTHROPIC_BASE_URL holds is asked. Without such a proxy it prints nothing.

    Examples

      steno statusline < /dev/null > line.txt
    """
    if not sys.stdin.isatty():
        sys.stdin.read()
    stats = _stats(os.environ.get(ADDRESS, ""))
    if stats.get("requests"):
        sys.stdout.write(f"{status_of(stats)}\n")


def _stats(base: str) -> Mapping[str, Any]:
    """Return the figures of the proxy at an address; none if there is no proxy."""
    try:
        with urllib.request.urlopen(f"{base}/stats", timeout=SECONDS) as answer:
            found = json.load(answer)
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return found


def status_of(stats: Mapping[str, Any]) -> str:
    """Return the line: what the newest request showed, and what was spared."""
    shown, hidden = stats["newest_tokens"], stats["newest_spared"]
    parts = [f"Steno: {short_count(shown)} of {short_count(shown + hidden)} shown"]
    if stats["tokens_billed"]:
        parts.append(f"{stats['tokens_cached'] / stats['tokens_billed']:.0%} cached")
    if stats["newest_compactions"]:
        parts.append(plural(stats["newest_compactions"], "compaction"))
    parts.append(f"{short_count(stats['tokens_spared'])} spared")
    return " · ".join(parts)
