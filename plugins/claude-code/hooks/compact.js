// Answers Claude Code's compactions with what Steno reads from the session, without asking a model.
// Whatever goes wrong, Claude Code compacts as it would have without this module.
const RECENT = 4;
const COMMAND = "exec steno hook \"${STENO_DB:-$HOME/.steno/agents.db}\"";

/** Return Claude Code's messages in the form of OpenAI's chat completions. */
export function toChat(messages) {
  return messages.flatMap(({ role, text, toolUses = [], toolResults = [] }) => {
    const results = toolResults.map((one) => ({
      role: "tool",
      tool_call_id: one.tool_use_id,
      content: one.text,
    }));
    if (role === "user") return [...results, ...(text ? [{ role, content: text }] : [])];
    if (!text && !toolUses.length) return [];
    const said = { role, content: text || null };
    if (toolUses.length) {
      said.tool_calls = toolUses.map((one) => ({
        id: one.tool_use_id,
        type: "function",
        function: { name: one.tool, arguments: JSON.stringify(one.input ?? {}) },
      }));
    }
    return [said];
  });
}

/** Return where the newest messages begin, so that no result stands without its call. */
export function tailFrom(messages) {
  let at = Math.max(0, messages.length - RECENT);
  while (at < messages.length && messages[at].toolResults?.length) at -= 1;
  return Math.max(0, at);
}

async function summarize($, messages) {
  const session_id = await $.session.id();
  const asked = { hook_event_name: "Compact", session_id, messages: toChat(messages) };
  const ran = await $.process.run(["sh", "-c", COMMAND], { stdin: JSON.stringify(asked) });
  if (ran.exitCode !== 0 || !ran.stdout?.trim()) throw new Error(ran.stderr || "no summary");
  return ran.stdout.trim();
}

export const register = (on) => {
  on("session.compact", async ($, e, next) => {
    // What is computed ahead of time, and the lists of sub-agents, stay Claude Code's.
    if (e.trigger === "precompute" || e.agentId) return next(e);
    let messages;
    try {
      const at = tailFrom(e.messages);
      const text = await summarize($, e.messages.slice(0, at));
      messages = [{ role: "user", text, toolUses: [] }, ...e.messages.slice(at)];
    } catch (failure) {
      $.ui.log(`steno: Claude Code compacts by itself: ${failure.message}`);
    }
    // The hook SessionStart then does not hand the same over once more.
    await $.env.set("STENO_HANDED_OVER", messages ? "1" : "");
    return messages ? { messages } : next(e);
  });
};
