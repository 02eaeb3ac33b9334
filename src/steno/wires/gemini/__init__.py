"""Google's Gemini: `contents` of the Gemini API and of Vertex AI."""

from steno.wires.gemini.wire import GeminiWire

__all__ = ["GeminiWire"]
