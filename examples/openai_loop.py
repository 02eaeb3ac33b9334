"""An agent loop with OpenAI's SDK: one line keeps it within its window.

pip install 'stenolog[openai]'
OPENAI_API_KEY=… python openai_loop.py "Which files are largest?"
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from openai import OpenAI

import steno

MODEL = "gpt-5"
TURNS_MOST = 40
TOOL = {
    "type": "function",
    "function": {
        "name": "list_files",
        "description": "List a folder with sizes.",
        "parameters": {"type": "object", "properties": {"folder": {"type": "string"}}},
    },
}


def list_files(folder: str = ".") -> str:
    files = sorted(Path(folder).iterdir())
    return "\n".join(f"{file.stat().st_size:>10} {file.name}" for file in files)


def main(task: str) -> None:
    client = steno.wrap(OpenAI(), store="agent.db")
    messages: list[Any] = [{"role": "user", "content": task}]
    for _ in range(TURNS_MOST):
        # Send the whole list, as ever: what goes out is the view.
        reply = client.chat.completions.create(model=MODEL, messages=messages, tools=[TOOL])
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            print(message.content)
            return
        for call in message.tool_calls:
            result = list_files(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


if __name__ == "__main__":
    if not os.environ.get("OPENAI_API_KEY"):
        sys.exit("this asks a model of OpenAI: set OPENAI_API_KEY")
    main(" ".join(sys.argv[1:]) or "Which files are largest?")
