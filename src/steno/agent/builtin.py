"""The built-in tools: files under one root, and a shell if it is allowed.

The shell tool runs commands in the root, bounded in time and output.

Processes that a command started end with it, except those that begin a session of
their own, as `setsid` and daemons do. This is no jail: a command can reach whatever the
user can. The tool is off by default and not safe, so `confirm` is asked about each call.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
from contextlib import suppress

from steno.agent.files import file_tools
from steno.agent.root import RootFolder
from steno.agent.tools import Tool, is_abandoned, tool_of
from steno.core.errors import BadInput

SECONDS = 60.0
SECONDS_MOST = 600.0
OUTPUT_MOST = 100_000
"""Bytes of output that are kept: the first and the last half."""
FILE_MOST = 50_000_000
"""Bytes of output after which the command is stopped."""
_SECRET_NAME = re.compile(
    r"KEY$|KEY_ID$|_KEY_|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|_PAT$|_AUTH$|_DSN$|DATABASE_URL"
    r"|CONNECTION_STRING|WEBHOOK",
    re.I,
)
"""Names of variables that are not passed on."""
POLL_SECONDS = 0.05
"""Seconds between two checks of a running command."""


def builtin_tools(
    root: str | os.PathLike[str],
    *,
    shell: bool = False,
) -> list[Tool]:
    """Return tools to read, write, edit, list and search files under `root`.

    shell: add a tool that runs commands in `root`.
    """
    ground = RootFolder(root)
    tools = file_tools(ground)
    if shell:
        tools.append(shell_tool(ground))
    return tools


def shell_tool(root: RootFolder) -> Tool:
    """Return a tool that runs commands in a root."""

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
            # A file and not a pipe: a full pipe would hold up a command whose output is not read.
            stdout=output,
            stderr=subprocess.STDOUT,
            # Without variables that hold secrets: the model reads what the command prints.
            env={key: value for key, value in os.environ.items() if not _SECRET_NAME.search(key)},
            # A group of its own, so that it can be killed with all that it started.
            start_new_session=True,
        )
        try:
            stopped = _watch(process, output.fileno(), seconds)
        finally:
            # Also after a normal end: what it left running in the background goes too.
            with suppress(ProcessLookupError, PermissionError):  # everything has ended already
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output_text = _head_and_tail(output.fileno())
    end = f"[exit code {process.returncode}]"
    if stopped is not None:
        end = f"[stopped {stopped}]"
    if output_text:
        return f"{output_text}\n{end}"
    return end


def _watch(
    process: subprocess.Popen[bytes],
    output: int,
    seconds: float,
) -> str | None:
    """Wait for the end of a command; return why it has to be stopped, if it has."""
    until = time.monotonic() + seconds
    # WNOWAIT leaves it a zombie, so that no other process can get its id before we kill its group.
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > until:
            return f"after {seconds:g} seconds"
        if os.fstat(output).st_size > FILE_MOST:
            return f"after {FILE_MOST:,} bytes of output"
        if is_abandoned():
            return "because it is no longer waited for"
        time.sleep(min(POLL_SECONDS, seconds / 10))
    return None


def _head_and_tail(file: int) -> str:
    size = os.fstat(file).st_size
    if size <= OUTPUT_MOST:
        return os.pread(file, size, 0).decode("utf-8", "replace").rstrip("\n")
    half = OUTPUT_MOST // 2
    head, tail = os.pread(file, half, 0), os.pread(file, half, size - half)
    cut = f"\n[{size - OUTPUT_MOST:,} bytes are left out here]\n"
    return head.decode("utf-8", "replace") + cut + tail.decode("utf-8", "replace").rstrip("\n")
