"""The gateway by real gRPC on loopback: both calls, access, load, and every failure."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import grpc
import pytest

import steno
from steno import BadInput, Script, Session
from steno.cli import gateway as gateway_command
from steno.core.effects import arun, run
from steno.core.model import Delta, FinishedTurn, Usage
from steno.errors import ModelFailed
from steno.gateway.calls import CallRecord
from steno.gateway.client import MESSAGE_MOST, TOKEN_VARIABLE, Caller, Gateway
from steno.gateway.server import serving
from steno.gateway.v1 import SERVICE, STREAM
from steno.gateway.v1 import messages as gateway_messages
from steno.models import Answer, Ask, NoAnswer, resolve_model
from tests.support.loopback import Loopback, Say
from tests.support.paths import ROOT
from tests.support.promises import proves

SECRET = "the vault opens with heliotrope"
WORD = "tok-9912-secret"
FAILURES: dict[str, tuple[Any, str, float | None, int | None]] = {
    "busy": (NoAnswer(f"busy {SECRET}", "busy", wait=7.0), "busy", 7.0, None),
    "server": (NoAnswer(SECRET, "server"), "server", None, None),
    "timeout": (TimeoutError(SECRET), "timeout", None, None),
    "reset": (ConnectionResetError(SECRET), "reset", None, None),
    "refused": (NoAnswer(SECRET, "refused"), "refused", None, None),
    "invalid": (NoAnswer(SECRET, "invalid"), "invalid", None, None),
    "cut": (NoAnswer(SECRET, "cut"), "cut", None, None),
    "its own key": (NoAnswer(SECRET, "auth"), "auth", None, None),
    "spent": (NoAnswer(SECRET, "spent"), "spent", None, None),
    "a bug": (ZeroDivisionError(SECRET), "other", None, None),
}


class Slow:
    """Answers when it is let go, or after so many seconds."""

    name = "slow"

    def __init__(self, seconds: float = 20.0) -> None:
        self.seconds, self.go, self.begun = seconds, threading.Event(), threading.Semaphore(0)

    def answer(self, ask: Ask) -> Answer:
        self.begun.release()
        self.go.wait(self.seconds)
        return Answer("at last", by=self.name)


@pytest.fixture
def gateways() -> Iterator[Callable[..., Gateway]]:
    """Clients that are closed with the test."""
    made: list[Gateway] = []

    def client(address: str, **how: Any) -> Gateway:
        made.append(Gateway(address, **how))
        return made[-1]

    yield client
    for each in made:
        each.close()


@proves("gateway.answer")
def test_an_ask_is_answered_through_the_gateway_with_its_cost(gateways) -> None:
    with serving(Script(Answer("in short", by="inner", usage=Usage(120, 50, 30, 9)))) as up:
        reply = gateways(up.address).answer(Ask("tell me"))
    assert reply == Answer("in short", "script", Usage(120, 50, 30, 9))


@proves("gateway.answer")
def test_everything_an_ask_says_arrives_and_for_whom_it_is_asked(gateways) -> None:
    model, heard = Script("yes"), list[CallRecord]()
    with serving(model, on_call=heard.append) as up:
        client = gateways(up.address, caller=Caller("s-1", "ada", ("lead", "researcher")))
        client.answer(
            Ask(
                "tell me",
                321,
                "be brief",
                seconds=9.0,
                schema='{"type": "object"}',
                complexity="epic",
            )
        )
    (ask,) = model.asked
    assert (ask.prompt, ask.max_tokens, ask.system) == ("tell me", 321, "be brief")
    assert (ask.schema, ask.complexity) == ('{"type": "object"}', "epic")
    # gRPC rounds a timeout up to hundredths when it sends it.
    assert ask.seconds is not None and 0 < ask.seconds <= 9.01, (
        "the deadline of a call is the ask's"
    )
    (called,) = heard
    assert (called.session, called.user, called.agents) == ("s-1", "ada", ("lead", "researcher"))
    assert (called.method, called.complexity, called.code) == ("Inference", "epic", "OK")
    assert called.usage.said > 0


@proves("gateway.failures")
@pytest.mark.parametrize("how", FAILURES)
@pytest.mark.parametrize("streamed", [False, True], ids=["at once", "streamed"])
def test_a_failure_reaches_the_caller_as_what_it_is_and_quotes_nothing(
    gateways, how: str, streamed: bool
) -> None:
    failure, kind, wait, window = FAILURES[how]
    with serving(Script(failure)) as up:
        client = gateways(up.address)
        with pytest.raises(ModelFailed) as failed:
            list(client.stream(Ask(SECRET))) if streamed else client.answer(Ask(SECRET))
    assert (failed.value.kind, failed.value.wait, failed.value.window) == (kind, wait, window)
    assert SECRET not in repr(failed.value) and failed.value.__cause__ is None


@proves("gateway.failures")
def test_a_prompt_too_long_for_the_model_tells_its_window(gateways) -> None:
    class Strict:
        def answer(self, ask: Ask) -> Answer:
            raise ModelFailed("too long", "overflow", window=4_096)

    with serving(Strict()) as up, pytest.raises(ModelFailed) as failed:
        gateways(up.address).answer(Ask("x" * 100))
    assert (failed.value.kind, failed.value.window) == ("overflow", 4_096)


def asking(ask: Ask) -> Any:
    replies = yield (ask,)
    return replies[0]


@proves("gateway.failures")
def test_for_the_engine_a_failure_is_no_answer_blocking_or_not(gateways) -> None:
    with serving(Script(lambda ask: NoAnswer("overloaded", "busy", wait=3.0))) as up:
        client = gateways(up.address)
        for reply in (
            run(asking(Ask("hello")), client),
            asyncio.run(arun(asking(Ask("hello")), client)),
        ):
            assert isinstance(reply, NoAnswer) and (reply.kind, reply.wait) == ("busy", 3.0)
    gone = run(asking(Ask("hello")), client)
    assert isinstance(gone, NoAnswer) and gone.kind == "reset", "nobody listens there any more"


@proves("gateway.stream")
def test_a_turn_streams_its_words_and_keeps_who_said_what(gateways) -> None:
    model = Script("one\ntwo\nthree")
    with serving(model) as up:
        request = {
            "messages": [
                {"role": "system", "content": "count"},
                {"role": "user", "content": "first"},
                {"role": "assistant", "content": "zero"},
                {"role": "user", "content": "go on"},
            ]
        }
        *words, spoken = gateways(up.address).turn(request, max_tokens=50)
    assert [word.text for word in words if isinstance(word, Delta)] == ["one\n", "two\n", "three"]
    assert isinstance(spoken, FinishedTurn) and spoken.stop == "end" and spoken.usage.sent > 0
    assert spoken.messages == ({"role": "assistant", "content": "one\ntwo\nthree"},)
    assert model.requests[0]["messages"] == request["messages"]


@proves("gateway.stream")
def test_tools_and_pictures_cannot_be_said_and_the_error_says_so(gateways) -> None:
    with serving(Script("x")) as up:
        client = gateways(up.address)
        with pytest.raises(BadInput, match="TextTalker"):
            client.turn({"messages": [{"role": "user", "content": "x"}], "tools": [{}]})
        with pytest.raises(BadInput, match="pictures"):
            client.turn({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]})
        with pytest.raises(BadInput, match="the last message"):
            client.turn({"messages": []})


TALKS_ON = """
import itertools, time
from steno.core.model import Delta
from steno.gateway.server import serve

class Endless:
    name, wire, window = "endless", "openai", None
    def turn(self, request, *, max_tokens=None, seconds=None):
        for n in itertools.count():
            yield Delta(f"{n} ")
            time.sleep(0.01)

up = serve(Endless())
print(up.port, flush=True)
up.wait()
"""


@pytest.mark.slow
@proves("gateway.failures")
def test_a_gateway_that_is_killed_in_the_middle_of_a_stream_is_a_broken_connection(
    gateways,
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", TALKS_ON], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        client = gateways(f"127.0.0.1:{int(child.stdout.readline())}")
        stream = client.stream(Ask("talk", seconds=60.0))
        assert isinstance(next(stream), Delta)
        os.kill(child.pid, signal.SIGKILL)
        with pytest.raises(ModelFailed) as failed:
            list(stream)
    assert failed.value.kind == "reset"


@pytest.mark.slow
@proves("gateway.failures")
def test_a_slow_gateway_is_waited_for_as_long_as_the_ask_says(gateways) -> None:
    model = Slow()
    with serving(model) as up:
        began = time.monotonic()
        with pytest.raises(ModelFailed) as failed:
            gateways(up.address).answer(Ask("hello", seconds=0.3))
        took = time.monotonic() - began
        model.go.set()
    assert failed.value.kind == "timeout" and took < 10


PIECES = 40


class Gushing:
    """Says more at once than fits between a server and a client that does not read."""

    name, wire, window = "gushing", "openai", None
    said = 0

    def turn(
        self, request: Any, *, max_tokens: int | None = None, seconds: float | None = None
    ) -> Iterator[Any]:
        self.said = 0
        for _ in range(PIECES):
            self.said += 1
            yield Delta("gush " * 100_000)
        yield FinishedTurn(({"role": "assistant", "content": "gush"},))


@pytest.mark.slow
@proves("gateway.bounded")
def test_an_unread_stream_frees_its_place() -> None:
    model = Gushing()
    with serving(model, width=1, queue=0, seconds=0.4) as up, _streaming(up.address) as stream:
        # No deadline, and nothing is read.
        held = stream("go")
        until = time.monotonic() + 60
        while not model.said and time.monotonic() < until:
            time.sleep(0.01)
        while up.gate.running and time.monotonic() < until:
            time.sleep(0.02)
        assert up.gate.running == 0 and 0 < model.said < PIECES
        with pytest.raises(grpc.RpcError):
            list(held)
    # Who reads gets all of it.
    with serving(model, width=1, queue=0) as up, _streaming(up.address) as stream:
        assert sum(len(piece.text) for piece in stream("go")) == PIECES * 500_000


@contextmanager
def _streaming(address: str) -> Iterator[Callable[[str], Any]]:
    """Give what streams the answer to a prompt, without a deadline."""
    pb = gateway_messages()
    with grpc.insecure_channel(address) as channel:
        call = channel.unary_stream(
            f"/{SERVICE}/{STREAM}",
            request_serializer=pb.InferenceRequest.SerializeToString,
            response_deserializer=pb.StreamInferenceResponse.FromString,
        )
        yield lambda prompt: call(pb.InferenceRequest(prompt=prompt))


@pytest.mark.slow
@proves("gateway.bounded")
def test_calls_of_thousands_of_small_messages_keep_no_other_waiting(gateways) -> None:
    """SDKs take a third of a millisecond to copy a message; 16 such calls took half a minute."""
    talk = [{"role": ("user", "assistant")[n % 2], "content": f"{n}"} for n in range(6_001)]
    with Loopback(lambda heard: Say("noted", sent=9)) as provider:
        model = steno.models.OpenAI("gpt-5", url=provider.openai, key="k")
        with serving(model) as up, ThreadPoolExecutor(12) as pool:
            client = gateways(up.address)
            began = time.monotonic()
            large = [pool.submit(lambda: list(client.turn({"messages": talk}))) for _ in range(12)]
            client.answer(Ask("x"))
            for each in large:
                each.result()
            took = time.monotonic() - began
        assert [len(heard.body["messages"]) for heard in provider.heard].count(6_001) == 12
    assert took < 15


@proves("gateway.bounded")
def test_what_is_over_the_queue_is_refused_at_once_with_when_to_come_back(gateways) -> None:
    model = Slow()
    with serving(model, width=1, queue=1) as up:
        client = gateways(up.address)
        got: list[Any] = []
        calls = [
            threading.Thread(target=lambda: got.append(client.answer(Ask("x")))) for _ in range(2)
        ]
        calls[0].start()
        assert model.begun.acquire(timeout=20)
        calls[1].start()
        deadline = time.monotonic() + 20
        while up.gate.waiting < 1 and time.monotonic() < deadline:
            time.sleep(0.01)
        with pytest.raises(ModelFailed) as refused:
            client.answer(Ask("x"))
        with pytest.raises(ModelFailed) as streamed:
            list(client.stream(Ask("x")))
        model.go.set()
        for call in calls:
            call.join(20)
    assert refused.value.kind == streamed.value.kind == "busy"
    assert refused.value.wait is not None and 0.1 <= refused.value.wait <= 30
    assert [reply.text for reply in got] == ["at last", "at last"], (
        "who waited in the queue got its answer"
    )


@pytest.mark.slow
@proves("gateway.bounded")
def test_who_waits_in_the_queue_waits_no_longer_than_its_deadline(gateways) -> None:
    model = Slow()
    with serving(model, width=1, queue=4) as up:
        client = gateways(up.address)
        first = threading.Thread(target=lambda: client.answer(Ask("x")))
        first.start()
        assert model.begun.acquire(timeout=20)
        with pytest.raises(ModelFailed) as late:
            client.answer(Ask("x", seconds=0.4))
        deadline = time.monotonic() + 20
        while up.gate.waiting and time.monotonic() < deadline:
            time.sleep(0.01)
        assert up.gate.waiting == 0, "a place in the queue is not held for who has gone"
        model.go.set()
        first.join(20)
    assert late.value.kind == "timeout"


@proves("gateway.bounded")
def test_a_call_whose_client_left_the_queue_asks_no_model(gateways) -> None:
    model = Slow()
    with (
        serving(model, width=1, queue=1) as up,
        _streaming(up.address) as stream,
        ThreadPoolExecutor(1) as pool,
    ):
        first = pool.submit(gateways(up.address).answer, Ask("x"))
        assert model.begun.acquire(timeout=20)
        gone = stream("y")
        until = time.monotonic() + 20
        while not up.gate.waiting and time.monotonic() < until:
            time.sleep(0.01)
        gone.cancel()
        # On the same connection: the gateway has heard of the cancel once this is refused.
        with pytest.raises(grpc.RpcError, match="all the calls it can hold"):
            list(stream("z"))
        model.go.set()
        assert first.result(20).text == "at last"
        while up.gate.running + up.gate.waiting and time.monotonic() < until:
            time.sleep(0.01)
        assert not model.begun.acquire(blocking=False), "a model was asked for who has gone"


@proves("gateway.bounded")
@pytest.mark.parametrize("longer", ["prompt", "answer"])
def test_a_message_over_the_limit_is_a_prompt_too_long(gateways, longer: str) -> None:
    long = "word " * MESSAGE_MOST
    asked = {"prompt": long, "answer": "short"}[longer]
    replies = {"prompt": ["yes"], "answer": [long, "yes"]}[longer]
    with serving(Script(*replies)) as up:
        client = gateways(up.address)
        with pytest.raises(ModelFailed) as failed:
            client.answer(Ask(asked))
        assert client.answer(Ask("short")).text == "yes", "the connection is as good as before"
    assert failed.value.kind == "overflow" and "word" not in str(failed.value)


@proves("gateway.door")
@pytest.mark.parametrize("token", [None, "wrong"])
def test_a_call_without_the_token_is_refused(gateways, token: str | None) -> None:
    model = Script(lambda ask: "yes")
    with serving(model, token=WORD) as up:
        client = gateways(up.address, token=token)
        for call in (lambda: client.answer(Ask("x")), lambda: list(client.stream(Ask("x")))):
            with pytest.raises(ModelFailed) as failed:
                call()
            assert failed.value.kind == "auth" and WORD not in str(failed.value)
        assert gateways(up.address, token=WORD).answer(Ask("x")).text == "yes"
        assert WORD not in repr(gateways(up.address, token=WORD))
    assert len(model.asked) == 1


@proves("gateway.door")
def test_it_listens_here_alone_unless_told_otherwise_and_elsewhere_only_with_tls_and_a_token() -> (
    None
):
    with serving(Script()) as up:
        assert up.host == "127.0.0.1"
    with pytest.raises(BadInput, match=r"TLS \(--cert, --key\) and a token"):
        serving(Script(), listen="0.0.0.0:0").__enter__()
    with pytest.raises(BadInput, match="in the clear"):
        Gateway("models.example.org:443", token=WORD)
    with serving(Script(), listen="0.0.0.0:0", insecure=True) as up:
        assert up.port > 0
    for wrong in ("nowhere", "127.0.0.1:99999999", ":80"):
        with pytest.raises(BadInput, match="host:port"):
            serving(Script(), listen=wrong).__enter__()


@proves("gateway.door")
def test_tls_is_spoken_where_there_is_a_certificate(
    gateways, certificate: tuple[Path, Path]
) -> None:
    cert, key = certificate
    with serving(Script(lambda ask: "yes"), cert=cert, key=key, token=WORD) as up:
        assert gateways(f"localhost:{up.port}", tls=cert, token=WORD).answer(Ask("x")).text == "yes"
        with pytest.raises(ModelFailed) as failed:
            gateways(f"localhost:{up.port}", tls=True, token=WORD).answer(Ask("x", seconds=20.0))
        assert failed.value.kind == "reset", "a certificate that nobody vouches for is not trusted"
    with pytest.raises(BadInput, match="takes both"):
        serving(Script(), cert=cert).__enter__()
    with pytest.raises(BadInput, match="cannot be read"):
        Gateway("localhost:1", tls="nowhere.pem")


@proves("gateway.door")
@pytest.mark.parametrize("token", ["", "t\u00f6k", "a b", "x\n"])
def test_a_token_that_cannot_be_a_header_is_refused_on_both_sides(token: str) -> None:
    with pytest.raises(BadInput, match="visible ASCII"):
        Gateway("127.0.0.1:1", token=token)
    with pytest.raises(BadInput, match="visible ASCII"), serving(Script("yes"), token=token):
        pass


@pytest.mark.slow
@proves("gateway.door")
def test_what_cannot_be_served_is_refused_and_nothing_stays_behind(tmp_path: Path) -> None:
    bad = tmp_path / "bad.pem"
    bad.write_text("garbage")
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("certificate", {"cert": bad, "key": bad}),
        ("brackets", {"listen": "::1:0"}),
        ("more than 0", {"seconds": -1}),
    ]
    with serving(Script("yes")) as up:
        before = threading.active_count()
        for words, how in [*wrong, ("is taken", {"listen": up.address})]:
            with pytest.raises(BadInput, match=words), serving(Script("yes"), **how):
                pass
        assert threading.active_count() == before


@proves("gateway.door")
def test_a_client_that_is_closed_or_asks_for_too_much_says_so() -> None:
    with serving(Script("yes")) as up:
        with Gateway(up.address) as gateway:
            for most in (-1, 0, 2**40):
                with pytest.raises(BadInput, match="max_tokens"):
                    gateway.answer(Ask("go", most))
        with pytest.raises(ModelFailed, match="closed"):
            gateway.answer(Ask("go", 9))
        with pytest.raises(ModelFailed, match="closed"):
            list(gateway.stream(Ask("go", 9)))


@proves("gateway.failures")
def test_a_listener_that_raises_loses_no_answer(gateways, caplog: pytest.LogCaptureFixture) -> None:
    def told(called: CallRecord) -> None:
        raise RuntimeError(SECRET)

    with serving(Script("yes"), on_call=told) as up:
        assert gateways(up.address).answer(Ask("go", 9)).text == "yes"
    assert "RuntimeError" in caplog.text and SECRET not in caplog.text


@proves("gateway.failures")
@pytest.mark.parametrize("streamed", [False, True])
def test_a_model_that_exits_is_a_failure_at_once(gateways, streamed: bool) -> None:
    class Exits:
        name = "exits"

        def answer(self, ask: Ask) -> Answer:
            raise SystemExit(SECRET)

    with serving(Exits()) as up:
        gateway = gateways(up.address)
        began = time.monotonic()
        with pytest.raises(ModelFailed, match="INTERNAL") as failed:
            list(gateway.stream(Ask("go", 9, seconds=30))) if streamed else gateway.answer(
                Ask("go", 9, seconds=30)
            )
        assert (
            time.monotonic() - began < 15
            and SECRET not in str(failed.value)
            and up.gate.running == 0
        )


@proves("gateway.answer")
def test_a_schema_is_kept_or_refused(gateways) -> None:
    class Both:
        name, wire = "both", "openai"

        def __init__(self) -> None:
            self.asks: list[Ask] = []

        def answer(self, ask: Ask) -> Answer:
            self.asks.append(ask)
            return Answer("{}", by=self.name)

        def turn(self, request: Any, **how: Any) -> Iterator[Any]:
            yield FinishedTurn(({"role": "assistant", "content": "words"},), Usage(), "end")

    model = Both()
    with serving(model) as up:
        gateway = gateways(up.address)
        asked = Ask("go", 9, schema='{"type": "object"}')
        first, *_ = gateway.stream(asked)
        assert first == Delta("{}")
        assert model.asks[-1].schema == asked.schema
        with pytest.raises(ModelFailed, match="INVALID_ARGUMENT"):
            list(gateway.stream(asked, [("user", "before"), ("assistant", "yes")]))


@proves("gateway.names")
def test_how_hard_a_task_is_chooses_the_model(gateways) -> None:
    small, large = (
        Script(lambda ask: "small", name="small"),
        Script(lambda ask: "large", name="large"),
    )
    with serving(small, routes={"complex": large, "epic": large}) as up:
        client = gateways(up.address)
        said = [
            client.answer(Ask("x", complexity=hard)).by
            for hard in ("simple", "medium", "complex", "epic")
        ]
    assert said == ["small", "small", "large", "large"]
    with pytest.raises(BadInput, match="no complexity 'hard'; there are simple, medium"):
        serving(small, routes={"hard": large}).__enter__()


@proves("gateway.names")
def test_a_name_means_a_gateway(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, WORD)
    with (
        serving(Script(lambda ask: "yes"), token=WORD) as up,
        resolve_model(f"grpc://{up.address}", window=9_000) as model,
    ):
        assert model.answer(Ask("x")).text == "yes" and model.window == 9_000
        with Session(wire="openai", window=8_000, writer=f"grpc://{up.address}") as session:
            assert session._parts.settings.writer is not None
    with resolve_model("grpcs://models.example.org:443") as model:
        assert model.tls is True and model.name == "grpcs://models.example.org:443"
    with pytest.raises(BadInput, match="host:port, got 'nowhere'"):
        resolve_model("grpc://nowhere")
    monkeypatch.setitem(sys.modules, "grpc", None)
    with pytest.raises(BadInput, match=r"pip install 'stenolog\[gateway\]'"):
        resolve_model("grpc://localhost:1")


@proves("gateway.failures")
def test_a_request_that_makes_no_sense_is_refused_by_name(gateways) -> None:
    with serving(Slow(0)) as up:
        client = gateways(up.address)
        with pytest.raises(ModelFailed, match="INVALID_ARGUMENT"):
            client.answer(Ask("  "))
        with pytest.raises(ModelFailed, match="INVALID_ARGUMENT"):
            list(client.stream(Ask("x"), [("user", "earlier")]))
        with pytest.raises(ModelFailed, match="share_prefix"):
            client.answer(Ask("x", after="{}"))
        assert next(client.stream(Ask("x"))) == Delta("at last")


SERVED = """
import steno.cli.gateway
from steno.cli.main import main
from tests.support.scripted_research import ScriptedModel

steno.cli.gateway.resolve_model = lambda name: ScriptedModel()
main()
"""
"""The command line, with a script in the place of the model."""


@pytest.mark.slow
@proves("gateway.command")
def test_the_command_serves_until_it_is_stopped(gateways, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(f"{WORD}\n")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.md").write_text("Of harbours.\nThe harbour of Velm has 12 cranes.\n")
    steno = [sys.executable, "-m", "steno"]
    served = [sys.executable, "-c", SERVED]
    words = [
        "gateway",
        "--model",
        "openai:gpt-5-mini",
        "--listen",
        "127.0.0.1:0",
        "--token-file",
        "token",
    ]
    with subprocess.Popen(
        [*served, *words],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (ROOT, *sys.path)))},
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stderr is not None
        address = child.stderr.readline().split("grpc://")[1].strip()
        question = [
            "research",
            "How many cranes has the harbour of Velm?",
            "--root",
            "texts",
            "--json",
        ]
        asked = [*steno, *question, "--model", f"grpc://{address}"]
        env = os.environ | {TOKEN_VARIABLE: WORD}
        found = subprocess.run(asked, cwd=tmp_path, env=env, capture_output=True, text=True)
        child.send_signal(signal.SIGTERM)
        assert child.wait(30) == 0
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["sources"] == ["a.md:2"]


@pytest.mark.slow
def test_the_generated_code_is_that_of_the_protocol(tmp_path: Path) -> None:
    """`make proto` would change nothing: what is shipped was generated from this .proto."""
    script = ROOT / "scripts" / "make_proto.py"
    subprocess.run([sys.executable, script, tmp_path], check=True)
    for name in ("gateway_pb2.py", "gateway_pb2.pyi"):
        place = Path("steno", "gateway", "v1", name)
        assert (tmp_path / place).read_text() == (ROOT / "src" / place).read_text()


@pytest.mark.slow
@pytest.mark.parametrize("moment", range(40))
def test_ctrl_c_ends_the_wait_whenever_it_comes(
    moment: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Press it before one bytecode of the wait: a handler that takes a lock hangs there."""
    monkeypatch.setattr(gateway_command, "WAIT_SECONDS", 0.001)
    looked_at = (gateway_command.__file__, threading.__file__)
    before = signal.getsignal(signal.SIGTERM)
    left = moment

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left
        frame.f_trace_opcodes = frame.f_code.co_filename in looked_at
        if event == "opcode" and signal.getsignal(signal.SIGTERM) is not before:
            left -= 1
            if left == -1:
                signal.raise_signal(signal.SIGINT)
        return trace

    sys.settrace(trace)
    try:
        gateway_command.wait_for_signal()
    finally:
        sys.settrace(None)
    assert left < 0
