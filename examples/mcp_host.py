"""An MCP host that asks Steno's server what was said in a session.

pip install 'stenolog[mcp]'
python mcp_host.py session.jsonl "slow query"
"""

import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from mcp import Client, StdioServerParameters


async def main(transcript: str, question: str) -> None:
    with TemporaryDirectory() as folder:
        store = str(Path(folder) / "agent.db")
        imports = ("-m", "steno", "import", transcript, store, "--window", "32000")
        await (await asyncio.create_subprocess_exec(sys.executable, *imports)).wait()
        server = StdioServerParameters(command=sys.executable, args=["-m", "steno", "mcp", store])
        async with Client(server) as client:
            found = await client.call_tool("recall", {"query": question})
            print(found.content[0].text)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: python mcp_host.py TRANSCRIPT QUESTION")
    asyncio.run(main(sys.argv[1], " ".join(sys.argv[2:])))
