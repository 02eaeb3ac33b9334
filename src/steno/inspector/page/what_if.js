// What if: this session under other policies, windows and depths, as the page of `steno replay` shows it.
import {empty, fill, h} from "./dom.js";
import {read} from "./api.js";

const SCALES = {k: 1e3, m: 1e6};

/** Reads 32000, 32k or 1M; 0 if nothing is given, NaN if it is no size. */
function tokensOf(text) {
  const found = text.trim().toLowerCase().match(/^(\d+(?:\.\d+)?)([km]?)$/);
  return text.trim() ? Math.round(found?.[1] * (SCALES[found?.[2]] ?? 1)) : 0;
}

export function whatIfView(main, name) {
  const window_ = h("input", {type: "text", placeholder: "the session's own", onchange: () => window_.setCustomValidity("")});
  const depth = h("input", {type: "number", min: 5, max: 85, placeholder: "none"});
  const boxes = h("div", {class: "fields"}), place = h("div", {class: "replay"}), note = h("p", {class: "note", "aria-live": "polite"});

  /** As high as what it holds, so that the page scrolls and not the frame. */
  function fit(frame) {
    const body = frame.contentDocument.body;
    new ResizeObserver(() => frame.style.setProperty("height", `${frame.contentDocument.documentElement.offsetHeight + 4}px`)).observe(body);
    note.replaceChildren("The session is not touched. ", h("a", {href: frame.src, download: `${name}-replay.html`}, "Save as one file"));
  }

  async function run(event) {
    event.preventDefault();
    const chosen = [...boxes.querySelectorAll("input:checked")].map((each) => each.value), window = tokensOf(window_.value);
    if (Number.isNaN(window)) {
      window_.setCustomValidity("a size such as 32000, 32k or 1M");
      window_.reportValidity();
      return;
    }
    if (depth.value) chosen.push(`default@${depth.value}`);
    note.textContent = "Replaying the session under each policy; a long one takes a while…";
    const query = new URLSearchParams({name, policies: chosen.join(","), window});
    const frame = h("iframe", {title: "What each policy would have kept, and its cost", src: `inspect/replay?${query}`, onload: () => {
      if (frame.contentDocument.contentType === "text/html") return fit(frame);
      fill(place, empty(JSON.parse(frame.contentDocument.body.textContent).error));
      return note.replaceChildren();
    }});
    fill(place, frame);
  }

  const group = (title, names, standard) => h("fieldset", {class: "checks"}, h("legend", {}, title), names.map((each) =>
    h("label", {class: "check"}, h("input", {type: "checkbox", value: each, checked: standard.includes(each)}), each)));
  read("policies").then(({own, others, standard}) => fill(boxes, [group("Steno's policies", own, standard), group("Others to compare with", others, standard)]));
  main.append(h("h1", {class: "clip"}, name),
    h("p", {class: "note"}, "What each policy would have kept of what the agent came back to later, and what its requests would have cost."),
    h("form", {class: "what-if", onsubmit: run}, boxes,
      h("div", {class: "searches"}, h("label", {}, "Window, such as 32k", window_), h("label", {}, "Also default, down to %", depth), h("button", {class: "main-button"}, "Compare"))),
    note, place);
  return {};
}
