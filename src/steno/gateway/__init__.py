"""A gateway for models: the protocol (`v1/gateway.proto`) and its server.

The protocol's Python is generated when the package is built. `steno.gateway.server`
serves it; `steno.gateway.client` is the client.
"""
