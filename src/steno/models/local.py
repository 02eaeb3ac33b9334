"""A GGUF file as a model: llama.cpp in this process, behind its own server on loopback.

Owns the server, from loading to `close`. It is called by OpenAI's protocol, as any
other server.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from steno.core.errors import BadInput
from steno.providers.openai_chat.model import OpenAI
from steno.providers.shared.model import import_sdk

DEFAULT_WINDOW = 8_192


class Local(OpenAI):
    """A model in a file; it holds its memory until it is closed or collected."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        window: int | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        file = Path(path)
        if not file.is_file():
            raise BadInput(f"there is no model file at {file}")
        size, key = window or DEFAULT_WINDOW, os.urandom(16).hex()
        server = start_server(file, size, key)
        super().__init__(
            file.stem, url=f"{server.listening_address}/v1", key=key, window=size, options=options
        )
        self._server: Any = server

    def __repr__(self) -> str:
        return f"Local({self.name!r})"

    def close(self) -> None:
        """Stop the server and free its memory."""
        super().close()
        # Its end comes with its last reference; there is nothing to call.
        self._server = None


def start_server(file: Path, window: int, key: str) -> Any:
    """Start a server that takes only calls with this key: others may share the machine."""
    llama = import_sdk("xllamacpp", "local")
    params = llama.CommonParams()
    params.model.path = str(file)
    params.n_ctx, params.n_parallel = window, 1
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.api_keys = [key]
    params.warmup, params.verbosity = False, -1
    try:
        return llama.Server(params)
    except RuntimeError:
        raise BadInput(
            f"{file} cannot be loaded: it is no GGUF model, or there is too little memory for it"
        ) from None
