"""LangChain: its messages as JSON. The models are those of its own integrations."""

from __future__ import annotations

from steno.providers.langchain.wire import LangChainWire
from steno.providers.provider import Provider


class LangChainProvider(Provider):
    wire = LangChainWire()
    in_files = False


PROVIDER = LangChainProvider()
