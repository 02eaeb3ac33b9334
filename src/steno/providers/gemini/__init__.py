"""Google's Gemini: contents of the Gemini API and of Vertex AI."""

from __future__ import annotations

import os
from typing import Any

from steno.core.errors import BadInput
from steno.providers.gemini.meter import FAMILIES, GEMINI_FAMILY
from steno.providers.gemini.request import REQUEST
from steno.providers.gemini.wire import DECLARATIONS, GeminiWire
from steno.providers.provider import Provider

OPENAI_ENDPOINT = "https://generativelanguage.googleapis.com/v1beta/openai"


class GeminiProvider(Provider):
    wire = GeminiWire()
    title = "Gemini"
    tool_signs = tuple((key, "tools have function declarations") for key in DECLARATIONS)
    whole_responses = (("candidates", "response.candidates[0].content"),)
    families = FAMILIES
    usual_family = GEMINI_FAMILY
    example_model = "gemini:gemini-2.5-flash"
    extra = "gemini"
    sdk = "google.genai"
    request = REQUEST
    refusals = (
        r"exceeds the maximum number of tokens(?: allowed)?(?: \((?P<window>\d[\d,_]*)\))?",
    )

    def open_model(self, name: str, window: int | None) -> Any:
        """Return a model by Google's own endpoint for OpenAI's protocol."""
        from steno.providers.openai_chat.model import OpenAI

        key = os.environ.get("GEMINI_API_KEY")
        if not key:
            raise BadInput("there is no key for Gemini: set GEMINI_API_KEY")
        return OpenAI(name, url=OPENAI_ENDPOINT, key=key, window=window)


PROVIDER = GeminiProvider()
