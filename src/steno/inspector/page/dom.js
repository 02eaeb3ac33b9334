// Elements and numbers, for every page.
//
// Words of a session only ever become text nodes: nothing here takes markup.
export const NONE = "–";
export const KINDS = {
  prompt: "prompt, tools", shorthand: "Steno's shorthand", user: "user", assistant: "agent", results: "tool results",
};

// Elements

export const byId = (id) => document.getElementById(id);
export const h = (name, attributes, ...children) => made(document.createElement(name), attributes, children);
export const s = (name, attributes, ...children) =>
  made(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

export function made(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "css") for (const [each, word] of Object.entries(value)) node.style.setProperty(each, word);
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((each) => each !== null).map(child));
  return node;
}

const child = (each) => (typeof each === "string" ? legible(each) : each);

/** A text in which every character is seen: controls, and signs that hide or turn the writing round, are written as JSON does. */
export const legible = (text) => text.replace(/\r\n/g, "\n").replace(UNSEEN, (sign) => `\\u${sign.codePointAt(0).toString(16).padStart(4, "0")}`);
const UNSEEN = new RegExp("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u00ad\\u061c\\u115f\\u1160\\u180b-\\u180f\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\u{e0000}-\\u{e0fff}]", "gu");

export const empty = (words, name = "p") => h(name, {class: "empty"}, words);

/** Replaces what a place shows; the focus stays on what stands for the same thing. */
export function fill(node, children) {
  const key = node.contains(document.activeElement) && document.activeElement.dataset.key;
  const scrolled = node.scrollLeft;
  node.replaceChildren(...[children].flat().map(child));
  node.scrollLeft = scrolled;
  if (key) node.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({preventScroll: true});
}

// Numbers in words

export const grouped = new Intl.NumberFormat("en-US", {maximumFractionDigits: 0});
export const precise = new Intl.NumberFormat("en-US", {maximumSignificantDigits: 3, minimumSignificantDigits: 3});
export const known = (show) => (value) => (value === null || value === undefined ? NONE : show(value));
export const whole = known((value) => grouped.format(value));
export const percent = known((value) => `${(100 * value).toFixed(1)}%`);
export const dollars = known((value) => `$${value >= 1 || value === 0 ? value.toFixed(2) : precise.format(value)}`);
export const millis = known((value) => (value < 10 ? value.toFixed(1) : whole(value)));
export const short = known((value) => {
  if (value < 1e4) return whole(value);
  return value < 999500 ? `${precise.format(value / 1e3)}k` : `${precise.format(value / 1e6)}M`;
});
export const tick = (value) => short(value).replace(/(\.\d*?)0+(?=[kM])/, "$1").replace(/\.(?=[kM])/, "");
export const counted = (count, word) => `${whole(count)} ${word}${count === 1 ? "" : "s"}`;
