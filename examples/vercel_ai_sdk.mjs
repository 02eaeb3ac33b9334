// Keeps an agent of Vercel's AI SDK within its model's window, through `POST /fit` of `steno proxy`.
//
//   const steno = stenoFit({ url: "http://127.0.0.1:8790/TOKEN", session: "ann-42", user: "ann" });
//   await generateText({ model, messages, tools: { ...tools, recall: steno.recall }, prepareStep: steno.prepareStep });
//
// Your messages stay whole; each step sends what fits.

import { jsonSchema, tool } from "ai";

export function stenoFit({ url, session, user, model = "" }) {
  const headers = { "content-type": "application/json", "steno-session": session };
  if (user) headers["steno-user"] = user;
  let newest = [];

  async function post(body) {
    const request = { wire: "openai", model, messages: newest, ...body };
    const send = () => fetch(`${url}/fit`, { method: "POST", headers, body: JSON.stringify(request) });
    // A connection that was kept open may have been closed meanwhile: the second try opens a new one.
    const reply = await send().catch(send);
    if (!reply.ok) throw new Error(`steno: ${reply.status} ${await reply.text()}`);
    return reply.json();
  }

  async function prepareStep({ messages }) {
    const own = new Map();
    newest = messages.flatMap(alone).map((message) => {
      const written = write(message);
      own.set(JSON.stringify(written), message);
      return written;
    });
    try {
      const fitted = await post({ recall: true });
      return { messages: fitted.messages.map((one) => own.get(JSON.stringify(one)) ?? read(one)) };
    } catch (failure) {
      console.warn(`the whole list was sent: ${failure.message}`);
      return undefined;
    }
  }

  const recall = tool({
    description: "Find or open what was said earlier in this conversation and is no longer in view.",
    inputSchema: jsonSchema({
      type: "object",
      properties: { query: { type: "string" }, positions: { type: "string" } },
    }),
    execute: async (asked) => (await post({ call: { name: "recall", arguments: asked } })).answer,
  });
  return { prepareStep, recall };
}

// A message of the SDK may hold results of several calls; each becomes a message of its own.
function alone(message) {
  if (message.role !== "tool") return [message];
  return message.content.map((result) => ({ ...message, content: [result] }));
}

function write(message) {
  if (typeof message.content === "string") return { role: message.role, content: message.content };
  const [first] = message.content;
  if (message.role === "tool") {
    const { value } = first.output;
    const content = typeof value === "string" ? value : JSON.stringify(value);
    return { role: "tool", tool_call_id: first.toolCallId, content };
  }
  const written = { role: message.role, content: message.content.filter((part) => part.type !== "tool-call").map(part) };
  const calls = message.content.filter((part) => part.type === "tool-call");
  if (calls.length > 0) {
    written.tool_calls = calls.map((call) => ({
      id: call.toolCallId,
      type: "function",
      function: { name: call.toolName, arguments: JSON.stringify(call.input) },
    }));
  }
  return written;
}

function part(one) {
  if (one.type === "text" || one.type === "reasoning") return { type: "text", text: one.text };
  return { type: "text", text: JSON.stringify(one) };
}

const names = new Map();

// A message that Steno wrote or shortened.
function read(plain) {
  const text = [plain.content ?? ""].flat().map((one) => one.text ?? one).join("\n");
  if (plain.role === "tool") {
    const toolName = names.get(plain.tool_call_id) ?? "tool";
    const output = { type: "text", value: text };
    return { role: "tool", content: [{ type: "tool-result", toolCallId: plain.tool_call_id, toolName, output }] };
  }
  if (!plain.tool_calls) return { role: plain.role, content: text };
  const calls = plain.tool_calls.map(({ id, function: { name, arguments: given } }) => {
    names.set(id, name);
    return { type: "tool-call", toolCallId: id, toolName: name, input: JSON.parse(given) };
  });
  return { role: "assistant", content: [...(text ? [{ type: "text", text }] : []), ...calls] };
}
