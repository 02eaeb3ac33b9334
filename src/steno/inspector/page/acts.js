// Dialogs for what a person does to a session; each action is one that the library and the command line have.
import {counted, empty, fill, h, whole} from "./dom.js";
import {act, read} from "./api.js";
import {say} from "./app.js";
import {strip} from "./strip.js";

/** Asks for some words in a dialog; gives them by key, or null if it was left. */
export function ask(title, fields, words) {
  return new Promise((resolve) => {
    const inputs = fields.map(({key, value, lines}) => [key, Object.assign(h(lines ? "textarea" : "input", lines ? {rows: lines} : {type: "text"}), {value})]);
    const dialog = h("dialog", {"aria-label": title, onclose: () => {
      resolve(dialog.returnValue === "yes" ? Object.fromEntries(inputs.map(([key, input]) => [key, input.value])) : null);
      dialog.remove();
    }}, h("form", {method: "dialog"}, h("h2", {}, title),
      fields.map(({label}, at) => h("label", {}, label, inputs[at][1])),
      h("div", {class: "buttons"}, h("button", {value: "yes"}, words), h("button", {value: "no", formnovalidate: true}, "Cancel"))));
    document.body.append(dialog);
    dialog.showModal();
  });
}

export async function undoNewest(name) {
  try {
    const {commit} = await act({do: "undo", session: name});
    say(`commit ${commit.reverts} is reverted: nothing was deleted`);
  } catch (failure) {
    say(failure.message);
  }
}

export async function forgetDialog(name) {
  const given = await ask(`Delete ${name} for good? This cannot be undone.`, [{key: "confirm", label: "Type its name to confirm", value: ""}], "Delete for good");
  if (!given) return;
  try {
    await act({do: "forget", session: name, ...given});
    say(`${name} is deleted`);
    location.hash = "#/";
  } catch (failure) {
    say(failure.message);
  }
}

/** What a compaction would do: figures, the messages as bars with those that would go faint, and the new text. */
function outcome({commit, reason, covered, stays, facts, summary}, barsWithout) {
  if (!commit) return empty(reason || "There is nothing to compact.");
  const edits = new Map();
  for (const edit of commit.edits) edits.set(edit.by, [...(edits.get(edit.by) ?? []), edit.place]);
  const bars = strip({title: "Faint: would not be shown as it was said", label: (bar) => `${bar.at} · ${counted(bar.tokens, "token")} · ${bar.faint ? "goes" : "stays"}`, choose: () => {}});
  requestAnimationFrame(() => bars.show(barsWithout(commit.edits)));
  return [
    h("p", {class: "strong"}, `${whole(commit.before)} → ${whole(commit.after)} tokens${commit.fits ? "" : ", over the goal"}`),
    bars.node,
    h("p", {}, `${counted(covered, "message")} would go into summaries, ${whole(stays)} would stay as said.`),
    facts ? h("p", {}, `Of the facts in them: ${whole(facts.retained)} stay word for word, ${whole(facts.recallable)} can be recalled, ${whole(facts.hidden)} only opened, ${whole(facts.lost)} lost.`) : null,
    h("ul", {}, [...edits].map(([by, places]) => h("li", {}, `${by} ×${places.length}: ${places.slice(0, 6).join(", ")}${places.length > 6 ? " …" : ""}`))),
    summary ? h("details", {}, h("summary", {}, "The text of the summaries"), h("pre", {tabindex: 0, "aria-label": "Summaries"}, summary)) : null,
  ].filter(Boolean);
}

export async function previewDialog(name, barsWithout, done) {
  const {own} = await read("policies");
  const policy = h("select", {}, h("option", {value: ""}, "the session's own"), own.map((each) => h("option", {value: each}, each)));
  const depth = h("input", {type: "number", min: 5, max: 85, placeholder: "as the policy says"});
  const focus = h("input", {type: "text", placeholder: "what to keep above all"});
  const result = h("div", {class: "outcome", "aria-live": "polite"});
  const what = () => ({session: name, policy: policy.value, focus: focus.value, ...(depth.value ? {depth: +depth.value} : {})});
  const land = h("button", {type: "button", disabled: true, onclick: () => run("compact", "compacted; undo takes it back")}, "Compact like this");

  async function run(action, words) {
    fill(result, empty("Working…"));
    try {
      const found = await act({do: action, ...what()});
      land.disabled = action === "compact" || !found.commit;
      fill(result, outcome(found, barsWithout));
      if (action !== "compact") return;
      say(found.commit ? words : "nothing was compacted");
      dialog.close();
      done();
    } catch (failure) {
      fill(result, empty(failure.message));
    }
  }

  const stale = () => { land.disabled = true; };
  [policy, depth, focus].forEach((each) => each.addEventListener("input", stale));
  const dialog = h("dialog", {"aria-label": "Preview a compaction", onclose: () => dialog.remove()},
    h("h2", {}, "Preview a compaction"), h("p", {class: "note"}, "Nothing changes until you compact. No model is asked."),
    h("div", {class: "fields"}, h("label", {}, "Policy", policy), h("label", {}, "Down to, % of the window", depth), h("label", {}, "Focus", focus)),
    result,
    h("div", {class: "buttons"}, h("button", {type: "button", onclick: () => run("preview")}, "Preview"), land,
      h("button", {type: "button", onclick: () => dialog.close()}, "Close")));
  document.body.append(dialog);
  dialog.showModal();
}
