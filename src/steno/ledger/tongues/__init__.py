"""How rules are laid down, changed and lifted: one table a language.

A new language is one module with one `Tongue`, and its name in `TONGUES`.
"""

from steno.ledger.tongues.chinese import CHINESE
from steno.ledger.tongues.english import ENGLISH
from steno.ledger.tongues.french import FRENCH
from steno.ledger.tongues.german import GERMAN
from steno.ledger.tongues.spanish import SPANISH
from steno.ledger.tongues.tongue import Tongue

__all__ = ["CHINESE", "ENGLISH", "TONGUES", "Tongue"]

TONGUES = (ENGLISH, GERMAN, FRENCH, SPANISH)
"""Those told apart by their small words; Chinese is told by its script."""
