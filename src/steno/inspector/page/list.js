// A list of many rows, of which only those in sight are elements.
import {h} from "./dom.js";

const HIGH = 30, SPARE = 6;

export function longList({label, row}) {
  const room = h("div", {class: "long-room"});
  const node = h("div", {class: "long-list", tabindex: 0, role: "region", "aria-label": label, onscroll: () => draw()}, room);
  let items = [];

  function draw() {
    const first = Math.max(0, Math.floor(node.scrollTop / HIGH) - SPARE);
    const last = Math.min(items.length, first + Math.ceil(node.clientHeight / HIGH) + 2 * SPARE);
    const drawn = [];
    for (let at = first; at < last; at += 1) {
      const each = row(items[at]);
      each.style.setProperty("top", `${at * HIGH}px`);
      drawn.push(each);
    }
    const key = room.contains(document.activeElement) && document.activeElement.dataset.key;
    room.replaceChildren(...drawn);
    if (key) room.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({preventScroll: true});
  }

  new ResizeObserver(draw).observe(node);
  return {
    node,
    show(given) {
      items = given;
      room.style.setProperty("height", `${items.length * HIGH}px`);
      draw();
    },
    reveal(at) {
      node.scrollTop = Math.max(0, at * HIGH - node.clientHeight / 2);
    },
  };
}
