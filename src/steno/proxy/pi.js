// Leads the requests of one run of pi to the proxy whose address `steno wrap` put into the environment.
export default function steno(pi) {
  const { ANTHROPIC_BASE_URL: base, OPENAI_BASE_URL: openai } = process.env;
  pi.registerProvider("anthropic", { baseUrl: base });
  pi.registerProvider("openai", { baseUrl: openai });
  pi.registerProvider("google", { baseUrl: `${base}/v1beta` });
}
