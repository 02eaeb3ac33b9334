"""Secrets that are masked in what a summary quotes, and the data files that describe them."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from steno.secrets import mask_secrets
from steno.secrets.keys import _read, key_patterns, stand_in

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijk"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("export API_KEY=sk-ant-api03-" + "A" * 40 + " && make", "export API_KEY=[secret] && make"),
        (f"curl -H 'Authorization: Bearer {JWT}' x", "curl -H 'Authorization: Bearer [secret]' x"),
        ("DB_PASSWORD=hunter2hunter2\nMODE=x", "DB_PASSWORD=[secret]\nMODE=x"),
        ("STRIPE=sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc", "STRIPE=[secret]"),
        ("psql postgres://app:hunter2x@db/app", "psql postgres://app:[secret]@db/app"),
        ('"password": "correct-horse-9"', '"password": "[secret]"'),
        ("AKIA" + "ABCDEFGH12345678", "[secret]"),
        ("hooks.slack.com/services/T0/B0/" + "a1B2" * 6, "hooks.slack.com/services/[secret]"),
        ("bot1234567890:AA" + "aB3dE5fG7hJ9" * 2 + "aB3dE5fG7/getMe", "bot[secret]/getMe"),
    ],
)
def test_a_secret_is_masked(text: str, masked: str) -> None:
    assert mask_secrets(text) == masked
    assert mask_secrets(masked) == masked


@pytest.mark.parametrize(
    "text",
    [
        "SECRET_KEY=os.environ['SECRET_KEY']",
        "password = input()",
        "API_KEY=$OTHER_KEY",
        "token: str | None = None",
        "the secret of the parser is simple",
        "git clone https://github.com/a/b",
        "MAX_TOKEN=get_limit(window)",
    ],
)
def test_code_and_words_stay(text: str) -> None:
    assert mask_secrets(text) == text


def test_every_pattern_of_the_data_files_compiles() -> None:
    for known in key_patterns():
        assert known.cues and re.compile(known.source)
    for name in _read("forms.toml")["stand_ins"]:
        assert stand_in(name)


def test_a_key_is_found_behind_an_escaped_line_end_and_not_within_a_word() -> None:
    key = "gsk_" + "aB3dE5fG7hJ9" * 2
    assert mask_secrets(f'"first\\n{key}"') == '"first\\n[secret]"'
    assert mask_secrets(f"tasgsk_{key[4:]}") == f"tasgsk_{key[4:]}"


@pytest.mark.slow
def test_importing_steno_compiles_no_large_pattern() -> None:
    script = "import steno.redact; from steno.secrets import keys; "
    script += "print(keys.compiled.cache_info().currsize, keys._read.cache_info().currsize)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "0 0\n"
