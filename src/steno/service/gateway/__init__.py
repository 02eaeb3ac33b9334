"""A gateway: any model of Steno's behind one address, by gRPC, for agents that are elsewhere."""

from steno.service.gateway.server import Serving, serving

__all__ = ["Serving", "serving"]
