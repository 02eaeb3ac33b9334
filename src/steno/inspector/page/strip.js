// Bars as wide as tokens, in rows like the lines of a text, on a canvas: a million tokens are drawn in a few milliseconds.
import {h, whole} from "./dom.js";

const ROW = 22, GAP = 4, PER_ROW = 20000, ROWS_MOST = 10;
const SHADES = 6;

/** The colours of this page's theme, read once for each drawing. */
function colours(node) {
  const style = getComputedStyle(node), found = new Map();
  return (name) => {
    if (!found.has(name)) found.set(name, style.getPropertyValue(`--${name}`).trim());
    return found.get(name);
  };
}

const shades = new Map();

/** One of a few shades of the results' colour for each tool, in the order in which they appear. */
export function shadeOf(tool) {
  if (!tool) return "results";
  if (!shades.has(tool)) shades.set(tool, `results-${shades.size % SHADES}`);
  return shades.get(tool);
}

/**
 * A strip of bars. `bars` are {tokens, colour, faint, label}; `choose` is called with the index of one.
 * The arrow keys move a cursor, Enter chooses.
 */
export function strip({label, choose, point}) {
  const canvas = h("canvas", {class: "strip", tabindex: 0, role: "slider", "aria-label": label, "aria-valuemin": 0});
  const words = h("p", {class: "pointed quiet"}, "\u00a0");
  let bars = [], ends = [], total = 0, rows = 1, cursor = -1, marked = () => false;

  function layout() {
    total = 0;
    ends = bars.map((bar) => (total += bar.tokens));
    rows = Math.max(1, Math.min(ROWS_MOST, Math.ceil(total / PER_ROW)));
  }

  function draw() {
    const width = Math.max(200, canvas.clientWidth), ratio = devicePixelRatio || 1;
    const height = rows * (ROW + GAP) - GAP;
    canvas.style.setProperty("height", `${height}px`);
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const pen = canvas.getContext("2d"), colour = colours(canvas), scale = (rows * width) / Math.max(1, total);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    let from = 0;
    bars.forEach((bar, at) => {
      const left = from * scale, right = ends[at] * scale, wide = right - left;
      from = ends[at];
      pen.fillStyle = colour(bar.colour);
      pen.globalAlpha = bar.faint ? 0.22 : 1;
      piece(pen, left, right, width, wide > 3 ? 0.75 : 0, 0);
      if (marked(bar)) {
        pen.globalAlpha = 1;
        pen.fillStyle = colour("accent");
        piece(pen, left, right, width, 0, ROW - 4);
      }
    });
    pen.globalAlpha = 1;
    if (cursor >= 0 && cursor < bars.length) {
      const at = ((ends[cursor] - bars[cursor].tokens) + ends[cursor]) / 2 * scale, row = Math.min(rows - 1, Math.floor(at / width));
      pen.fillStyle = colour("ink");
      pen.fillRect(at - row * width - 1, row * (ROW + GAP), 2, ROW);
    }
  }

  /** A bar may go on in the next row. */
  function piece(pen, left, right, width, gap, down) {
    for (let row = Math.floor(left / width); row < rows && row * width < right; row += 1) {
      const start = Math.max(left, row * width) - row * width, end = Math.min(right, (row + 1) * width) - row * width;
      pen.fillRect(start, row * (ROW + GAP) + down, Math.max(end - start - gap, 0.3), ROW - down);
    }
  }

  function barAt(event) {
    const box = canvas.getBoundingClientRect(), width = box.width;
    const row = Math.max(0, Math.min(rows - 1, Math.floor((event.clientY - box.top) / (ROW + GAP))));
    const token = ((row * width + event.clientX - box.left) / (rows * width)) * total;
    let low = 0, high = ends.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle] > token) high = middle;
      else low = middle + 1;
    }
    return ends.length ? low : -1;
  }

  function move(to) {
    cursor = Math.max(0, Math.min(bars.length - 1, to));
    const bar = bars[cursor];
    words.textContent = bar?.label() || "\u00a0";
    canvas.setAttribute("aria-valuemax", Math.max(0, bars.length - 1));
    canvas.setAttribute("aria-valuenow", Math.max(0, cursor));
    canvas.setAttribute("aria-valuetext", words.textContent);
    if (bar) point?.(bar);
    draw();
  }

  const KEYS = {ArrowLeft: -1, ArrowRight: 1, PageUp: -50, PageDown: 50, Home: -Infinity, End: Infinity};
  canvas.addEventListener("keydown", (event) => {
    if (event.key in KEYS) move(cursor + KEYS[event.key]);
    else if (event.key === "Enter" && cursor >= 0) choose(bars[cursor]);
    else return;
    event.preventDefault();
  });
  canvas.addEventListener("pointermove", (event) => move(barAt(event)));
  canvas.addEventListener("click", (event) => {
    const at = barAt(event);
    if (at >= 0) choose(bars[at]);
  });
  new ResizeObserver(() => draw()).observe(canvas);
  canvas.setAttribute("aria-valuemax", 0);
  canvas.setAttribute("aria-valuenow", 0);
  return {
    node: h("div", {class: "strip-place"}, canvas, words),
    show(given, mark = () => false) {
      bars = given;
      marked = mark;
      layout();
      canvas.setAttribute("aria-valuemax", Math.max(0, bars.length - 1));
      canvas.setAttribute("aria-valuetext", `${whole(bars.length)} parts, ${whole(total)} tokens`);
      draw();
    },
  };
}
