"""Google's Gemini: contents of the Gemini API and of Vertex AI."""

from __future__ import annotations

from steno.providers.gemini.meter import FAMILIES, GEMINI_FAMILY
from steno.providers.gemini.wire import BLOCK_TYPES, GeminiWire
from steno.providers.provider import Provider


class GeminiProvider(Provider):
    wire = GeminiWire()
    title = "Gemini"
    block_types = BLOCK_TYPES
    tool_signs = (
        ("functionDeclarations", "tools have function declarations"),
        ("function_declarations", "tools have function declarations"),
    )
    whole_responses = (("candidates", "response.candidates[0].content"),)
    families = FAMILIES
    usual_family = GEMINI_FAMILY
    model_class = "Gemini"
    example_model = "gemini:gemini-2.5-flash"
    extra = "gemini"
    sdk = "google.genai"
    refusals = (
        r"exceeds the maximum number of tokens(?: allowed)?(?: \((?P<window>\d[\d,_]*)\))?",
    )


PROVIDER = GeminiProvider()
