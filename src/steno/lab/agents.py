"""Which program ran a session, told by the names of its tools.

Only for grouping figures: a policy must work the same for an agent that is not listed here.
"""

from __future__ import annotations

from collections.abc import Mapping

AGENT_TOOLS = {
    "Claude Code": {"Read", "Edit", "MultiEdit", "Write", "Bash", "Grep", "Glob", "Task"},
    "Codex": {"exec_command", "write_stdin", "apply_patch", "shell", "update_plan"},
    "Copilot": {"bash", "view", "edit", "create", "report_intent", "read_bash", "write_bash"},
    "Gemini CLI": {"run_shell_command", "replace", "read_many_files", "search_file_content"},
    "OpenHands": {"execute_bash", "str_replace_editor", "execute_ipython_cell", "finish"},
    "pi": {"bash", "read", "edit", "write"},
}
OTHER_AGENT = "other"


def agent_of(calls: Mapping[str, int]) -> str:
    """Return the agent whose tools were called most, of the calls by name."""
    best, most = OTHER_AGENT, 0
    for agent, tools in AGENT_TOOLS.items():
        count = sum(calls.get(tool, 0) for tool in tools)
        if count > most:
            best, most = agent, count
    return best
