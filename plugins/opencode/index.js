// Adds what Steno reads from a session to the prompt of opencode's own compaction.
import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";

const STORE = process.env.STENO_DB ?? join(homedir(), ".steno", "agents.db");
const SECONDS = 60;

/** Return what `steno hook` says of some messages; an empty text if anything goes wrong. */
export function summarize(messages) {
  return new Promise((resolve) => {
    const steno = spawn("steno", ["hook", STORE], { timeout: SECONDS * 1000 });
    let said = "";
    steno.stdout.on("data", (chunk) => (said += chunk));
    steno.on("error", () => resolve(""));
    steno.on("close", (code) => resolve(code === 0 ? said.trim() : ""));
    steno.stdin.on("error", () => {});
    steno.stdin.end(JSON.stringify({ hook_event_name: "Compact", messages }));
  });
}

/** Return opencode's messages in the form of OpenAI's chat completions. */
export function toChat(messages) {
  const chat = [];
  for (const { info, parts } of messages) {
    const text = parts.filter((part) => part.type === "text").map((part) => part.text).join("\n");
    const tools = parts.filter((part) => part.type === "tool");
    if (info.role === "user") {
      if (text) chat.push({ role: "user", content: text });
      continue;
    }
    const said = { role: "assistant", content: text || null };
    if (tools.length) {
      said.tool_calls = tools.map((part) => ({
        id: part.callID,
        type: "function",
        function: { name: part.tool, arguments: JSON.stringify(part.state.input ?? {}) },
      }));
    }
    if (text || tools.length) chat.push(said);
    for (const part of tools) {
      const content = String(part.state.output ?? part.state.error ?? "");
      chat.push({ role: "tool", tool_call_id: part.callID, content });
    }
  }
  return chat;
}

export const StenoPlugin = async ({ client }) => ({
  "experimental.session.compacting": async (input, output) => {
    try {
      const answer = await client.session.messages({ path: { id: input.sessionID } });
      const text = await summarize(toChat(answer.data ?? []));
      if (text) output.context.push(text);
    } catch {
      // The agent compacts as it would have without this plugin.
    }
  },
});
