"""Where a request goes: one provider by its path, another by its model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from steno.core.errors import BadInput
from steno.providers.shared.surface import Surface
from steno.proxy.surfaces import SURFACES

UPSTREAMS = {
    upstream.name: upstream
    for surface in SURFACES
    for upstream in (surface.upstream, surface.account)
    if upstream is not None
}


@dataclass(frozen=True)
class Upstreams:
    """The addresses to send to."""

    by_provider: Mapping[str, str]
    by_model: Sequence[tuple[str, str]] = ()
    """Patterns of model names with their addresses; the first that fits wins."""
    by_prefix: Sequence[tuple[str, str]] = ()
    """Beginnings of paths with their addresses; the beginning is not sent."""

    def choose(self, path: str, provider: str, model: str) -> str:
        """Return the whole address for a path; `provider` is asked if nothing else is said."""
        for prefix, url in self.by_prefix:
            if path == prefix or path.startswith(prefix + "/"):
                return url + path[len(prefix) :]
        for pattern, url in self.by_model:
            if model and fnmatchcase(model, pattern):
                return url + path
        if provider not in self.by_provider:
            provider = "openai"
        return self.by_provider[provider] + path.removeprefix(UPSTREAMS[provider].cut)


def read_upstreams(given: Sequence[str], environ: Mapping[str, str] | None = None) -> Upstreams:
    """Read what the command line says of upstreams; what it does not say is as the SDKs have it.

    Each is an address for everything, or `openai=`, `anthropic=`, `gemini=`, `model:PATTERN=` or
    `/PREFIX=` before one.
    """
    if environ is None:
        environ = os.environ
    by_provider = {}
    for name, upstream in UPSTREAMS.items():
        by_provider[name] = _base_url(environ.get(upstream.variable) or upstream.url)
    by_model, by_prefix = [], []
    for text in given:
        key, _, url = text.rpartition("=")
        if not key:
            # Accounts too: its paths are the clients' own, so nothing is cut off them.
            by_provider = {name: _base_url(url) for name in by_provider if not UPSTREAMS[name].cut}
        elif key in UPSTREAMS:
            by_provider[key] = _base_url(url)
        elif key.startswith("model:"):
            by_model.append((key.removeprefix("model:"), _base_url(url)))
        elif key.startswith("/"):
            by_prefix.append((key.rstrip("/"), _base_url(url)))
        else:
            named = ", ".join(f"{name}=ADDRESS" for name in UPSTREAMS)
            raise BadInput(
                f"--upstream {text!r}: write an address, or {named}, model:PATTERN=ADDRESS or "
                "/PREFIX=ADDRESS"
            )
    return Upstreams(by_provider, tuple(by_model), tuple(by_prefix))


def _base_url(url: str) -> str:
    """Return an address without its API version, which clients' paths carry."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput(f"{url!r} is no address of a provider: write http://… or https://…")
    return url.rstrip("/").removesuffix("/v1")


def provider_of(path: str, headers: Mapping[str, str], surface: Surface | None = None) -> str:
    """Tell the provider of a request: of its API and login, else by the headers it needs."""
    if surface is not None:
        account = surface.account
        if account is not None and any(name in headers for name in account.headers):
            return account.name
        return surface.upstream.name
    for upstream in UPSTREAMS.values():
        if any(name in headers for name in upstream.headers):
            return upstream.name
    for surface in SURFACES:
        if any(part in path for part in (*surface.request.ends, *surface.upstream.paths)):
            return surface.upstream.name
    return "openai"
