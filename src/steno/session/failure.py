"""What a failure is told as: its kind and where it came from, never the conversation.

The words of a foreign error may quote what people said, so only its kind is told.
"""

from __future__ import annotations

import json
import traceback
from pathlib import Path

from steno.core.errors import StenoError

PACKAGE = Path(__file__).parent.parent
STANDARD_LIBRARY = str(Path(json.__file__).parent.parent)
"""Folder of the standard library."""


def reason_of(failure: Exception) -> str:
    """Return an error of ours with its message, of any other only the kind.

    The message of another error may quote the conversation.
    """
    if isinstance(failure, StenoError):
        return f"{type(failure).__name__}: {failure}"
    return type(failure).__name__


def place_of(failure: BaseException) -> str:
    """Return module and line that raised, e.g. `steno.facts.errors:88`; outside Steno the file."""
    frames = traceback.extract_tb(failure.__traceback__)
    if not frames:
        return ""
    # The standard library raises where it was called wrongly: the caller is what one looks for.
    telling = [frame for frame in frames if not _is_standard(frame.filename)]
    frame = (telling or frames)[-1]
    path, line = Path(frame.filename), frame.lineno
    try:
        inside = path.relative_to(PACKAGE).with_suffix("")
    except ValueError:
        return f"{path.name}:{line}"
    return f"{'.'.join(('steno', *inside.parts))}:{line}"


def _is_standard(path: str) -> bool:
    """Tell whether a file belongs to Python itself; installed packages may lie in its folder."""
    return path.startswith(STANDARD_LIBRARY) and "site-packages" not in path
