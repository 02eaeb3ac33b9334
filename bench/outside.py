"""Other libraries' compactions, each run as its package is, in an environment of its own.

    VENV/bin/python bench/outside.py NAME WINDOW       what `bench.peers` starts; reads JSON lines

A line on stdin has messages to add, as OpenAI's chat JSON. The answer is the next request: a number
for each message that goes out as it came, JSON for each one that the library made or changed. A
library's own rule says what goes. Where it does not say when, it compacts where a request passes
85 % of the window, down to about half. Where it asks a model for a summary, a stub copies what
people typed and what the agent said last, up to 1,000 tokens.

To add a library, write a class below, and its line in `bench.peers`. This file imports nothing of
Steno: the environment has none.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Any

Chat = dict[str, Any]
SOFT, KEEP, SUMMARY_CHARACTERS = 0.85, 0.5, 4_000


def copied_summary(people: Iterable[str], last: str) -> str:
    """Return what the stub writes: people's messages, newest kept, and the last reply."""
    lines = [f"- {words}" for words in people if words]
    text = "\n".join(lines)[-SUMMARY_CHARACTERS:] + f"\n\nLast: {last}"
    return text[-SUMMARY_CHARACTERS:]


class Peer:
    """Holds a list in a library's form, and lets the library change it before each request."""

    def __init__(self, window: int) -> None:
        self.window = window
        self.given: list[Chat] = []
        self.shown: list[Any] = []
        self._held: dict[int, tuple[Any, list[int], str]] = {}
        """By the identity of a library's message: itself, the numbers it came from, its text."""

    def add(self, message: Chat) -> None:
        self.given.append(message)
        for made in self.convert(message):
            self.shown.append(made)
            self.hold(made, [len(self.given) - 1])

    def hold(self, made: Any, numbers: list[int]) -> None:
        self._held[id(made)] = (made, numbers, self.text_of(made))

    def request(self) -> list[int | Chat]:
        """Return the numbers of the messages that are sent as they came, and new messages."""
        found: list[int | Chat] = []
        for message in self.reduce():
            _, numbers, text = self._held.get(id(message), (None, [], None))
            entries: list[Any] = numbers
            if self.text_of(message) != text:
                entries = self.write(message, numbers)
            # A message may be several in the library's form.
            found += [entry for entry in entries if found[-1:] != [entry]]
        return found

    def convert(self, message: Chat) -> list[Any]:
        """Return a message in the library's form."""
        return [message]

    def reduce(self) -> list[Any]:
        """Let the library change `shown` if its rule says so; return what is sent."""
        raise NotImplementedError

    def text_of(self, message: Any) -> str:
        """Return the text of a message in the library's form."""
        raise NotImplementedError

    def write(self, message: Any, numbers: list[int]) -> list[Chat]:
        """Return a message that the library made or changed as JSON."""
        return [{"role": "user", "content": self.text_of(message)}]

    @property
    def is_over(self) -> bool:
        return sum(len(self.text_of(each)) for each in self.shown) / 4 > SOFT * self.window

    def typed(self) -> list[str]:
        return [str(each["content"]) for each in self.given if each["role"] == "user"]

    def said(self) -> str:
        replies = [each["content"] for each in self.given if each["role"] == "assistant"]
        return next((text for text in reversed(replies) if text), "")


class Cliff(Peer):
    """CliffCompaction's engine, which is given whole lists, as its proxy does."""

    def __init__(self, window: int) -> None:
        super().__init__(window)
        from cliffcompaction.config import Config
        from cliffcompaction.dialects.openai_chat import DIALECT
        from cliffcompaction.engine import Engine

        self.engine = Engine(Config(threshold_tokens=int(window * SOFT)))
        self.dialect = DIALECT

    def reduce(self) -> list[Any]:
        prepared = self.engine.prepare({"messages": list(self.shown)}, self.dialect)
        return list(prepared.substituted)

    def text_of(self, message: Any) -> str:
        return json.dumps(message, ensure_ascii=False)

    def write(self, message: Any, numbers: list[int]) -> list[Chat]:
        return [message]


class Headroom(Cliff):
    """Headroom's `compress` over the whole list, without its model, which is downloaded."""

    def __init__(self, window: int) -> None:
        Peer.__init__(self, window)
        from headroom import compress

        self.compress = compress

    def reduce(self) -> list[Any]:
        made = self.compress(
            list(self.shown), model="gpt-4o", model_limit=self.window, kompress_model="disabled"
        ).messages
        # Messages come back as copies.
        same = dict(zip(map(self.text_of, self.shown), self.shown, strict=True))
        return [same.get(self.text_of(each), each) for each in made]


class LangChain(Peer):
    """LangChain's `SummarizationMiddleware`, by its hook before a model call."""

    def __init__(self, window: int) -> None:
        super().__init__(window)
        from langchain.agents.middleware import SummarizationMiddleware
        from langchain_core.language_models import FakeListChatModel
        from langchain_core.messages import convert_to_messages
        from langchain_core.runnables import RunnableLambda

        self.read = convert_to_messages
        self.middleware = SummarizationMiddleware(
            FakeListChatModel(responses=["unused"]),
            trigger=("tokens", int(SOFT * window)),
            keep=("tokens", int(KEEP * window)),
            token_counter=lambda messages: sum(map(self._size, messages)),
            summarizer=RunnableLambda(self._summarize),
        )

    @staticmethod
    def _summarize(messages: Sequence[Any]) -> str:
        people = [message.text for message in messages if message.type == "human"]
        said = [message.text for message in messages if message.type == "ai" and message.text]
        return copied_summary(people, said[-1] if said else "")

    @staticmethod
    def _size(message: Any) -> int:
        calls = getattr(message, "tool_calls", ())
        return (len(message.text) + sum(len(str(call["args"])) for call in calls)) // 4

    def convert(self, message: Chat) -> list[Any]:
        # Its reader takes JSON alone, and some agents' calls have plain text.
        for call in message.get("tool_calls") or ():
            function = call["function"]
            if not function["arguments"].startswith("{"):
                function["arguments"] = json.dumps({"input": function["arguments"]})
        return list(self.read([message]))

    def reduce(self) -> list[Any]:
        changed = self.middleware.before_model({"messages": self.shown}, None)
        if changed is not None:
            # The first one removes all that were there.
            self.shown = list(changed["messages"][1:])
        return self.shown

    def text_of(self, message: Any) -> str:
        return str(message.text)


class Strands(Peer):
    """Strands' `SummarizingConversationManager`, asked to reduce where a request is too large."""

    def __init__(self, window: int) -> None:
        super().__init__(window)
        from strands.agent.conversation_manager import SummarizingConversationManager

        self.manager: Any = SummarizingConversationManager(summarization_agent=_StrandsWriter())

    def convert(self, message: Chat) -> list[Any]:
        role = message["role"]
        if role == "tool":
            output = [{"text": str(message["content"])}]
            result = {"toolUseId": message["tool_call_id"], "content": output, "status": "success"}
            return self._with_neighbours({"toolResult": result})
        blocks = [{"text": message["content"]}] if message["content"] else []
        for call in message.get("tool_calls") or ():
            function = call["function"]
            use = {
                "toolUseId": call["id"],
                "name": function["name"],
                "input": function["arguments"],
            }
            blocks.append({"toolUse": use})
        return [{"role": "assistant" if role == "assistant" else "user", "content": blocks}]

    def _with_neighbours(self, block: Chat) -> list[Any]:
        """Return a message for a result, or add it to the message of the result before."""
        newest = self.shown[-1] if self.shown else None
        if newest is None or "toolResult" not in newest["content"][-1]:
            return [{"role": "user", "content": [block]}]
        newest["content"].append(block)
        _, numbers, _ = self._held[id(newest)]
        self.hold(newest, [*numbers, len(self.given) - 1])
        return []

    def reduce(self) -> list[Any]:
        agent = SimpleNamespace(messages=self.shown)
        self.manager.apply_management(agent)
        for _ in range(10):
            if self.is_over:
                self.manager.reduce_context(agent)
        self.shown = agent.messages
        return self.shown

    def text_of(self, message: Any) -> str:
        texts = []
        for block in message["content"]:
            result = block.get("toolResult", {"content": [block]})
            texts += [part.get("text") or json.dumps(part) for part in result["content"]]
        return "\n".join(texts)

    def write(self, message: Any, numbers: list[int]) -> list[Chat]:
        results = [block["toolResult"] for block in message["content"] if "toolResult" in block]
        if not results:
            return super().write(message, numbers)
        return [
            {
                "role": "tool",
                "tool_call_id": result["toolUseId"],
                "content": "\n".join(part.get("text", "") for part in result["content"]),
            }
            for result in results
        ]


class _StrandsWriter:
    """Stands for an agent that summarizes."""

    tool_names = ("none",)
    system_prompt = tool_registry = None
    messages: Sequence[Any] = []

    def __call__(self, prompt: str) -> Any:
        texts: dict[str, list[str]] = {"user": [], "assistant": []}
        for message in self.messages:
            texts[message["role"]] += [
                each["text"] for each in message["content"] if "text" in each
            ]
        text = copied_summary(texts["user"], (texts["assistant"] or [""])[-1])
        return SimpleNamespace(message={"role": "assistant", "content": [{"text": text}]})


class StrandsSliding(Strands):
    """Strands' default, `SlidingWindowConversationManager`: 40 messages, fewer under pressure."""

    def __init__(self, window: int) -> None:
        Peer.__init__(self, window)
        from strands.agent.conversation_manager import SlidingWindowConversationManager

        self.manager = SlidingWindowConversationManager()


class AgentFramework(Peer):
    """Agent Framework's `ContextWindowCompactionStrategy`, with its own thresholds."""

    def __init__(self, window: int) -> None:
        super().__init__(window)
        from agent_framework import Content, ContextWindowCompactionStrategy, Message
        from agent_framework._compaction import apply_compaction

        self.message, self.content, self.apply = Message, Content, apply_compaction
        self.strategy = ContextWindowCompactionStrategy(
            max_context_window_tokens=window, max_output_tokens=window // 8
        )

    def convert(self, message: Chat) -> list[Any]:
        made = [self.content.from_text(message["content"])] if message["content"] else []
        if message["role"] == "tool":
            said = message["content"]
            made = [self.content.from_function_result(message["tool_call_id"], result=said)]
        for call in message.get("tool_calls") or ():
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            made.append(self.content.from_function_call(call["id"], name, arguments=arguments))
        return [self.message(message["role"], made)]

    def reduce(self) -> list[Any]:
        return list(asyncio.run(self.apply(self.shown, strategy=self.strategy)))

    def text_of(self, message: Any) -> str:
        return "\n".join(str(each.text or each.result or each.name) for each in message.contents)


class PydanticAI(Peer):
    """Pydantic AI Harness' `SummarizingCompaction`, run where a request is too large."""

    def __init__(self, window: int) -> None:
        super().__init__(window)
        from pydantic_ai import messages
        from pydantic_ai.models.function import FunctionModel
        from pydantic_ai_harness.compaction import SummarizingCompaction, compact_now

        self.parts, self.compact = messages, compact_now
        self.model = FunctionModel(self._summarize)
        self.strategy = SummarizingCompaction(
            model=self.model, max_tokens=int(SOFT * window), keep_tokens=int(KEEP * window)
        )

    def _summarize(self, messages: Any, info: Any) -> Any:
        text = copied_summary(self.typed(), self.said())
        return self.parts.ModelResponse([self.parts.TextPart(text)])

    def convert(self, message: Chat) -> list[Any]:
        parts, text = self.parts, message["content"]
        if message["role"] == "assistant":
            made: list[Any] = [parts.TextPart(text)] if text else []
            for call in message.get("tool_calls") or ():
                function = call["function"]
                made.append(parts.ToolCallPart(function["name"], function["arguments"], call["id"]))
            return [parts.ModelResponse(made)]
        kinds = {"system": parts.SystemPromptPart, "user": parts.UserPromptPart}
        if message["role"] == "tool":
            return [parts.ModelRequest([parts.ToolReturnPart("", text, message["tool_call_id"])])]
        return [parts.ModelRequest([kinds[message["role"]](text)])]

    def reduce(self) -> list[Any]:
        if self.is_over:
            compacted = self.compact(self.strategy, self.shown, model=self.model)
            self.shown = asyncio.run(compacted)
        return self.shown

    def text_of(self, message: Any) -> str:
        return "\n".join(
            str(part.content if hasattr(part, "content") else part.args) for part in message.parts
        )


class OpenHands(Peer):
    """OpenHands' `LLMSummarizingCondenser`, over its events."""

    def __init__(self, window: int) -> None:
        super().__init__(window)
        from openhands.sdk import LLM
        from openhands.sdk.context import view
        from openhands.sdk.context.condenser import LLMSummarizingCondenser
        from openhands.sdk.event import Condensation, llm_convertible
        from openhands.sdk.llm import Message, MessageToolCall, TextContent
        from openhands.sdk.tool.schema import Observation

        class Writer(LLM):
            """Counts four characters to a token; its summary is the stub's."""

            def get_token_count(self, messages: Any, **options: Any) -> int:
                return sum(len(str(each.model_dump())) for each in messages) // 4

            def generate(self, messages: Any, **options: Any) -> Any:
                made = TextContent(text=copied_summary(outer.typed(), outer.said()))
                message = Message(role="assistant", content=[made])
                return SimpleNamespace(id="r", message=message)

        class Output(Observation):
            """The result of a call."""

        outer = self
        self.view, self.events, self.done = view.View, llm_convertible, Condensation
        self.text, self.said_as, self.call = TextContent, Message, MessageToolCall
        self.output = Output
        self.llm = Writer(model="stub", usage_id="stub")
        self.condenser = LLMSummarizingCondenser(
            llm=self.llm, max_size=1_000_000, max_tokens=int(SOFT * window)
        )
        self.history: list[Any] = []
        self.names: dict[str, str] = {}

    def convert(self, message: Chat) -> list[Any]:
        events, text = self.events, [self.text(text=message["content"] or "")]
        made: list[Any] = []
        for call in message.get("tool_calls") or ():
            function = call["function"]
            asked = self.call(
                id=call["id"],
                name=function["name"],
                arguments=function["arguments"],
                origin="completion",
            )
            made.append(
                events.ActionEvent(
                    thought=[] if made else text,
                    tool_name=function["name"],
                    tool_call_id=call["id"],
                    tool_call=asked,
                    llm_response_id=f"r{len(self.given)}",
                )
            )
            self.names[call["id"]] = made[-1].id
        if message["role"] == "tool":
            call_id = message["tool_call_id"]
            made = [
                events.ObservationEvent(
                    tool_name="tool",
                    tool_call_id=call_id,
                    observation=self.output(content=text),
                    action_id=self.names.get(call_id, call_id),
                )
            ]
        if not made:
            role = "assistant" if message["role"] == "assistant" else "user"
            said = self.said_as(role=role, content=text)
            source = {"user": "user", "assistant": "agent"}[role]
            made = [events.MessageEvent(source=source, llm_message=said)]
        self.history += made
        return made

    def reduce(self) -> list[Any]:
        seen = self.view.from_events(self.history)
        found = self.condenser.condense(seen, agent_llm=self.llm)
        if isinstance(found, self.done):
            self.history.append(found)
            found = self.view.from_events(self.history)
        return list(found.events)

    def text_of(self, message: Any) -> str:
        content = message.to_llm_message().content
        return "\n".join(getattr(part, "text", "") for part in content)


PEERS = {
    "agent_framework": AgentFramework,
    "cliff": Cliff,
    "headroom": Headroom,
    "langchain": LangChain,
    "openhands": OpenHands,
    "pydantic_ai": PydanticAI,
    "strands": Strands,
    "strands_sliding": StrandsSliding,
}


def serve() -> None:
    # A library that prints must not be read as an answer.
    answers, sys.stdout = sys.stdout, sys.stderr
    peer = PEERS[sys.argv[1]](int(sys.argv[2]))
    for line in sys.stdin:
        for message in json.loads(line):
            peer.add(message)
        print(json.dumps(peer.request()), file=answers, flush=True)


if __name__ == "__main__":
    serve()
