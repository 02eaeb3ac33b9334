"""Contracts that you can run against your own store or wire.

    from steno.testing import StoreContract

    class TestMyStore(StoreContract):
        def make_store(self):
            return MyStore()

Each contract is a class of plain `test_…` methods: pytest collects them from your subclass.
`steno.testing.machine.StoreMachine` compares a store with `MemoryStore` on random stories; it
needs hypothesis, everything else needs only Steno.
"""

from steno.testing.stores import StoreContract
from steno.testing.wires import WireContract, check_identity, spellings

__all__ = ["StoreContract", "WireContract", "check_identity", "spellings"]
