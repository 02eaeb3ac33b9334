"""What a message sets for later ones survives compactions, and so does a provider's own."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from steno import Session, View, providers
from steno.core.state import CarriedState
from tests.support import legal
from tests.support.promises import first_fast, proves

Plain = dict[str, Any]
FILLER = "The build went through and the logs were read line by line. " * 40
ADDED = {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "deploy"}}
REMOVED = {"type": "tool_removal", "tool": {"type": "tool_reference", "name": "deploy"}}
DEFINED = {
    "type": "tool_addition",
    "tool": {
        "type": "tool_definition",
        "definition": {"name": "deploy", "input_schema": {"type": "object"}},
    },
}
FOUND = {"type": "tool_reference", "tool_name": "deploy"}
UPLOAD = {"type": "container_upload", "file_id": "file_1"}


def system(*blocks: Plain) -> Plain:
    return {"role": "system", "content": list(blocks)}


def call(n: int, name: str = "read") -> Plain:
    use = {"type": "tool_use", "id": f"t{n}", "name": name, "input": {}}
    return {"role": "assistant", "content": [use]}


def result(n: int, content: Any) -> Plain:
    block = {"type": "tool_result", "tool_use_id": f"t{n}", "content": content}
    return {"role": "user", "content": [block]}


def tools(*names: str) -> Plain:
    return {
        "type": "additional_tools",
        "role": "developer",
        "tools": [{"type": "function", "name": name, "parameters": {}} for name in names],
    }


SEARCH = {
    "type": "tool_search_call",
    "call_id": "s1",
    "execution": "client",
    "arguments": {"queries": ["deploy"]},
    "status": "completed",
}
SEARCHED = {
    "type": "tool_search_output",
    "call_id": "s1",
    "execution": "client",
    "status": "completed",
    "tools": [{"type": "function", "name": "deploy", "parameters": {}}],
}
OPENING = [{"role": "user", "content": "go"}, {"role": "assistant", "content": FILLER}]
EFFORT = {"type": "configuration_update", "reasoning": {"effort": "high"}}
FORMAT = {"type": "configuration_update", "text": {"format": {"type": "text"}}}
SEARCHED_BY_IT = [
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "tool_search_tool_bm25", "input": {}},
    {
        "type": "tool_search_tool_result",
        "tool_use_id": "srvtoolu_1",
        "content": {
            "type": "tool_search_tool_search_result",
            "tool_references": [{"type": "tool_reference", "tool_name": "deploy"}],
        },
    },
]
FELL_BACK = {
    "type": "fallback",
    "from": {"model": "claude-opus-5"},
    "to": {"model": "claude-sonnet-5"},
}
SAID = {"type": "text", "text": "gone"}
CHANGED = {key: {key: {"tool": {"name": "deploy"}}} for key in ("toolAddition", "toolRemoval")}
ITEM = {"type": "compaction", "encrypted_content": "gAAAA" + "x" * 600}
BLOCK = {"type": "compaction", "content": "So far: the plan stands."}
SIGNED = BLOCK | {"signature": "sig", "tool_changes": [ADDED]}


def live_through(session: Session, kind: str, turns: int = 40) -> None:
    """Let a session live through several compactions."""
    for turn in range(turns):
        if kind == "anthropic":
            session.add({"role": "user", "content": f"{turn} {FILLER}"}, call(turn + 100))
            session.add(result(turn + 100, FILLER), {"role": "assistant", "content": "done"})
        else:
            said = [f"{turn} {FILLER}", f"done {turn}"]
            for role, text in zip(("user", "assistant"), said, strict=True):
                content: Any = [{"text": text}] if kind == "bedrock" else text
                session.add({"role": role, "content": content})
        shown = session.messages()
        if kind == "anthropic":
            assert list(legal.anthropic({"messages": shown})) == []
    assert len([commit for commit in session.log.commits if commit.why != "arrival"]) >= 5


STORIES: list[tuple[str, list[Plain], list[Plain], list[Plain]]] = [
    # Wire, what is said first, what must still be there, what may have gone.
    (
        "anthropic",
        [{"role": "user", "content": "go"}, system(ADDED), call(1, "deploy"), result(1, "ok")],
        [system(ADDED)],
        [],
    ),
    (
        "anthropic",
        [
            {"role": "user", "content": "go"},
            system(ADDED),
            {"role": "assistant", "content": f"on {FILLER}"},
            {"role": "user", "content": "stop"},
            system(REMOVED),
            {"role": "assistant", "content": "off"},
        ],
        [system(REMOVED)],
        [system(ADDED)],
    ),
    (
        "anthropic",
        [
            {"role": "user", "content": "go"},
            system(DEFINED),
            {"role": "assistant", "content": "on"},
            {"role": "user", "content": "again"},
            system(ADDED),
            {"role": "assistant", "content": "on again"},
        ],
        [system(DEFINED), system(ADDED)],
        [],
    ),
    (
        "anthropic",
        [
            {"role": "user", "content": "find it"},
            call(1),
            result(1, [FOUND]),
            call(2, "deploy"),
            result(2, "ok"),
        ],
        [result(1, [FOUND])],
        [],
    ),
    (
        "anthropic",
        [
            {"role": "user", "content": [{"type": "text", "text": "read it"}, UPLOAD]},
            {"role": "assistant", "content": "read"},
        ],
        [{"role": "user", "content": [{"type": "text", "text": "read it"}, UPLOAD]}],
        [],
    ),
    (
        "anthropic",
        [{"role": "user", "content": "go"}, {"role": "assistant", "content": [BLOCK]}],
        [{"role": "assistant", "content": [BLOCK]}],
        [],
    ),
    (
        "anthropic",
        [{"role": "user", "content": "find it"}, {"role": "assistant", "content": SEARCHED_BY_IT}],
        [{"role": "assistant", "content": SEARCHED_BY_IT}],
        [],
    ),
    (
        "anthropic",
        [{"role": "user", "content": "go"}, {"role": "assistant", "content": [FELL_BACK, SAID]}],
        [],
        # It marks where another model took over inside this reply, and sets nothing for later.
        [{"role": "assistant", "content": [FELL_BACK, SAID]}],
    ),
    (
        "openai-responses",
        [{"role": "user", "content": "go"}, tools("deploy")],
        [tools("deploy")],
        [],
    ),
    (
        "bedrock",
        [
            {"role": "user", "content": [{"text": "go"}]},
            {"role": "system", "content": [CHANGED["toolAddition"]]},
            {"role": "assistant", "content": [{"text": f"on {FILLER}"}]},
            {"role": "user", "content": [{"text": "stop"}]},
            {"role": "system", "content": [CHANGED["toolRemoval"]]},
            {"role": "assistant", "content": [{"text": "off"}]},
        ],
        [{"role": "system", "content": [CHANGED["toolRemoval"]]}],
        [{"role": "system", "content": [CHANGED["toolAddition"]]}],
    ),
    (
        "openai-responses",
        [*OPENING, tools("deploy"), tools("deploy", "build")],
        [tools("deploy", "build")],
        [tools("deploy")],
    ),
    (
        "openai-responses",
        [{"role": "user", "content": "go"}, SEARCH, SEARCHED],
        [SEARCH, SEARCHED],
        [],
    ),
    (
        "openai-responses",
        [*OPENING, EFFORT, FORMAT, EFFORT | {"id": "newer"}],
        [FORMAT, EFFORT | {"id": "newer"}],
        [EFFORT],
    ),
    (
        "openai-responses",
        [{"role": "user", "content": "go"}, ITEM],
        [ITEM],
        [],
    ),
]


@pytest.mark.slow
@proves("wire.state")
@pytest.mark.parametrize(("kind", "said", "stays", "goes"), first_fast(STORIES, 3))
def test_state_survives_five_compactions(
    kind: str, said: list[Plain], stays: list[Plain], goes: list[Plain]
) -> None:
    session = Session(wire=kind, window=6_000)
    session.add(*said)
    live_through(session, kind)

    shown = session.messages()
    assert [message for message in shown if message in stays] == stays
    assert not [message for message in shown if message in goes]


@pytest.mark.slow
@proves("wire.state")
def test_a_signed_compaction_is_the_first_block_that_goes_out() -> None:
    session = Session(wire="anthropic", window=6_000, constraints=["Never touch production."])
    session.add({"role": "user", "content": "go"}, {"role": "assistant", "content": "gone"})
    signed = {"role": "assistant", "content": [SIGNED]}
    session.add(signed, {"role": "user", "content": "and now?"})

    assert session.messages()[0] == signed
    assert session.messages()[-1] == {"role": "user", "content": "and now?"}
    assert "Never touch production." in str(session.messages()[1])

    live_through(session, "anthropic")
    assert session.messages()[0] == signed


def test_results_follow_the_calls_of_a_reply_that_began_with_a_compaction() -> None:
    session = Session(wire="anthropic", window=60_000, constraints=["Never touch production."])
    reply = {"role": "assistant", "content": [BLOCK, *call(1)["content"]]}
    rest = [reply, result(1, "ok"), {"role": "assistant", "content": "done"}]
    session.add({"role": "user", "content": "go"}, *rest)

    shown = session.messages()
    assert shown.index(result(1, "ok")) == shown.index(reply) + 1


@pytest.mark.parametrize(("kind", "block"), [("anthropic", BLOCK), ("openai-responses", ITEM)])
def test_what_a_providers_compaction_stands_for_weighs_nothing(kind: str, block: Plain) -> None:
    with Session(wire=kind, window=100_000) as session:
        session.add({"role": "user", "content": FILLER * 20})
        before = session.load
        carrier = {"role": "assistant", "content": [block]} if kind == "anthropic" else block
        session.add(carrier)

        assert session.load < before / 10
        assert session.messages()[0] == {"role": "user", "content": FILLER * 20}


@pytest.mark.slow
@proves("wire.state")
def test_a_tool_that_was_added_on_bedrock_stays_and_roles_alternate() -> None:
    added = {"toolAddition": {"tool": {"type": "tool", "name": "deploy"}}}
    session = Session(wire="bedrock", window=6_000)
    session.add({"role": "user", "content": [{"text": "go"}]})
    session.add({"role": "system", "content": [added]})
    session.add({"role": "assistant", "content": [{"text": "on"}]})
    for turn in range(40):
        session.add({"role": "user", "content": [{"text": f"{turn} {FILLER}"}]})
        session.add({"role": "assistant", "content": [{"text": f"done {turn}"}]})
        shown = session.messages()
        assert {"role": "system", "content": [added]} in shown
        roles = [message["role"] for message in shown if message["role"] != "system"]
        assert not [pair for pair in itertools.pairwise(roles) if pair[0] == pair[1]]


def test_roles_alternate_for_models_whose_templates_want_it() -> None:
    session = Session(wire="openai", model="mistral-large-latest", window=6_000)
    for turn in range(40):
        session.add({"role": "user", "content": f"{turn} {FILLER}"})
        session.add({"role": "assistant", "content": f"done {turn}"})
        roles = [message["role"] for message in session.messages()]
        assert roles == ["user", "assistant"] * (len(roles) // 2)
    assert session.log.commits


def test_a_system_message_that_only_sets_the_effort_goes_out_as_it_came() -> None:
    setting = {"role": "system", "output_config": {"effort": "high"}}
    with Session(wire="anthropic", window=6_000) as session:
        session.add({"role": "user", "content": "go"}, setting)
        assert session.messages()[-1] == setting

        session.add({"role": "assistant", "content": "gone"})
        # It is for its own turn, so a commit may cover it.
        live_through(session, "anthropic")
        assert setting not in session.messages()


def test_a_compaction_that_failed_stands_for_nothing() -> None:
    with Session(wire="anthropic", window=100_000) as session:
        session.add({"role": "user", "content": FILLER * 20})
        before = session.load
        failed = {"type": "compaction", "content": None}
        session.add({"role": "assistant", "content": [failed, {"type": "text", "text": "hm"}]})

        assert session.load > before


@pytest.mark.parametrize(
    "source", [{"type": "url", "url": "https://a.b/c.pdf"}, {"type": "file", "file_id": "f"}]
)
def test_a_pdf_that_was_never_seen_here_goes_out(source: Plain) -> None:
    document = {"type": "document", "source": source}
    with Session(wire="anthropic", window=200_000) as session:
        session.add({"role": "user", "content": [document]}, call(1), result(1, [document]))

        assert session.messages() == [
            {"role": "user", "content": [document]},
            call(1),
            result(1, [document]),
        ]


def test_an_id_may_come_again_after_its_result_but_not_in_a_batch() -> None:
    with Session(wire="anthropic", window=100_000) as session:
        turns = [call(1), result(1, "one"), call(1), result(1, "two")]
        session.add({"role": "user", "content": "go"}, *turns)
        assert session.messages()[1:] == turns

        both = {"role": "assistant", "content": call(1)["content"] * 2}
        session.add(both)
        ids = [block["id"] for block in session.messages()[-1]["content"]]
        assert len(set(ids)) == 2


FAULTS: list[tuple[object, str, object, Any]] = [
    # Whose method, its name, what stands there instead, and the test that must notice.
    (
        CarriedState,
        "after",
        lambda self, message, position, read: self,
        test_a_signed_compaction_is_the_first_block_that_goes_out,
    ),
    (
        View,
        "_before_restart",
        lambda self, item: item,
        lambda: test_what_a_providers_compaction_stands_for_weighs_nothing("anthropic", BLOCK),
    ),
    (
        providers,
        "join_neighbours",
        lambda wire, plains: plains,
        test_roles_alternate_for_models_whose_templates_want_it,
    ),
]


@pytest.mark.parametrize(("owner", "name", "instead", "test"), FAULTS)
def test_a_planted_fault_is_noticed(
    owner: Any, name: str, instead: Any, test: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, name, instead)
    with pytest.raises(AssertionError):
        test()
