"""Amazon Bedrock: messages of the Converse API."""

from steno.wires.bedrock.wire import BedrockWire, with_bytes

__all__ = ["BedrockWire", "with_bytes"]
