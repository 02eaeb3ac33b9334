// Lets Steno write the summary when pi compacts; the messages that pi keeps stay as they are.
import { spawn } from "node:child_process";

const COMMAND = "exec steno hook \"${STENO_DB:-$HOME/.steno/agents.db}\"";
const SECONDS = 60;

/** Return what `steno hook` says of some messages; an empty text if anything goes wrong. */
export function summarize(messages, signal) {
  return new Promise((resolve) => {
    const steno = spawn("sh", ["-c", COMMAND], { timeout: SECONDS * 1000, signal });
    let said = "";
    steno.stdout.on("data", (chunk) => (said += chunk));
    steno.on("error", () => resolve(""));
    steno.on("close", (code) => resolve(code === 0 ? said.trim() : ""));
    steno.stdin.on("error", () => {});
    steno.stdin.end(JSON.stringify({ hook_event_name: "Compact", messages }));
  });
}

/** Return pi's messages in the form of OpenAI's chat completions. */
export function toChat(messages) {
  const chat = [];
  for (const message of messages) {
    const blocks = Array.isArray(message.content) ? message.content : [];
    const texts = blocks.filter((block) => block.type === "text").map((block) => block.text);
    const text = typeof message.content === "string" ? message.content : texts.join("\n");
    if (message.role === "user" && text) chat.push({ role: "user", content: text });
    if (message.role === "toolResult") {
      chat.push({ role: "tool", tool_call_id: message.toolCallId, content: text });
    }
    if (message.role !== "assistant") continue;
    const calls = blocks.filter((block) => block.type === "toolCall");
    const said = { role: "assistant", content: text || null };
    if (calls.length) {
      said.tool_calls = calls.map((call) => ({
        id: call.id,
        type: "function",
        function: { name: call.name, arguments: JSON.stringify(call.arguments ?? {}) },
      }));
    }
    if (text || calls.length) chat.push(said);
  }
  return chat;
}

export default function steno(pi) {
  pi.on("session_before_compact", async (event) => {
    try {
      const { preparation, signal } = event;
      const earlier = [...preparation.messagesToSummarize, ...preparation.turnPrefixMessages];
      const chat = toChat(earlier);
      if (preparation.previousSummary) {
        // As the assistant's words: nobody typed it, so nothing in it is a constraint.
        chat.unshift({ role: "assistant", content: preparation.previousSummary });
      }
      const summary = await summarize(chat, signal);
      if (!summary) return undefined;
      const { firstKeptEntryId, tokensBefore } = preparation;
      return { compaction: { summary, firstKeptEntryId, tokensBefore } };
    } catch {
      // The agent compacts as it would have without this extension.
      return undefined;
    }
  });
}
