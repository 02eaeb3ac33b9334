"""A store that fails where a test wants it to, at its own methods: the seam sessions rely on."""

from __future__ import annotations

from typing import Any, NoReturn

from steno.store.in_process import MemoryStore


class FaultyStore(MemoryStore):
    """A store in memory whose named methods raise, until they are repaired."""

    def __init__(self, **errors: Exception) -> None:
        super().__init__()
        for method, error in errors.items():
            self.break_method(method, error)

    def break_method(self, name: str, error: Exception) -> None:
        """Raise this error whenever the method is called."""
        assert callable(getattr(MemoryStore, name)), name

        def fail(*_: Any, **__: Any) -> NoReturn:
            raise error

        setattr(self, name, fail)

    def repair_method(self, name: str) -> None:
        """Let the method work again."""
        delattr(self, name)
