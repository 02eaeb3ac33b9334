"""The gateway's protocol, version 1: the generated messages, and the names of its calls."""

from __future__ import annotations

from types import ModuleType

from steno.core.errors import needs_extra

SERVICE = "steno.gateway.v1.Gateway"
INFERENCE, STREAM = "Inference", "StreamInference"
NEEDS = ("the gateway needs gRPC", "gateway")


def messages() -> ModuleType:
    """Return the generated messages, or raise with the way to get what is missing."""
    try:
        import google.protobuf.message  # noqa: F401
        import grpc  # noqa: F401
    except ImportError:
        raise needs_extra(*NEEDS) from None
    from steno.gateway.v1 import gateway_pb2

    return gateway_pb2
