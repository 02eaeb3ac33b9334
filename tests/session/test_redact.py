"""Secrets leave before anything is kept or sent. Every secret here was made up for these tests."""

from __future__ import annotations

import asyncio
import io
import json
import re
import stat
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest
from anthropic import Anthropic
from openai import AsyncOpenAI, OpenAI

import steno
from steno.adapters.resent.incoming import IncomingReader, SdkFormat, chain_keys
from steno.adapters.resent.sessions import ListSessions
from steno.adapters.wrap import _Interceptor
from steno.providers import get_wire
from steno.session.options import SessionOptions
from tests.secrets.forms import FORMS
from tests.secrets.tables import (
    ARGUMENTS,
    LOOK_ALIKES,
    PLAIN_ARGUMENTS,
    RANDOM_ARGUMENTS,
    WRITTEN,
)
from tests.support import legal
from tests.support.loopback import Loopback, Say, Wrong
from tests.support.paths import ROOT
from tests.support.promises import proves
from tests.support.sample_messages import anthropic_talk, openai_talk

AWS = "AKIA" + "Q3EGRIH4SAMPLE77"
SECRETS = {
    "aws": AWS,
    "github-token": "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2,
    "api-key": "sk-proj-" + "Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2",
    "slack": "xoxb-" + "123456789012-abcdefghij",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP_mB92K27uhbUJU1p",
    "email": "grace.hopper+navy@example.org",
    "card": "4242 4242 4242 4242",
    "basic-auth": "hunter2hunter2",
    "private-key": "-----BEGIN RSA PRIVATE KEY-----\n"
    "MIIEowIBAAKCAQEA\nabc\n-----END RSA PRIVATE KEY-----",
}
HARMLESS = (
    "commit 9b1d7f0c2e4a6b8d0f1e3c5a7b9d1f3e5c7a9b1d",
    "order 4242424242424241 shipped at 1700000000000000000",
    "see user@host and @decorator, a.b@c",
    "def token(secret: str) -> None: password = read_password()",
    "https://example.org/a?b=c#d",
    "connect(password=settings.password, secret=secret)",
    "totals 1,234,567,890,123,456 and 4,242.42",
    "if token == other: key = value",
    "npm_config_registry of the ops_team_is_responsible_for_2",
    "PASS: tests/test_a.py::test_b and TOKEN: /path/to/file/1",
    "call_AbC123dEf456GhI789jKl012 with API_KEY=$OTHER_KEY_1",
    "192.168.100.200:4242 on 2026/11/16 for 👩\u200d💻",
    "the token is expired, the secret is number two",
    "the api key is read from src/config9.py",
    "mysql -p shop && mysql -h db-1 -P 3306",
    "PWD=/home/ada1 and pwd: ~/x2, apiKey: config.apiKey2, pw = page.width2",
    "password: string; password | varchar(255)\n token | integer | 12",
    "- name: API_KEY\n  value: ${{ secrets.X1 }}\n- name: TOKEN_LIMIT\n  value: 4096",
    "the password is base64 encoded, use password v2, pass: 100%",
    "session_token = make_session_token_v2(user), refresh_token = tokens2[0]",
    "git push -u origin feature:main2; docker run -p 8080:80 x; curl -b cookies.txt example.org",
    "4b1d9f0c2e4a6b8d0f1e3c5a7b9d1f3e5c7a9b1d, sig = inspect.signature(f1), ?key=value1&b=2",
    "[4111, 1111, 1111, 1111] and git@github.com:org/repo.git",
    "id 42424242-4242-4242-4242-424242424242 of 1a424242-4242-4242-4242-420000000000",
    "docker run --user 1000:100000 x; cookie: this text of ours, with a = b in it, is prose",
    'password = getpass("Password:"); setPassword("password"); password: str = Field(default=None)',
    '"password": "Must be at least 8 characters", password="Enter your password"',
    "private_key = load_key(path1), private_key: keys/id_rsa_for_the_server1.pem",
    "run(\n    model,\n    apiKey,\n    undefined,\n    customInstructions,\n)",
)
CARD = 4111111111111111


@proves("redact.kinds")
@pytest.mark.parametrize(("text", "secret"), FORMS, ids=[text[:50] for text, _ in FORMS])
def test_no_common_way_to_write_a_secret_leaves_it_in_clear(text: str, secret: str) -> None:
    assert secret not in steno.Redactor().text(text)


@proves("redact.kinds")
@pytest.mark.parametrize("secret", ["hV7kQ2mX9pL4wZ8tB3nC", "0f1e2d3c4b5a69788796a5b4c3d2e1f0"])
def test_a_name_gives_a_secret_away_in_every_language_and_notation(secret: str) -> None:
    redactor = steno.Redactor()
    texts = [text.replace("§", secret) for text in WRITTEN]
    assert [text for text in texts if secret in redactor.text(text)] == []


@proves("redact.kinds")
def test_what_only_looks_like_a_secret_stays() -> None:
    redactor = steno.Redactor()
    assert [text for text in LOOK_ALIKES if redactor.text(text) != text] == []


PIECES = ("aB3dE5fG7h", "J9kL1mN3pQ")


@proves("redact.kinds")
@pytest.mark.parametrize(
    "text",
    [
        'password = "{}" + "{}"',
        "secret = '{}' . '{}';",
        'apiKey = "{}" +\n    "{}"',
        'PASSWORD = ("{}"\n            "{}")',
        "password='{}''{}'",
        'keys: {{ api_key: ["{}", "{}"] }}',
        '"password": "{}\\"{}"',
    ],
)
def test_a_secret_in_pieces_leaves_none_of_them(text: str) -> None:
    clean = steno.Redactor().text(text.format(*PIECES))
    assert not any(piece in clean for piece in PIECES)


@proves("redact.kinds")
@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("PIN: 4711", "4711"),
        ("your OTP is 482913", "482913"),
        ("cvv: 913", "913"),
        ("4111 1111\n1111 1111", "1111"),
        ("٤١١١ ١١١١ ١١١١ ١١١١", "١١١١"),
        ('"ada l"@example.org', "@example"),
        ("ada@[10.0.0.1]", "ada@"),
        ("password: correct horse battery staple", "horse"),
        ('{"pass\\u0077ord": "hunter2hunter2"}', "hunter2"),
        ("&quot;password&quot;:&quot;hunter2hunter2&quot;", "hunter2"),
        ("bob:$apr1$x8$hV7kQ2mX9pL4wZ8tB3nC", "hV7k"),
        ("SERVICE_KEY=" + "aB3dE5fG7h" * 300, "aB3dE5fG7h"),
        ('client_secret: "' + "aB3dE5fG7h" * 300 + '"', "aB3dE5fG7h"),
    ],
)
def test_other_forms_of_secrets_are_found(text: str, secret: str) -> None:
    assert secret not in steno.Redactor().text(text)


def test_escapes_around_a_secret_stay_as_they_were() -> None:
    redactor = steno.Redactor({"own": r"ACME-\d+"}, key=b"k")
    hidden = redactor.text("ACME-1")
    for before, after in (
        ("&lt;", "&gt;"),
        ("\\u003c", "\\u003e"),
        ("\u200b", "\u200b"),
        ("é", "é"),
    ):
        assert redactor.text(f"{before}ACME-1{after}") == f"{before}{hidden}{after}"


def told(secret: str) -> str:
    return (
        f"postgres://app:{secret}@db/x"
        if secret == SECRETS["basic-auth"]
        else f"use {secret} for it"
    )


@proves("redact.kinds")
@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_of_each_kind_leaves_and_its_placeholder_says_which(kind: str) -> None:
    text = steno.Redactor().text(told(SECRETS[kind]))

    assert SECRETS[kind] not in text
    assert re.search(rf"\[redacted:{kind}#[0-9a-f]{{4}}\]", text)


def test_no_error_quotes_a_secret() -> None:
    secret = SECRETS["github-token"]
    with steno.Session(wire="openai", window=8_000, redact=True) as session:
        session.add({"role": "user", "content": "hello"})
        for refused in (
            lambda: session.recall("hello", role=secret),
            lambda: session.recall("hello", where=[secret]),
            lambda: session.open(secret),
            lambda: session.retire_constraint(secret),
        ):
            with pytest.raises(steno.StenoError) as raised:
                refused()
            assert secret not in "".join(traceback.format_exception(raised.value, limit=0))
            assert raised.value.__context__ is None


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("recall", {"positions": SECRETS["github-token"]}),
        ("recall", {"query": SECRETS["github-token"]}),
        ("recall", {SECRETS["github-token"]: 1}),
        ("recall", {"positions": SECRETS["github-token"]}),
        ("recall", {"positions": [SECRETS["github-token"]]}),
        ("forget", {"number": SECRETS["github-token"]}),
    ],
)
def test_no_answer_of_a_tool_quotes_a_secret(name: str, arguments: dict[str, Any]) -> None:
    call = {"function": {"name": name, "arguments": json.dumps(arguments)}}
    with steno.Session(wire="openai", window=8_000, redact=True) as session:
        session.add({"role": "user", "content": "hello"})
        answer = session.handle({"id": "a", "type": "function", **call})

    assert answer and SECRETS["github-token"] not in answer


RANDOM = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z"
ASSIGNED = {
    "a card in a table": "ann,4242424242424242,12/30",
    "a variable behind a command": "cd app && API_TOKEN=hunter2hunter2 ./run",
    "a setting": "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "a password without quotes": "password=hunter2hunter2",
    "a password in a list": "user: ann\npassword: hunter2hunter2\n",
    "a password in an address": "https://x.example/?api_key=hunter2hunter2&page=2",
    "a password with marks in an address": "redis://:hunter2hunter2+?&$!@db/0",
    "basic authorization": "Authorization: Basic YW5uOmh1bnRlcjJodW50ZXIy",
    "a short name": "[db]\npwd=hunter2hunter2",
    "another language": "Passwort: hunter2hunter2",
    "an option of a command": "tool --password hunter2hunter2",
    "a login of a command": "curl -u admin:hunter2hunter2 https://x.example",
    "an element": "<password>hunter2hunter2</password>",
    "a cookie": "Cookie: session=hunter2hunter2; theme=dark",
    "netrc": "machine x login bob password hunter2hunter2",
    "a card in wide digits": "４２４２４２４２４２４２４２４２",
    "a card with unseen gaps": "4242\u200b4242\u200b4242\u200b4242",
    "a card with other blanks": "4242\u00a04242\u00a04242\u00a04242",
    "a card with points": "4242.4242.4242.4242",
    "a card with stars": "4242 * 4242 * 4242 * 4242",
    "a card with dashes": "4242–4242–4242–4242",
    "a card in printed groups": "3782.822463.10005",
    "PowerShell": "$env:GROQ_API_KEY = 'hunter2hunter2'",
    "cmd": "setx DB_PASSWORD hunter2hunter2",
    "fish": "set -x API_TOKEN hunter2hunter2",
    "a Dockerfile": "ENV API_TOKEN hunter2hunter2",
    "a Makefile": "API_KEY := hunter2hunter2",
    "a program": "os.environ['API_KEY'] = 'hunter2hunter2'",
    "a name with an unseen letter": "pass\u200bword=hunter2hunter2",
    "a card with unseen letters": "4242\ufe0f4242\u00ad42424242",
    "an address with an unseen letter": "hunter2hunter2@exam\u2060ple.org",
    "a key by another name": "secret_key=hunter2hunter2",
    "an arrow": "'api_key' => \"hunter2hunter2\",",
    "short": "pw=hunter2hunter2",
    "said": "my password is hunter2hunter2, thanks",
    "a flag": "sshpass -p hunter2hunter2 ssh bob@host",
    "a flag without a blank": "mysql -u root -phunter2hunter2 shop",
    "a token": f"https://x.example/?token={RANDOM}&page=2",
    "one of several keys": f"SECRET_KEY_BASE={RANDOM}",
    "one of several keys in a file": f"secret_key_base: {RANDOM}",
    "authorization by a token": f"Authorization: Token {RANDOM}",
    "authorization by a field": f'Authorization: Token token="{RANDOM}"',
    "authorization by nothing else": f"authorization: {RANDOM}",
    "a list": 'password = ["hunter2hunter2"]',
    "a password in the words of an address": "x=1%26password%3Dhunter2hunter2",
    "said with a colon": "Das Passwort lautet: hunter2hunter2",
    "said without a blank": "我的密码是hunter2hunter2",
    "said in a change": "set the admin password to hunter2hunter2",
    "two words": "pass phrase: hunter2hunter2",
    "a row of a table": "| **Password** | `hunter2hunter2` |",
    "the line below": "Password:\n  hunter2hunter2\nand go on",
    "a column": 'user,password,age\nann,hunter2hunter2,30\nbob,"hunter2hunter2",31\n',
    "a column of many": "id;name;db_password\r\n1;ann;hunter2hunter2\r\n2;bob;hunter2hunter2",
    "a column by tabs": "user\ttoken\nann\thunter2hunter2",
    "a column of a table": "| User | API key |\n|---|---|\n| ann | `hunter2hunter2` |",
    "a column of a query": " user | passwd\n------+-------\n ann  | hunter2hunter2\n",
    "a key of Notion": f"secret_{RANDOM}ABCDEFGHI",
    "a key of Resend": f"re_{RANDOM[:8]}_{RANDOM[8:32]}",
    "a key of crates.io": f"cargo login cio{RANDOM[:32]}",
    "a value of Ansible's": "pw: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  6162822463636465\n  3837",
    "a key of Google": f"1//0g{RANDOM}{RANDOM}",
    "a key of Telegram": f"https://x.example/bot1234567890:AA{RANDOM[:33]}/getMe",
}
VENDORS = (
    "gsk_",
    "pplx-",
    "npm_",
    "xapp-1-A01-",
    "xoxe-1-",
    "xoxe.xoxp-1-",
    "nvapi-",
    "hvs.",
    "r8_",
    "napi_",
    "wandb_v1_",
    "CCIPAT_",
    "bkua_",
    "dt0s16.",
    "AVNS_",
)
VALUES = ("4242", "４２４２", "822463", "hunter2hunter2", "wJalrXUtnFEMI", "YW5uOmh1", RANDOM[:24])


@proves("redact.kinds")
@pytest.mark.parametrize("how", ASSIGNED)
def test_a_secret_is_found_however_it_is_written(how: str) -> None:
    text = steno.Redactor().text(ASSIGNED[how])
    assert "[redacted:" in text
    assert not any(value in text for value in VALUES)


@proves("redact.kinds")
@pytest.mark.parametrize(
    "text",
    [
        "name,type,null\npassword,varchar,no\n",
        "Send user, password, mail\nThen look, ask them again, and go\n",
        "def login(user, password):\n    return check(user, password)\n",
        "user,password_file\nann,/run/secrets/ann-file\n",
        "| token | count |\n|---|---|\n| the | 12 |\n| understand | 3 |\n| SUBMIT_FORM | 1 |\n",
        "user,password\nann,${DB_PASSWORD}\nbob,<password>\ncat,{{ann_secret}}\ndan,********\n",
        "field,password\nann,varchar(255)\nbob,[hidden]\ncat,$DB_PASS\n",
    ],
)
def test_what_only_looks_like_a_column_of_secrets_stays(text: str) -> None:
    assert steno.Redactor().text(text) == text


@proves("redact.kinds")
@pytest.mark.parametrize(
    "value",
    ["hunter2$x", "s3cr(e)t9", "p@ss{w}rd1", "it's<9>x", '"quo""ted9"', "text$9[ab]", "*x*y*z9"],
)
def test_a_column_hides_a_password_whatever_signs_it_holds(value: str) -> None:
    hidden = steno.Redactor().text(f"user,password\nann,{value}\n")
    assert value.strip('"*') not in hidden and "[redacted:password#" in hidden


@proves("redact.kinds")
def test_keys_of_services_are_found_also_with_letters_that_are_not_seen() -> None:
    random = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    for prefix in VENDORS:
        for key in (prefix + random, prefix + random[:9] + "\u200b" + random[9:]):
            text = steno.Redactor().text(f"use {key}, please")
            assert text.startswith("use [redacted:") and text.endswith(", please")
            assert random[12:] not in text


@proves("redact.kinds")
@pytest.mark.parametrize(
    "before",
    [
        "密钥是",
        "キーは",
        "key\x1b[32m",
        "key\u200b",
        "https://h/?q=a%20",
        "%7B%22k%22%3A%22",
        "a\\n",
    ],
)
def test_a_key_begins_behind_anything_but_a_letter_of_its_own_word(before: str) -> None:
    key = "sk-ant-api03-aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9dE1fG3"
    assert key not in steno.Redactor().text(f"{before}{key} ")
    word = "a risk-assessment-of-all-dependencies-2025"
    assert steno.Redactor().text(word) == word


@proves("redact.kinds")
@pytest.mark.parametrize("blank", "\u00a0\u202f\u2009\u2003\u3000")
@pytest.mark.parametrize(
    "text",
    [
        "password:{}§",
        "mot de passe{}: §",
        "パスワード：{}§",
        "my password is{}§, thanks",
        "Authorization:{}Bearer{}§",
        "API{}key: §",
    ],
)
def test_every_blank_separates_a_name_from_its_value(text: str, blank: str) -> None:
    secret = "hV7kQ2mX9pL4wZ8tB3nC"
    text = text.replace("{}", blank).replace("§", secret)
    redacted = steno.Redactor().text(text)
    assert secret not in redacted and blank in redacted


@proves("redact.kinds")
@pytest.mark.parametrize("end", ["\r\n", "\r", "\u2028", "\v"])
def test_every_line_end_ends_a_line(end: str) -> None:
    text = f"Password:{end}  hunter2hunter2{end}and go on{end}token = a1B2c3D4e5F6g7H8{end}x"
    redacted = steno.Redactor().text(text)
    assert "hunter2" not in redacted and "a1B2" not in redacted
    assert redacted.count(end) == 4 and redacted.endswith(f"{end}x")


@proves("redact.kinds")
def test_a_key_ends_before_a_letter_of_another_script() -> None:
    key = "API-" + "ABCDEFGH12345678IJKLMNOP90"
    assert key not in steno.Redactor().text(f"密钥是{key}在这里")


@proves("redact.kinds")
@pytest.mark.parametrize("marks", ["_{}_", "__{}__", "{}-", "<{}>", "({})"])
def test_an_address_is_found_within_marks(marks: str) -> None:
    assert "lovelace" not in steno.Redactor().text(marks.format("ada.lovelace@example.org"))


@proves("redact.kinds")
def test_accounts_and_phone_numbers_are_taken_out_if_asked_for() -> None:
    text = "Pay to DE89 3704 0044 0532 0130 00 or call +49 30 901820."
    assert steno.Redactor().text(text) == text
    hidden = steno.Redactor(ibans=True, phones=True).text(text)
    assert "[redacted:iban#" in hidden and "[redacted:phone#" in hidden
    assert "3704" not in hidden and "901820" not in hidden
    order = "order DE12 3456 7890 1234 5678 90 of +1 day at 12:30"
    assert steno.Redactor(ibans=True, phones=True).text(order) == order


@proves("redact.nowhere")
def test_thinking_is_left_alone_only_if_it_is_signed() -> None:
    plain = {"role": "assistant", "content": [{"type": "thinking", "thinking": f"so {AWS}"}]}
    assert AWS not in json.dumps(steno.Redactor().plain(plain))


@proves("redact.nowhere")
@pytest.mark.parametrize(
    "result",
    [
        {"parts": [{"functionResponse": {"name": "pay", "response": {"x": [{"card": CARD}]}}}]},
        {"content": [{"toolResult": {"toolUseId": "t", "content": [{"json": {"card": CARD}}]}}]},
        {"content": "Pay.", "metadata": {"card": CARD, "password": 98765432}},
    ],
)
def test_a_number_in_an_object_of_a_program_is_taken_out(result: Any) -> None:
    told = str(steno.Redactor().plain({"role": "user", **result}))
    assert "[redacted:card#" in told
    assert str(CARD) not in told and "98765432" not in told


def test_a_number_of_thousands_of_digits_does_no_harm() -> None:
    digits = "9" * 5_000
    arguments = f'{{"n": {digits}, "key": "{AWS}"}}'
    calls = [{"id": "1", "type": "function", "function": {"name": "f", "arguments": arguments}}]
    told = steno.Redactor().plain({"role": "assistant", "tool_calls": calls})
    assert AWS not in str(told)
    value = 10**5_000
    assert steno.Redactor().free({"n": value})["n"] == value


@proves("redact.intact")
@pytest.mark.parametrize("redact", [None, True])
def test_a_call_with_a_number_of_thousands_of_digits_is_kept(redact: bool | None) -> None:
    digits, value = "9" * 5_000, 10**5_000 + 7
    function = {"name": "f", "arguments": f'{{"n": {digits}, "n": {digits}}}'}
    call = {"id": "c", "type": "function", "function": function}
    use = {"type": "tool_use", "id": "c", "name": "f", "input": {"n": value, "deep": [[value]]}}
    result = {"type": "tool_result", "tool_use_id": "c", "content": digits}
    talks: dict[str, list[dict[str, Any]]] = {
        "openai": [
            {"role": "user", "content": f"count {digits}"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": digits},
        ],
        "anthropic": [
            {"role": "user", "content": "count"},
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [result]},
        ],
    }
    for wire, talk in talks.items():
        session = steno.Session(wire=wire, window=60_000, redact=redact)
        session.add(*talk)
        session.compact()
        assert len(session.log.messages) == len(session.messages()) == 3
        assert digits in str(session.open(1)) or hex(value) in str(session.open(1))


@proves("redact.kinds")
@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert steno.Redactor().text(text) == text


def texts(*parts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": part} for part in parts]


BODY = "MIIEowIBAAKCAQEAabcdef\nghijkl9"
SPLIT = {
    "a label and the line below": texts("Password:", "hunter2hunter2"),
    "with a blank text between": texts("Password:", "", "hunter2hunter2"),
    "an assignment": texts("password=", "hunter2hunter2 is it"),
    "a saying": texts("my password is", "hunter2hunter2, thanks"),
    "within a word": texts("use ghp_hunter2hun", "ter2hunter2a1B2c3D4e5F6 now"),
    "a head and its rows": texts("name,password,team\n", "ada,hunter2hunter2,x\n" * 3),
    "an image between": [
        *texts("Password:"),
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        *texts("hunter2hunter2"),
    ],
    "in results": [
        {"type": "tool_result", "tool_use_id": "a", "content": "Password:"},
        {"type": "tool_result", "tool_use_id": "b", "content": texts("hunter2hunter2")},
    ],
    "in one result": [
        {"type": "tool_result", "tool_use_id": "a", "content": texts("Pwd:", "hunter2hunter2")},
    ],
    "in results of Bedrock": [
        {"toolResult": {"toolUseId": "a", "content": [{"text": "Password:"}]}},
        {"toolResult": {"toolUseId": "b", "content": [{"text": "hunter2hunter2"}]}},
    ],
    "words alone": ["Password:", "hunter2hunter2"],
}


@proves("redact.kinds")
@pytest.mark.parametrize("how", SPLIT)
def test_a_secret_is_found_whose_name_stands_in_another_part(how: str) -> None:
    message = {"role": "user", "content": SPLIT[how]}
    redactor = steno.Redactor(key=b"k")
    clean = redactor.plain(message)

    assert not re.search("hunter2hun|ter2hunter2", json.dumps(clean))
    assert len(clean["content"]) == len(SPLIT[how])
    assert redactor.plain(clean) == clean
    assert redactor.plain(SPLIT[how], key="content") == clean["content"]


def test_what_follows_a_key_that_was_cut_off_stays_unless_it_looks_like_one() -> None:
    begin = "-----BEGIN RSA PRIVATE KEY-----"
    redactor = steno.Redactor()
    clean = redactor.plain({"content": texts(begin, BODY, "What (in short) is this?")})
    assert BODY not in str(clean) and clean["content"][2:] == texts("What (in short) is this?")
    clean = redactor.plain({"content": texts(f"grep: {begin}", "def main(): ...")})
    assert clean["content"][1:] == texts("def main(): ...")


@proves("redact.kinds")
@pytest.mark.parametrize("secret", ["Zx91kq2m", "hunter2xyz9", "aB3$kL9!pQ77"])
@pytest.mark.parametrize("written", ARGUMENTS)
def test_a_secret_among_arguments_leaves_and_their_shape_stays(written: str, secret: str) -> None:
    redactor = steno.Redactor(key=b"k")
    call = {"name": "run", "arguments": written.replace("§", secret)}
    clean = redactor.plain(call)["arguments"]
    assert secret not in clean
    shape = re.sub(r"\[redacted:[^\]]+\]", "§", json.dumps(json.loads(clean)))
    assert shape == written


@proves("redact.kinds")
def test_the_shape_of_json_gives_a_secret_away_in_arguments_and_results() -> None:
    redactor, secret = steno.Redactor(key=b"k"), "Zq8vK2mLx9Rt4Wp7"
    found = [text.replace("§", secret) for text in (*ARGUMENTS, *RANDOM_ARGUMENTS)]
    found += [json.dumps(json.loads(text), indent=2) for text in found]
    clean = [redactor.text(text) for text in found]
    clean += [redactor.plain({"name": "run", "arguments": text})["arguments"] for text in found]
    assert [text for text in clean if secret in text] == []
    shapes = [re.sub(r"\[redacted:[^\]]+\]", secret, text) for text in clean]
    assert [json.loads(text) for text in shapes] == [json.loads(text) for text in found] * 2


@pytest.mark.parametrize("written", PLAIN_ARGUMENTS)
def test_arguments_without_a_secret_stay(written: str) -> None:
    call = {"name": "run", "arguments": written}
    assert steno.Redactor().plain(call) == call
    if written != '{"pin": 2040}':
        result = json.dumps(json.loads(written), indent=2)
        assert steno.Redactor().text(result) == result


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(steno.BadInput, match=r"text= "):
        steno.Redactor().text(5)  # type: ignore[arg-type]


@pytest.mark.parametrize("around", ["x = '{}'", 'f("{}")', "{}", "'{}\\n',"])
def test_marks_around_a_login_stay(around: str) -> None:
    login = "machine a login b password {}"
    clean = steno.Redactor().text(around.format(login.format("Zq91kq2m")))
    assert re.sub(r"\[redacted:[^\]]+\]", "{}", clean) == around.format(login)


KEY_LINES = (
    "-----BEGIN RSA PRIVATE KEY-----",
    *["MIIEowIBAAKCAQEA7b" * 3] * 3,
    "aB3xK9qP2mZw+Lr7Tg==",
)


@proves("redact.kinds")
@pytest.mark.parametrize(
    ("line", "between"),
    [
        *(("{}", gap) for gap in ("\n", "\r\n", "\\n", "\\\\n", " ", "\n\t", "\\n\\\n")),
        *((form, "\n") for form in ("  '{}\\n' +", "  12\t{}", " 12→{}", "a/key.pem:12:{}")),
        *((form, "\n") for form in ("+{}", "> {}", "# {}", '"{}",', "'{}'.")),
    ],
)
def test_of_a_key_without_its_end_its_lines_leave_and_nothing_else(line: str, between: str) -> None:
    cut = between.join(map(line.format, KEY_LINES))
    clean = steno.Redactor().text(f"{cut}\nNever push to main.")
    assert not any(each in clean for each in KEY_LINES)
    assert clean.endswith("\nNever push to main.")


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_a_secret_apart_from_its_name_is_in_no_file_and_no_view(wire: str, tmp_path: Path) -> None:
    with steno.Session(tmp_path / "a.db", wire=wire, window=8_000, redact=True) as session:
        session.add({"role": "user", "content": texts("Password:", "hunter2hunter2")})
        shown = [session.messages(), session.open(0), session.recall("hunter2hunter2")]
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())

    assert b"hunter2hunter2" not in kept
    assert "hunter2hunter2" not in repr(shown[:2]) and not shown[2]


def test_parts_without_secrets_stay_the_very_same_and_nesting_costs_no_more() -> None:
    message: Any = {"role": "user", "content": texts("Read the file.", "Then (please) tell me.")}
    assert steno.Redactor().plain(message) is message
    sizes: list[int] = []

    class Counts(steno.Redactor):
        def _find_secrets(self, text: str) -> Any:
            sizes.append(len(text))
            return super()._find_secrets(text)

    for _ in range(30):
        message = {"content": [*texts("a" * 100), message]}
    Counts().plain(message)
    assert sum(sizes) < 20_000


@proves("redact.kinds")
def test_patterns_of_the_callers_own_are_taken_out_too() -> None:
    redactor = steno.Redactor({"ticket": r"ACME-\d+", "seat": re.compile(r"seat (\w{8,})")})

    assert re.fullmatch(
        r"\[redacted:ticket#[0-9a-f]{4}\] is late", redactor.text("ACME-17 is late")
    )
    assert redactor.text("seat abcdefgh").startswith("seat [redacted:seat#")
    with pytest.raises(steno.BadInput, match="own-1 is no regular expression"):
        steno.Session(wire="openai", window=9_000, redact=["("])
    with pytest.raises(steno.BadInput, match=r"redact= takes .* a list, each .*, got str"):
        steno.Session(wire="openai", window=9_000, redact="secret")


@proves("redact.kinds")
def test_equal_secrets_get_equal_placeholders_and_another_redactor_gives_others() -> None:
    one, other = steno.Redactor(), steno.Redactor()
    email = SECRETS["email"]

    first, second = one.text(f"{email} wrote to {email}, not to b@example.org").split(" wrote to ")
    assert second.startswith(first + ",") and second.count("[redacted:email#") == 2
    assert len({one.text(email), other.text(email), steno.Redactor().text(email)}) > 1
    assert steno.Redactor(key=b"ours").text(email) == steno.Redactor(key=b"ours").text(email)


def everywhere(wire: str) -> list[dict[str, Any]]:
    """A short talk with every secret in words, in a call's arguments and in its result."""
    all_of_them = "\n".join(map(told, SECRETS.values()))
    talk = openai_talk(2) if wire == "openai" else anthropic_talk(2, thinking=True)
    if wire == "openai":
        talk[0]["content"] = all_of_them
        talk[1]["tool_calls"][0]["function"]["arguments"] = json.dumps(
            {"path": all_of_them, AWS: [4242424242424242]}
        )
        talk[2]["content"] = [{"type": "text", "text": all_of_them}]
    else:
        talk[0]["content"] = [{"type": "text", "text": all_of_them}]
        talk[1]["content"][-1]["input"] = {"path": all_of_them, AWS: [4242424242424242]}
        talk[2]["content"][0]["content"] = all_of_them
    return talk


def hidden_in(data: bytes | str) -> list[str]:
    text = data if isinstance(data, str) else data.decode("utf-8", "replace")
    plain = [*SECRETS.values(), "4242424242424242", "MIIEowIBAAKCAQEA"]
    return [secret for secret in plain if secret in text or json.dumps(secret)[1:-1] in text]


@proves("redact.nowhere")
@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_a_secret_is_nowhere_in_what_is_kept_shown_said_or_raised(
    wire: str, tmp_path: Path
) -> None:
    heard: list[str] = []

    class Listening:
        def answer(self, ask: steno.models.Ask) -> steno.models.Reply:
            heard.append(f"{ask.prompt} {ask.system} {ask.after}")
            return steno.models.Answer("noted")

    events: list[steno.Event] = []
    path = tmp_path / "agent.db"
    with steno.Session(
        path, wire=wire, window=6_000, redact=True, writer=Listening(), on_event=events.append
    ) as session:
        session.add(*everywhere(wire))
        session.pin(f"Remember {AWS}")
        session._parts.journal.say("note", f"{AWS} was used")
        session._parts.journal.records.add("note", {AWS: [SECRETS["email"]]})
        session.add(*(openai_talk if wire == "openai" else anthropic_talk)(40, start=5))
        with pytest.raises(steno.errors.BadMessage) as raised:
            session.add({"role": "wizard", "content": AWS})
        session.compact(focus=f"keep {SECRETS['email']}")
        shown = session.messages()
        files = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
        fork = session.fork(3)
        fork.add({"role": "user", "content": AWS})
        kept = [*shown, *session.open("0-4"), *fork.open("0-3")]
        files |= {file.name + "2": file.read_bytes() for file in tmp_path.iterdir()}
    files |= {file.name + "3": file.read_bytes() for file in tmp_path.iterdir()}

    assert {"agent.db", "agent.db-wal"} <= set(files)
    assert {name: hidden_in(data) for name, data in files.items()} == {name: [] for name in files}
    assert (
        hidden_in(json.dumps(kept)) == hidden_in(repr(events)) == hidden_in(str(raised.value)) == []
    )
    assert hidden_in("\n".join(heard)) == []
    assert "[redacted:aws#" in json.dumps(kept)


@proves("redact.nowhere")
def test_a_list_that_is_compacted_once_is_redacted_too() -> None:
    done = steno.compact(everywhere("openai"), window=9_000, redact=True)

    assert hidden_in(json.dumps(done.messages)) == [] and legal.openai_chat(done.request) == []


@proves("redact.intact")
def test_arguments_stay_json_and_ids_signatures_and_media_are_left_alone() -> None:
    with steno.Session(wire="anthropic", window=90_000, redact=True) as session:
        talk = everywhere("anthropic")
        image = {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": AWS},
        }
        note = {
            "type": "document",
            "source": {"type": "text", "media_type": "text/plain", "data": f"use {AWS}"},
        }
        talk[0]["content"] += [image, note]
        talk[1]["content"][0] = {"type": "thinking", "thinking": f"so {AWS}", "signature": AWS}
        session.add(*talk)
        shown = session.messages()

    assert shown[0]["content"][1] == image
    assert AWS not in json.dumps(shown[0]["content"][2])
    assert shown[1]["content"][0] == talk[1]["content"][0]
    assert shown[1]["content"][-1]["id"] == talk[1]["content"][-1]["id"]
    assert shown[3:] == talk[3:]
    with steno.Session(wire="openai", window=90_000, redact=True) as session:
        session.add(*everywhere("openai"))
        arguments = json.loads(session.messages()[1]["tool_calls"][0]["function"]["arguments"])
    assert [key for key in arguments if key.startswith("[redacted:aws#")] and hidden_in(
        json.dumps(arguments)
    ) == []


WORD = "hunter2secret99"
DEEP = json.loads('{"a":' * 80 + json.dumps(AWS) + "}" * 80)
CALL: dict[str, Any] = {"id": "c1", "type": "function"}
HIDDEN: dict[str, dict[str, Any]] = {
    "a stream of events": {
        "role": "tool",
        "tool_call_id": "c",
        "content": f'data: {{"k":"{AWS}"}}\n\ndata: [DONE]',
    },
    "a text that begins so": {"role": "user", "content": [{"type": "text", "text": f"data:{AWS}"}]},
    "an address that is no media": {
        "role": "user",
        "content": [{"type": "x", "url": f"data:text,{AWS}"}],
    },
    "a password among arguments": {
        "tool_calls": [CALL | {"function": {"arguments": f'{{"password":"{WORD}"}}'}}]
    },
    "a token among inputs": {
        "content": [{"type": "tool_use", "input": {"env": {"GITHUB_TOKEN": WORD}}}]
    },
    "a name and its value apart": {
        "content": [{"type": "tool_use", "input": {"env": [{"name": "DB_PASS", "value": WORD}]}}]
    },
    "passwords in a list": {
        "content": [{"type": "tool_use", "input": {"passwords": [], "api_key": [WORD]}}]
    },
    "a password in an escaped text": {"content": '{\\"password\\": \\"' + WORD + '\\"}'},
    "a key that is said twice": {
        "tool_calls": [{"function": {"arguments": f'{{"a":"{AWS}","a":"x"}}'}}]
    },
    "a key that is said twice, escaped": {
        "tool_calls": [{"function": {"arguments": f'{{"a":"\\u0041{AWS[1:]}","a":"x"}}'}}]
    },
    "what is nested deep": {"content": [{"type": "tool_use", "input": DEEP}]},
    "arguments that are nested deep": {
        "tool_calls": [{"function": {"arguments": json.dumps(DEEP)}}]
    },
    "data that are no bytes": {"content": [{"type": "json", "data": {"k": AWS}}]},
    "data beside the words": {"role": "user", "content": "x", "data": AWS},
    "a name": {"role": "user", "name": AWS, "content": "x"},
    "a status": {"content": [{"type": "text", "text": "x", "status": AWS}]},
    "a key": {"role": "user", "content": "x", AWS: 1},
}


@proves("redact.nowhere")
@pytest.mark.parametrize("where", HIDDEN)
def test_a_secret_is_found_wherever_it_hides(where: str) -> None:
    told = json.dumps(steno.Redactor().plain(HIDDEN[where]))

    assert "[redacted:" in told or "twice" in where
    assert AWS not in told and AWS[1:] not in told and WORD not in told


@proves("redact.intact")
def test_media_names_of_tools_and_tokens_of_pages_are_no_secrets() -> None:
    url = "data:image/png;base64," + AWS
    message = {
        "content": [
            {"type": "image_url", "image_url": {"url": url}},
            {"type": "input_audio", "input_audio": {"data": AWS, "format": "wav"}},
            {
                "type": "tool_use",
                "name": AWS,
                "input": {"page_token": WORD, "password": "$PASS", "tokens": 12345678},
            },
        ]
    }
    assert steno.Redactor().plain(message) is message
    once = steno.Redactor().plain({"input": {"password": WORD}})
    assert steno.Redactor().plain(once) is once


@proves("redact.nowhere")
@pytest.mark.parametrize("wire", ["openai", "anthropic", "openai-responses"])
def test_what_is_refused_is_not_quoted(wire: str) -> None:
    refused: list[str] = []
    for wrong in (
        {"role": AWS, "content": "x"},
        {"type": AWS},
        {"role": "user", "content": "x", AWS: object()},
        {"role": "user", "content": [{"type": "text", "text": {AWS: 1}}]},
    ):
        for hand_in in (
            lambda wrong: steno.Session(wire=wire, window=9_000, redact=True).add(wrong),
            lambda wrong: steno.compact([wrong], wire=wire, window=9_000, redact=True),
        ):
            try:
                hand_in(wrong)
            except steno.errors.BadMessage as error:
                refused += [f"{error} {error.where} {error.what}"]
    assert len(refused) >= 4 and AWS not in "".join(refused)


@proves("redact.nowhere")
def test_a_short_password_leaves_what_holds_it_as_json() -> None:
    redactor = steno.Redactor()
    clean = json.loads(redactor.text('{"password": "abc12d"}'))
    assert clean["password"].startswith("[redacted:")
    call = {"function": {"name": "login", "arguments": '{"pwd": "abc12d"}'}}
    assert "abc12d" not in json.dumps(redactor.plain(call))


def test_the_kind_of_a_jot_and_a_password_in_it_are_not_kept() -> None:
    with steno.Session(wire="openai", window=9_000, redact=True) as session:
        session._parts.journal.records.add(AWS, {"password": WORD})
        (kept,) = session._parts.journal.records.of(AWS)
    assert AWS not in repr(kept) and WORD not in repr(kept)


@proves("redact.nowhere")
def test_a_constraint_whose_id_holds_a_secret_is_refused() -> None:
    session = steno.Session(wire="openai", window=8_000, redact=True)
    with pytest.raises(steno.BadInput, match="holds a secret") as refused:
        session.set_constraint("Be kind.", id=AWS)
    assert AWS not in str(refused.value)
    assert session.constraints() == []


@pytest.mark.slow
@proves("redact.wrapped")
@pytest.mark.parametrize("broken", [False, True])
def test_a_wrapped_client_sends_and_keeps_no_secret_and_finds_its_session_again(
    tmp_path: Path, broken: bool
) -> None:
    talk = everywhere("openai")
    for n in range(5, 20):
        talk += [
            *openai_talk(1, start=n),
            {"role": "user", "content": f"{n}: mail {SECRETS['email']}"},
        ]
    if broken:
        talk.append({"role": "user", "content": [{"no": "type"}]})
    with Loopback(lambda heard: Say("ok", sent=len(heard.prompt) // 4)) as server:
        for end in (6, len(talk) - 3, len(talk)):
            client = OpenAI(api_key=SECRETS["api-key"], base_url=server.openai)
            told_of = {"store": tmp_path / "a.db", "redact": steno.Redactor(key=b"k")}
            with steno.wrap(client, window=60_000, **told_of) as wrapped:
                wrapped.chat.completions.create(model="gpt-5", messages=talk[:end])
                files = [file.read_bytes() for file in tmp_path.iterdir()]
                found = steno.sessions(wrapped)
                failed = [event for event in found.events if isinstance(event, steno.events.Failed)]
        bodies = [json.dumps(heard.body) for heard in server.heard]

    assert [hidden_in(each) for each in (*bodies, *files)] == [[]] * (len(bodies) + len(files))
    assert len(json.loads(bodies[-1])["messages"]) == len(talk)
    assert bool(failed) is broken
    with steno.Session(tmp_path / "a.db", redact=False) as kept:
        assert len(kept.log.messages) == len(talk) - (3 if broken else 0)


@proves("redact.wrapped")
def test_a_wrapped_client_sends_no_secret_in_any_field_or_to_any_path() -> None:
    heard: list[bytes] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        heard.append(bytes(str(request.url), "ascii") + request.content)
        return httpx2.Response(404, json={"error": {"message": "no"}})

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    told = f"use {AWS} for it"
    messages: Any = [{"role": "user", "content": told}]
    chat = steno.wrap(OpenAI(api_key="any", http_client=http, max_retries=0), redact=True)
    claude = steno.wrap(Anthropic(api_key="any", http_client=http, max_retries=0), redact=True)
    counted = {"model": "claude-opus-5-5", "messages": messages}
    batch: Any = [{"custom_id": "1", "params": {**counted, "max_tokens": 9}}]
    prediction: Any = {"type": "content", "content": told}
    extra: Any = {"extra_body": {"new": [told]}, "extra_query": {"q": AWS}, "user": told}
    calls: list[Callable[[], object]] = [
        lambda: chat.chat.completions.create(
            model="gpt-5", messages=messages, prediction=prediction, **extra
        ),
        lambda: chat.responses.create(model="gpt-5", input=told, previous_response_id="r"),
        lambda: chat.embeddings.create(model="e", input=[told]),
        lambda: chat.moderations.create(input=iter([told])),
        lambda: claude.messages.count_tokens(**counted),
        lambda: claude.messages.batches.create(requests=batch),
        lambda: chat.vector_stores.search("v", query=told),
    ]
    raw = json.dumps({"model": "gpt-5", "messages": messages}).encode()
    for client in (chat, claude):
        for send in (client.post, client.put, client.patch, client.delete):
            calls.append(partial(send, "/x", body={"a": told}, cast_to=object))
            calls.append(partial(send, "/chat/completions", content=raw, cast_to=object))
    for call in calls:
        with pytest.raises(Exception, match="no"):
            call()
    assert len(heard) == len(calls)
    for body in heard:
        assert AWS.encode() not in body and b"redacted:aws" in body
    for content in (b"no JSON", io.BytesIO(raw), [raw]):
        with pytest.raises(steno.BadInput, match="JSON alone"):
            chat.post("/chat/completions", content=content, cast_to=object)
    assert len(heard) == len(calls)


@proves("redact.wrapped")
def test_an_awaited_client_sends_no_secret_in_bytes_or_searches() -> None:
    heard: list[bytes] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        heard.append(request.content)
        return httpx2.Response(404, json={"error": {"message": "no"}})

    http = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    chat = steno.wrap(AsyncOpenAI(api_key="any", http_client=http, max_retries=0), redact=True)

    async def call() -> None:
        raw = json.dumps({"a": f"use {AWS}"}).encode()
        for sent in (
            chat.put("/x", content=raw, cast_to=object),
            chat.vector_stores.search("v", query=f"use {AWS}"),
        ):
            with pytest.raises(Exception, match="no"):
                await sent

    asyncio.run(call())
    assert len(heard) == 2
    for body in heard:
        assert AWS.encode() not in body and b"redacted:aws" in body


@proves("wrap.same")
def test_a_body_in_bytes_goes_out_as_it_is_without_redaction() -> None:
    heard: list[bytes] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        heard.append(request.content)
        return httpx2.Response(404, json={"error": {"message": "no"}})

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    chat = steno.wrap(OpenAI(api_key="any", http_client=http, max_retries=0))
    for content in (b'{"a":  1}', io.BytesIO(b"\xff")):
        with pytest.raises(Exception, match="no"):
            chat.post("/x", content=content, cast_to=object)
    assert heard == [b'{"a":  1}', b"\xff"]


@proves("redact.wrapped")
def test_fields_of_googles_and_amazons_clients_are_redacted_too() -> None:
    redactor = steno.Redactor()
    told = {"text": f"use {AWS} for it"}
    raw = json.dumps({"prompt": told}).encode()
    for path, body, options in (
        ("models/g:countTokens", {"contents": [told]}, {"extra_json": told}),
        ("InvokeModel", {"modelId": "m", "body": raw}, {}),
        ("CountTokens", {"modelId": "m", "input": {"invokeModel": {"body": raw}}}, {}),
    ):
        found = ListSessions(None, SessionOptions(redact=redactor))
        interceptor = _Interceptor("google.genai", found, None, True)
        sent = next(interceptor.exchange(path, body, options))
        assert AWS not in f"{sent.body} {sent.options}"
    for body in (b"\xff no JSON", io.BytesIO(raw)):
        with pytest.raises(steno.BadInput, match="JSON alone"):
            next(interceptor.exchange("InvokeModel", {"body": body}, {}))


@pytest.mark.slow
@proves("redact.bounded")
@pytest.mark.parametrize(
    "hostile",
    [
        "A" * 60_000,
        "eyJ-" * 15_000,
        "//" * 30_000,
        "a@" * 30_000,
        "4 " * 30_000,
        "\n" * 60_000,
        "key," + ("_" * 59 + ",") * 500,
    ],
)
def test_hostile_texts_are_read_within_a_bound(hostile: str) -> None:
    redactor = steno.Redactor()
    began = time.process_time()
    redactor.text(hostile)
    assert time.process_time() - began < 2.0


@proves("wrap.isolated")
def test_a_refusal_that_quotes_the_prompt_is_quoted_by_no_event() -> None:
    with Loopback(Wrong(400, f"bad words: {AWS}")) as server:
        client = steno.wrap(OpenAI(api_key="any", base_url=server.openai, max_retries=0))
        with client, pytest.raises(Exception, match="bad words"):
            client.chat.completions.create(
                model="gpt-5", messages=[{"role": "user", "content": AWS}]
            )
        assert AWS not in repr(steno.sessions(client).events)


@proves("redact.nowhere")
def test_a_session_without_secrets_is_not_opened_again_without_a_word_about_them(
    tmp_path: Path,
) -> None:
    path = tmp_path / "kept.db"
    with steno.Session(path, wire="openai", window=9_000, redact=True) as session:
        session.add({"role": "user", "content": "hello"})
        session.fork(name="branch").close()
    for name in ("session", "branch"):
        with pytest.raises(steno.BadInput, match="redact= as before, or with redact=False"):
            steno.Session(path, name=name)
        with steno.Session(path, name=name, redact=True) as again:
            again._parts.tools.notes.write("the key is AKIAIOSFODNN7EXAMPLE")
            assert "AKIA" not in again._parts.tools.notes.standing()[-1].text
        with steno.Session(path, name=name, redact=False) as again:
            assert again._parts.journal.stored_settings.redacted
            again.fork().close()


def guessed_chains(messages: list[dict[str, Any]]) -> set[bytes]:
    """Every key that can be computed from a guess at a list, without a secret."""
    reader = IncomingReader(SdkFormat(get_wire("openai")))
    incoming = reader.read(messages)
    return {message.key for message in incoming} | set(chain_keys(incoming))


@pytest.mark.slow
@proves("redact.sealed")
def test_a_guess_at_a_secret_cannot_be_tested_with_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    cards = [f"4242 4242 4242 {number:04}" for number in range(4_200, 4_300)]
    talk = [
        {"role": "user", "content": f"pay with {SECRETS['card']}"},
        {"role": "assistant", "content": "paid"},
        {"role": "user", "content": "thanks"},
    ]
    with Loopback(lambda heard: Say("ok")) as server:
        for end in (1, 3, 3):
            client = OpenAI(api_key="any", base_url=server.openai)
            with steno.wrap(client, window=60_000, store=path, redact=True) as wrapped:
                wrapped.chat.completions.create(model="gpt-5", messages=talk[:end])
                steno.sessions(wrapped).newest.recall("paid")
    guesses: set[bytes] = set()
    for card in cards:
        guesses |= guessed_chains([{"role": "user", "content": f"pay with {card}"}, *talk[1:]])
    with steno.wrap(OpenAI(api_key="any"), window=60_000, store=path, redact=True):
        files = [file for file in tmp_path.iterdir() if not file.name.endswith("-key")]
        found = [file.name for file in files for key in guesses if key in file.read_bytes()]

    assert found == []
    (key,) = tmp_path.glob("*-key")
    assert stat.S_IMODE(key.stat().st_mode) == 0o600 and len(key.read_bytes()) == 32
    # It was one session throughout: it is found again by the sealed keys.
    with steno.Session(path, redact=False) as kept:
        assert len(kept.log.messages) == 3


@proves("redact.kinds")
def test_the_page_says_plainly_what_is_not_found() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    (row,) = [line for line in page.splitlines() if line.startswith("| **not found** |")]
    missed = {
        "the door code is 4711": "By the way, the door code is 4711.",
        "a passphrase of plain words": "The passphrase is correct horse battery staple.",
        "telephone numbers": "Call me at +49 170 1234567.",
        "IBANs unless you add them": "Pay to DE89 3704 0044 0532 0130 00.",
        "people's names and addresses": "Maria Lopez lives at 5 Main Street.",
        "SSNs": "His number is 078-05-1120.",
    }
    for says, text in missed.items():
        assert says in row
        with steno.Session(wire="openai", window=8_000, redact=True) as session:
            session.add({"role": "user", "content": text})
            assert session.messages()[0]["content"] == text
    added = steno.Redactor(phones=True, ibans=True)
    assert "[redacted:" in added.text(missed["telephone numbers"])
    assert "[redacted:" in added.text(missed["IBANs unless you add them"])
