"""`steno doctor --live`: each agent runs once through the proxy, and says whether that works."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from anthropic import Anthropic
from google import genai
from google.genai import types
from openai import OpenAI

from steno.cli.trial import WORD, PlayedProvider, try_agent
from steno.proxy.run import RunningProxy
from tests.support.command_line import Run

pytestmark = pytest.mark.slow

ASKS = """
import json, os, sys
from pathlib import Path
from urllib.request import Request, urlopen
Path(os.environ["HOME"], "changed").write_text("by the agent")
assert "ANTHROPIC_AUTH_TOKEN" not in os.environ
body = {"model": "claude-opus-5-5", "max_tokens": 9, "messages": [{"role": "user", "content": "?"}]}
url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
with urlopen(Request(url, json.dumps(body).encode(), {"x-api-key": "k"})) as answer:
    print(json.load(answer)["content"][0]["text"])
"""


def installed(folder: Path, name: str, program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = folder / "bin" / name
    agent.parent.mkdir(exist_ok=True)
    agent.write_text(f"#!{sys.executable}\n{program}")
    agent.chmod(0o755)
    monkeypatch.setenv("PATH", str(agent.parent))
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "the user's own")


def test_an_agent_that_works_changes_nothing_of_its_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, "claude", ASKS, monkeypatch)
    trial = try_agent("claude")
    assert trial.works, trial.says
    assert not (tmp_path / "changed").exists()


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("print('hello')", "no request came through the proxy: hello"),
        ("raise SystemExit('no such model')", "no request came through the proxy: no such model"),
        (ASKS + "sys.exit('cannot go on')", "it ended with code 1: cannot go on"),
        (ASKS.replace('"messages": [', '"messages": ["?",'), "went through the proxy unread"),
    ],
)
def test_what_is_wrong_is_said(
    program: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, "claude", program, monkeypatch)
    trial = try_agent("claude")
    assert not trial.works
    assert says in trial.says


def test_the_doctor_shows_it(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, "claude", ASKS, monkeypatch)
    ran = run("doctor", "--live", wide=True)
    assert (ran.code, "✓ claude, live" in ran.out) == (0, True)
    installed(tmp_path, "claude", "print('hello')", monkeypatch)
    ran = run("doctor", "--live", wide=True)
    assert ran.code == 1
    assert ran.out.startswith("✗ claude, live")


@pytest.mark.parametrize("streamed", [False, True])
def test_the_played_provider_is_understood_by_the_sdks(streamed: bool) -> None:
    ask = [{"role": "user", "content": "?"}]
    with RunningProxy(PlayedProvider()) as running:
        base = running.address
        claude = Anthropic(api_key="none", base_url=base, max_retries=0)
        openai = OpenAI(api_key="none", base_url=f"{base}/v1", max_retries=0)
        google = genai.Client(api_key="none", http_options=types.HttpOptions(base_url=base))
        given = {"model": "m", "max_tokens": 9, "messages": ask}
        if streamed:
            with claude.messages.stream(**given) as stream:
                said = [stream.get_final_text()]
            with openai.responses.stream(model="m", input=ask) as events:
                said.append(events.get_final_response().output_text)
            chunks = google.models.generate_content_stream(model="m", contents="?")
            said.append("".join(chunk.text or "" for chunk in chunks))
        else:
            said = [claude.messages.create(**given).content[0].text]
            said.append(openai.responses.create(model="m", input=ask).output_text)
            said.append(google.models.generate_content(model="m", contents="?").text)
        assert said == [WORD] * 3
