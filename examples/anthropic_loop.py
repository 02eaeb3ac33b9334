"""An agent loop with Anthropic's SDK and a session: the model can recall what it no longer sees.

pip install 'stenolog[anthropic]'
ANTHROPIC_API_KEY=… python anthropic_loop.py "What does the README promise?"
"""

import os
import sys
from pathlib import Path
from typing import Any

from anthropic import Anthropic

import steno

MODEL = "claude-sonnet-5"
TURNS_MOST = 40
READ: dict[str, Any] = {
    "name": "read",
    "description": "Read a file.",
    "input_schema": {
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
    },
}


def main(task: str) -> None:
    client = Anthropic()
    with steno.Session("agent.db", name="reading", model=MODEL, wire="anthropic") as session:
        session.add({"role": "user", "content": task})
        for _ in range(TURNS_MOST):
            request = session.request(tools=[READ, *session.tools()])
            reply = client.messages.create(model=MODEL, max_tokens=1_000, **request)
            session.add(reply, usage=reply.usage)
            calls = [block for block in reply.content if block.type == "tool_use"]
            if not calls:
                print("".join(block.text for block in reply.content if block.type == "text"))
                return
            results = []
            for call in calls:
                if call.name == "read":
                    text = Path(str(call.input["path"])).read_text()
                else:
                    text = session.handle(call)  # recall, remember, forget
                results.append({"type": "tool_result", "tool_use_id": call.id, "content": text})
            session.add({"role": "user", "content": results})


if __name__ == "__main__":
    if not os.environ.get("ANTHROPIC_API_KEY"):
        sys.exit("this asks Claude: set ANTHROPIC_API_KEY")
    main(" ".join(sys.argv[1:]) or "What does the README promise?")
