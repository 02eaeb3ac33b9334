// Adds what Steno reads from a session to the prompt of opencode's own compaction. With the address
// of a `steno proxy` in STENO_PROXY, every request is fitted to the window before that is needed.
import { spawn } from "node:child_process";

const COMMAND = "exec steno hook \"${STENO_DB:-$HOME/.steno/agents.db}\"";
const SECONDS = 60;
const PROXY = process.env.STENO_PROXY;

/** Return what `steno hook` says of some messages; an empty text if anything goes wrong. */
export function summarize(messages) {
  return new Promise((resolve) => {
    const steno = spawn("sh", ["-c", COMMAND], { timeout: SECONDS * 1000 });
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
  return messages.flatMap(chatOf);
}

function chatOf({ info, parts }) {
  const texts = parts.filter((part) => part.type === "text" && !part.ignored);
  const text = texts.map((part) => part.text).join("\n");
  const tools = parts.filter((part) => part.type === "tool");
  if (info.role === "user") return text ? [{ role: "user", content: text }] : [];
  const said = { role: "assistant", content: text || null };
  if (tools.length) {
    said.tool_calls = tools.map((part) => ({
      id: part.callID,
      type: "function",
      function: { name: part.tool, arguments: JSON.stringify(part.state.input ?? {}) },
    }));
  }
  const results = tools.map((part) => {
    const content = String(part.state.output ?? part.state.error ?? "");
    return { role: "tool", tool_call_id: part.callID, content };
  });
  return text || tools.length ? [said, ...results] : [];
}

/** Return the messages that a fitted chat shows; throw if it says what they cannot. */
export function fromChat(messages, fitted) {
  const shown = [];
  const outputs = new Map();
  const waiting = messages.map((message) => ({ message, chat: chatOf(message) }));
  for (const one of fitted) {
    if (one.role === "tool") {
      outputs.set(one.tool_call_id, one.content);
      continue;
    }
    const at = waiting.findIndex(({ chat }) => chat.length && isSame(chat[0], one));
    if (at >= 0) {
      shown.push(waiting.splice(0, at + 1)[at].message);
    } else if (one.role === "user") {
      shown.push(written(messages, one.content, shown.length));
    } else {
      throw new Error("the fitted list has an unknown reply");
    }
  }
  return shown.map((message) => withOutputs(message, outputs));
}

function isSame(said, fitted) {
  const ids = (message) => JSON.stringify((message.tool_calls ?? []).map((call) => call.id));
  const sameCalls = said.tool_calls && ids(said) === ids(fitted);
  return said.role === fitted.role && (sameCalls || said.content === fitted.content);
}

/** Return a message that holds a text of Steno's. */
function written(messages, text, number) {
  const { info } = messages.find((message) => message.info.role === "user");
  const id = `msg_steno_${number}`;
  const part = { id: `prt_steno_${number}`, messageID: id, sessionID: info.sessionID };
  return { info: { ...info, id }, parts: [{ ...part, type: "text", text }] };
}

function withOutputs(message, outputs) {
  const parts = message.parts.map((part) => {
    const output = outputs.get(part.callID);
    if (part.type !== "tool" || output === undefined || part.state.output === undefined) return part;
    return { ...part, state: { ...part.state, output } };
  });
  return { ...message, parts };
}

/** Return the messages that fit, by `POST /fit` of a running proxy. */
async function fit(messages) {
  const { info } = messages.findLast((message) => message.info.role === "user");
  const body = { messages: toChat(messages), wire: "openai", model: info.model?.modelID ?? "" };
  const answer = await fetch(`${PROXY}/fit`, {
    method: "POST",
    headers: { "content-type": "application/json", "steno-session": info.sessionID },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(SECONDS * 1000),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return fromChat(messages, (await answer.json()).messages);
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
  "experimental.chat.messages.transform": async (input, output) => {
    if (!PROXY || !output.messages.length) return;
    try {
      // In place: opencode goes on with its own list.
      output.messages.splice(0, Infinity, ...(await fit(output.messages)));
    } catch {
      // The whole list goes out, as it would have without this plugin.
    }
  },
});
