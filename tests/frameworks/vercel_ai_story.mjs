// One person of the story in the AI SDK: a line in is what they ask, a line out says it is done.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { stenoFit } from "./vercel_ai_sdk.mjs";

const [openai, proxy, who, kept] = process.argv.slice(2);
const provider = createOpenAICompatible({ name: "loopback", baseURL: openai, apiKey: "none" });
const steno = stenoFit({ url: proxy, session: `book-${who}`, user: who });
const read = tool({
  description: "Read a part of a book.",
  inputSchema: jsonSchema({
    type: "object",
    properties: { who: { type: "string" }, part: { type: "integer" } },
  }),
  execute: ({ who, part }) => {
    const code = part === 0 ? ` The door code of ${who} is 4711-${who}.` : "";
    return `Part ${part} of ${who}'s book.${code} ` + `${who} reads line of part ${part}. `.repeat(90);
  },
});

const messages = existsSync(kept) ? JSON.parse(readFileSync(kept, "utf8")) : [];
for await (const words of createInterface({ input: process.stdin })) {
  messages.push({ role: "user", content: words });
  const reply = await generateText({
    model: provider("gpt-4o"),
    system: "You read books.",
    messages,
    tools: { read, recall: steno.recall },
    stopWhen: stepCountIs(5),
    prepareStep: steno.prepareStep,
    maxRetries: 0,
  });
  messages.push(...reply.response.messages);
  writeFileSync(kept, JSON.stringify(messages));
  console.log("done");
}
