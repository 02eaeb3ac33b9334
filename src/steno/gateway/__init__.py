"""The protocol between a model's gateway and its clients: `v1/gateway.proto`.

The Python of it is generated when the package is built, not kept. Who serves it
is `steno.gateway.server`, who calls it `steno.models.gateway`.
"""
