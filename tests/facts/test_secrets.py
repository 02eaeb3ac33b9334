"""Secrets in what a summary quotes."""

from __future__ import annotations

import pytest

from steno.facts.secrets import mask_secrets

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
