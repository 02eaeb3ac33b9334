"""Google's Gemini: contents of the Gemini API and of Vertex AI."""
