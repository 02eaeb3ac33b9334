"""Each kind of login: its requests go where that login's requests go, with its own headers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import zstandard

from steno.proxy.upstreams import provider_of, read_upstreams
from tests.proxy.test_proxy import between, sane

RECORDED = Path(__file__).parents[1] / "fixtures" / "agent_requests.json"
REQUESTS: dict[str, Any] = json.loads(RECORDED.read_text(encoding="utf-8"))
LOGINS = {name: request for name, request in REQUESTS.items() if "is_of" not in request}


@pytest.mark.slow
@pytest.mark.parametrize("login", LOGINS)
def test_a_login_reaches_its_own_address_with_its_headers(login: str) -> None:
    case = LOGINS[login]
    content = json.dumps(case["body"]).encode()
    packed = content
    if "content-encoding" in case["headers"]:
        packed = zstandard.ZstdCompressor().compress(content)
    with between(sane) as there:
        account = f"chatgpt={there.provider.anthropic}/backend-api/codex"
        there.proxy.settings = replace(
            there.proxy.settings, upstreams=read_upstreams([there.provider.anthropic, account], {})
        )
        answer = there.http.post(
            f"{there.address}{case['path']}", content=packed, headers=case["headers"]
        )
        assert answer.status_code == 200
        [heard] = there.provider.heard
        assert heard.asked == case["goes_to"]
        assert heard.raw == content
        for name, value in case["headers"].items():
            if name != "content-encoding":
                assert heard.headers[name] == value
        assert there.settled()["passed_unchanged"] == 0


@pytest.mark.parametrize(
    ("given", "goes_to"),
    [
        ([], "https://chatgpt.com/backend-api/codex/models"),
        (["https://gateway.example"], "https://gateway.example/v1/models"),
        (["chatgpt=https://one.example/codex"], "https://one.example/codex/models"),
    ],
)
def test_an_account_goes_to_the_address_that_is_given(given: list[str], goes_to: str) -> None:
    headers = LOGINS["codex-account"]["headers"]
    upstreams = read_upstreams(given, {})
    assert upstreams.choose("/v1/models", provider_of("/v1/models", headers), "") == goes_to


def test_a_key_does_not_go_to_the_account_address() -> None:
    headers = LOGINS["codex-key"]["headers"]
    url = read_upstreams([], {}).choose("/v1/models", provider_of("/v1/models", headers), "")
    assert url == "https://api.openai.com/v1/models"
