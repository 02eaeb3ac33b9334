"""How rules are laid down, changed and lifted: one table a language.

A new language is one module with one `Tongue`, and its name in `TONGUES`.
"""

from steno.facts.languages.cues import LanguageCues
from steno.facts.languages.de import GERMAN
from steno.facts.languages.en import ENGLISH
from steno.facts.languages.es import SPANISH
from steno.facts.languages.fr import FRENCH
from steno.facts.languages.zh import CHINESE

__all__ = ["CHINESE", "ENGLISH", "LANGUAGES", "LanguageCues"]

LANGUAGES = (ENGLISH, GERMAN, FRENCH, SPANISH)
"""Those told apart by their small words; Chinese is told by its script."""
