"""Resolves a model's name to the model; its window is looked up by the caller and passed in."""

from __future__ import annotations

import os
from typing import Any

from steno.core.errors import BadInput
from steno.providers import PROVIDERS

GATEWAY_SCHEMES = ("grpc://", "grpcs://")
URL_SCHEMES = ("http://", "https://")


def model_name(model: str) -> str:
    """Return a model's own name, as its provider knows it."""
    if model.startswith(GATEWAY_SCHEMES):
        return model
    if model.startswith(URL_SCHEMES):
        return model.partition("#")[2]
    return model.partition(":")[2]


def is_hosted(model: str) -> bool:
    """Whether a name is of a model that its provider runs, so that its window is known."""
    return _has_models(model.partition(":")[0])


def resolve_model(model: Any, *, window: int | None = None) -> Any:
    """Return the model of a name; an object with `answer` or `turn` is a model itself."""
    if not isinstance(model, str):
        if callable(getattr(model, "answer", None)) or callable(getattr(model, "turn", None)):
            return model
        raise BadInput(
            f"a model is a name or an object with answer(ask), got {type(model).__name__}; "
            f"names are {name_forms()}"
        )
    if model.startswith(GATEWAY_SCHEMES):
        return _model_at_gateway(model, window)
    if model.startswith(URL_SCHEMES):
        return _model_at_url(model, window)
    kind, _, name = model.partition(":")
    if name and _has_models(kind):
        return PROVIDERS[kind].open_model(name, window)
    raise BadInput(f"cannot tell which model {_safe_repr(model)} is; names are {name_forms()}")


def name_forms() -> str:
    """Return every form of a model's name, by an example each."""
    examples = [provider.example_model for provider in PROVIDERS.values()]
    return (
        f"{', '.join(filter(None, examples))}, "
        "http://host:port/v1#model for any server that speaks OpenAI's protocol, "
        "or grpc://host:port (grpcs:// with TLS) for a gateway"
    )


def _has_models(kind: str) -> bool:
    return kind in PROVIDERS and bool(PROVIDERS[kind].example_model)


def _model_at_url(address: str, window: int | None) -> Any:
    from steno.providers.openai_chat.model import OpenAI

    url, _, name = address.partition("#")
    if not name:
        raise BadInput("an address needs the model's name after it: http://host:port/v1#model")
    return OpenAI(name, url=url, window=window)


def _model_at_gateway(url: str, window: int | None) -> Any:
    from steno.gateway.client import TOKEN_VARIABLE, Gateway

    scheme, _, address = url.partition("://")
    token = os.environ.get(TOKEN_VARIABLE) or None
    return Gateway(address, token=token, tls=scheme == "grpcs", window=window)


def _safe_repr(text: str) -> str:
    """Return a text for an error, unless it may be a key that was passed as a model."""
    if len(text) <= 40 and not text.startswith("sk-"):
        return repr(text)
    return "that text"
