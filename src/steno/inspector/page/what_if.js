// What if: this session under other policies, windows and depths, as the page of `steno replay` shows it.
import {fill, h} from "./dom.js";
import {read} from "./api.js";

export function whatIfView(main, name) {
  const window_ = h("input", {type: "text", placeholder: "the session's own"});
  const depth = h("input", {type: "number", min: 5, max: 85, placeholder: "none"});
  const boxes = h("fieldset", {class: "checks"}), place = h("div", {class: "replay"}), note = h("p", {class: "note", "aria-live": "polite"});

  function run(event) {
    event.preventDefault();
    const chosen = [...boxes.querySelectorAll("input:checked")].map((each) => each.value);
    if (depth.value) chosen.push(`default@${depth.value}`);
    const query = new URLSearchParams({name, policies: chosen.join(","), window: window_.value.trim()});
    const frame = h("iframe", {title: "What each policy would have kept, and its cost", src: `inspect/replay?${query}`,
      onload: () => { note.replaceChildren("The session is not touched. ", h("a", {href: frame.src, download: `${name}-replay.html`}, "Save as one file")); }});
    note.textContent = "Replaying the session under each policy; a long one takes a while…";
    fill(place, frame);
  }

  read("policies").then(({own, others, standard}) => fill(boxes, [h("legend", {}, "Policies"), ...[...own, ...others].map((each) =>
    h("label", {class: "check"}, h("input", {type: "checkbox", value: each, checked: standard.includes(each)}), each))]));
  main.append(h("h1", {class: "clip"}, name),
    h("form", {class: "what-if", onsubmit: run}, boxes,
      h("div", {class: "fields"}, h("label", {}, "Window, such as 32k", window_), h("label", {}, "Default at another depth, %", depth), h("button", {}, "Compare"))),
    note, place);
  return {};
}
