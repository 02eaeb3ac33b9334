"""A shell in the root, where it is allowed: bounded in time and words.

What it started ends with it, except a child that began a session of its own, as
`setsid` and daemons do: that one escapes and lives on. This is no jail: a command
can reach whatever the user can. It is offered only where somebody said so, and
every call can be asked about first.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from contextlib import suppress

from steno.agent.root import RootFolder
from steno.agent.tools import Tool, is_abandoned, tool_of
from steno.core.errors import BadInput

SECONDS = 60.0
SECONDS_MOST = 600.0
OUTPUT_MOST = 100_000
"""Bytes of output that are kept: the first and the last half."""
FILE_MOST = 50_000_000
"""Bytes of output after which the command is stopped."""
POLL_SECONDS = 0.05
"""Seconds between two looks at a command that runs."""


def shell_tool(root: RootFolder) -> Tool:
    def run_command(command: str, seconds: float = SECONDS) -> str:
        """Run a shell command in the root folder; gives its output and exit code."""
        if not command.strip():
            raise BadInput("there is no command")
        return _run_command(command, root, min(max(seconds, 0.1), SECONDS_MOST))

    return tool_of(run_command)


def _run_command(command: str, root: RootFolder, seconds: float) -> str:
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            ["/bin/sh", "-c", command],
            cwd=root.path,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            stopped = _watch(process, output.fileno(), seconds)
        finally:
            _kill(process)
        said = _head_and_tail(output.fileno())
    ended = f"[exit code {process.returncode}]" if stopped is None else f"[stopped {stopped}]"
    if said:
        return f"{said}\n{ended}"
    return ended


def _watch(process: subprocess.Popen[bytes], output: int, seconds: float) -> str | None:
    """Wait for its end; why it has to be stopped before, where it has."""
    until = time.monotonic() + seconds
    # Its end is only looked at, not taken note of: until then its number is nobody else's.
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > until:
            return f"after {seconds:g} seconds"
        if os.fstat(output).st_size > FILE_MOST:
            return f"after {FILE_MOST:,} bytes of output"
        if is_abandoned():
            return "because nobody waits for it any more"
        time.sleep(min(POLL_SECONDS, seconds / 10))
    return None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the command and everything it started in its session."""
    with suppress(ProcessLookupError, PermissionError):  # all of it has ended by itself
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _head_and_tail(file: int) -> str:
    size = os.fstat(file).st_size
    if size <= OUTPUT_MOST:
        return os.pread(file, size, 0).decode("utf-8", "replace").rstrip("\n")
    half = OUTPUT_MOST // 2
    head, tail = os.pread(file, half, 0), os.pread(file, half, size - half)
    cut = f"\n[{size - OUTPUT_MOST:,} bytes are left out here]\n"
    return head.decode("utf-8", "replace") + cut + tail.decode("utf-8", "replace").rstrip("\n")
