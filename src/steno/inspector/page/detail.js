// What was opened: the original word for word beside what is shown for it, the difference, and what can be done with it.
import {counted, fill, h, whole} from "./dom.js";
import {act, read} from "./api.js";
import {say} from "./app.js";
import {ask} from "./acts.js";

const LINES_FOLDED = 8; // Equal lines between two differences beyond which they are folded.

/** A text in which citations such as [17] or [17, 20-22] can be followed. */
function cited(text, jump) {
  const pieces = [];
  let from = 0;
  for (const found of text.matchAll(/\[(\d{1,9}(?:[.–-]\d{1,9})?(?:, ?\d{1,9}(?:[.–-]\d{1,9})?)*)\]/g)) {
    pieces.push(text.slice(from, found.index), "[");
    found[1].split(",").forEach((place, at) => {
      if (at) pieces.push(", ");
      pieces.push(h("button", {type: "button", class: "plain cite", onclick: () => jump(parseInt(place, 10))}, place.trim()));
    });
    pieces.push("]");
    from = found.index + found[0].length;
  }
  pieces.push(text.slice(from));
  return pieces;
}

function block(each, jump) {
  const title = each.kind === "text" ? [] : [h("p", {class: `block-title${each.error ? " bad" : ""}`}, [each.kind, each.name, each.error ? "failed" : ""].filter(Boolean).join(" "))];
  const more = each.more ? [h("p", {class: "note"}, `${whole(each.more)} more characters: steno open shows them`)] : [];
  return [...title, h("pre", {dir: "auto", tabindex: 0, "aria-label": each.kind}, jump ? cited(each.text, jump) : each.text), ...more];
}

const message = (each, jump) => h("article", {class: "said-message"},
  h("h4", {}, h("span", {class: "swatch", css: {background: `var(--${each.kind})`}}), `${each.at} ${each.role}`), each.blocks.map((one) => block(one, jump)));

function difference(runs, jump) {
  const line = (sign, text) => h("span", {class: sign === "-" ? "gone-line" : sign === "+" ? "new-line" : "same-line"}, `${sign === "=" ? " " : sign} `, jump ? cited(text, jump) : text, "\n");
  return h("pre", {class: "diff", tabindex: 0, "aria-label": "Difference"}, runs.map(([sign, lines]) => {
    if (sign !== "=" || lines.length <= LINES_FOLDED) return lines.map((each) => line(sign, each));
    return [line("=", lines[0]), h("span", {class: "same-line"}, `  … ${counted(lines.length - 2, "equal line")}\n`), line("=", lines.at(-1))];
  }));
}

export function detailPanel(name, {jump, close, done, editedBy}) {
  const node = h("section", {class: "detail", "aria-labelledby": "h-detail", hidden: true});
  let mode = "beside", shown = null;

  const perform = (what, words) => async () => {
    try {
      const answer = await act({session: name, ...what});
      say(words(answer));
      done();
      if (shown) await show(shown.at);
    } catch (failure) {
      say(failure.message);
    }
  };

  async function edit(found) {
    const given = await ask(`Edit the summary of ${found.span}`, [
      {key: "text", label: "What the model reads for these messages", value: found.summary, lines: 16},
      {key: "author", label: "Your name, for the commit", value: ""},
    ], "Save as a commit");
    if (given) await perform({do: "edit_summary", at: found.at, ...given}, () => "the summary is edited; undo takes it back")();
  }

  async function fork(found) {
    const given = await ask(`Fork at ${found.at + 1}`, [{key: "name", label: "Name of the new session (empty: one is made)", value: ""}], "Fork");
    if (given) await perform({do: "fork", at: found.at + 1, ...given}, (answer) => `${answer.session} begins with ${counted(answer.messages, "message")}`)();
  }

  const putBack = async (found) => {
    const place = found.count > 1 ? `${Math.max(found.first, found.at)}` : found.span;
    const given = await ask("Show originals again", [{key: "where", label: `Which of ${found.span}, such as 17 or 17-42`, value: place}], "Put back");
    if (given) await perform({do: "undo", ...given}, () => "the originals are shown again")();
  };

  const leave = () => { node.hidden = true; shown = null; close(); };
  const closing = () => h("button", {type: "button", onclick: leave}, "Close");

  function draw() {
    const found = shown;
    const button = (words, onclick, more = {}) => h("button", {type: "button", onclick, ...more}, words);
    const hidden = ["covered", "hidden", "short"].includes(found.state);
    const how = hidden ? [...new Set(editedBy(found))].slice(0, 3).join(", ") : "";
    fill(node, [
      h("div", {class: "head"}, h("h2", {id: "h-detail"}, `Position ${found.at}`),
        h("div", {class: "buttons"},
          ["beside", "diff"].map((each) => button(each === "diff" ? "Difference" : "Side by side", () => { mode = each; draw(); },
            {"aria-pressed": String(mode === each), disabled: each === "diff" && !found.diff})),
          button(found.pinned ? "Unpin" : "Pin", perform({do: found.pinned ? "unpin" : "pin", at: found.at}, () => (found.pinned ? "it may be covered again" : "it is never covered from now on"))),
          hidden ? button("Put back…", () => putBack(found)) : null,
          found.summary === null ? null : button("Edit the summary…", () => edit(found)),
          button("Fork here…", () => fork(found)),
          button("‹", () => jump(found.at - 1), {"aria-label": "Position before", disabled: found.at === 0}),
          button("›", () => jump(found.at + 1), {"aria-label": "Position after"}),
          closing())),
      h("p", {class: "note"}, `${found.state === "said" ? "As it was said" : found.words}. ${counted(found.said_tokens, "token")} said, ${whole(found.tokens)} shown${how ? `; ${how}` : ""}.`),
      mode === "diff" && found.diff ? difference(found.diff, jump) : h("div", {class: "pair"},
        h("div", {}, h("h3", {}, found.count > found.originals.length ? `Original: ${found.originals.length} of ${whole(found.count)} messages, ‹ and › show the others` : "Original"), found.originals.map((each) => message(each, null))),
        h("div", {}, h("h3", {}, found.state === "said" ? "Shown as it was said" : "Shown"),
          found.shown.length ? found.shown.map((each) => message(each, jump)) : h("p", {class: "empty"}, "The model does not see it."))),
    ]);
  }

  /** Shows what stands before the messages: the system prompt, the constraints and each tool. */
  async function showFixed(fixed) {
    const found = await read("prompt", {name});
    const part = (title, tokens, text) => h("details", {}, h("summary", {}, `${title}: ${counted(tokens, "token")}`), h("pre", {dir: "auto", tabindex: 0, "aria-label": title}, text));
    shown = null;
    node.hidden = false;
    fill(node, [
      h("div", {class: "head"}, h("h2", {id: "h-detail"}, "Before the messages"), h("div", {class: "buttons"}, closing())),
      h("p", {class: "note"}, "Every request has these, and they are never compacted."),
      found.system ? part("system prompt", fixed.system, found.system) : null, found.constraints ? part("constraints", fixed.constraints, found.constraints) : null,
      found.tools.map((text, at) => part(fixed.each_tool[at].name, fixed.each_tool[at].tokens, text)),
    ].flat().filter(Boolean));
    node.scrollIntoView({block: "nearest"});
  }

  async function show(at) {
    try {
      shown = await read("open", {name, at});
    } catch (failure) {
      say(failure.message);
      return;
    }
    if (!shown.diff) mode = "beside";
    node.hidden = false;
    draw();
    node.scrollIntoView({block: "nearest"});
  }

  node.addEventListener("keydown", (event) => event.key === "Escape" && leave());
  return {node, show, showFixed};
}
