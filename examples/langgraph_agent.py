"""A LangGraph graph kept within a window, unchanged but for one line.

pip install 'stenolog[langgraph,openai]'
OPENAI_API_KEY=… python langgraph_agent.py
"""

import os
import sys

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, convert_to_openai_messages
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from openai import OpenAI

from steno.adapters.langgraph import CompactingSupervisor

MODEL = "gpt-5"


def answer(state: MessagesState) -> dict[str, list[BaseMessage]]:
    messages = convert_to_openai_messages(state["messages"])
    reply = OpenAI().chat.completions.create(model=MODEL, messages=messages)
    return {"messages": [AIMessage(reply.choices[0].message.content or "")]}


def main() -> None:
    builder = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer")
    graph = builder.compile(checkpointer=InMemorySaver())
    agent = CompactingSupervisor(graph, window=8_000)
    thread = {"configurable": {"thread_id": "notes"}}
    agent.invoke({"messages": [HumanMessage("Never mention prices. We write a guide.")]}, thread)
    for chapter in range(1, 11):
        agent.invoke({"messages": [HumanMessage(f"Write chapter {chapter}.")]}, thread)
    kept = agent.get_state(thread).values["messages"]
    size = sum(len(message.content) for message in kept)
    print(f"{size:,} characters stand in the thread; the first words: {kept[0].content[:80]}")


if __name__ == "__main__":
    if not os.environ.get("OPENAI_API_KEY"):
        sys.exit("this asks a model of OpenAI: set OPENAI_API_KEY")
    main()
