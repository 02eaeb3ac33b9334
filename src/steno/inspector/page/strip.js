// Bars as wide as tokens, in rows like the lines of a text, on a canvas: a million tokens are drawn in a few milliseconds.
import {h, legible, whole} from "./dom.js";

const ROW = 22, GAP = 4, PER_ROW = 20000, ROWS_MOST = 10;
const SHADES = 6;

/** The colours of this page's theme as pixels, read once for each drawing; faint ones let the ground through. */
function colours(node) {
  const style = getComputedStyle(node), found = new Map();
  return (name, faint) => {
    let pixel = found.get(name);
    if (pixel === undefined) {
      const number = parseInt(style.getPropertyValue(`--${name}`).trim().slice(1), 16);
      pixel = ((number & 255) << 16) | (number & 0xff00) | (number >> 16);
      found.set(name, pixel);
    }
    return (((faint ? 56 : 255) << 24) | pixel) >>> 0;
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
 * A strip of bars. `bars` are {tokens, colour, faint, mark}; `label` gives the words for one, `choose` is called with one.
 * The arrow keys move a cursor, Enter chooses.
 */
export function strip({title, label, choose}) {
  const canvas = h("canvas", {class: "strip", tabindex: 0, role: "slider", "aria-label": title, "aria-valuemin": 0});
  const lines = document.createElement("canvas");
  const hand = h("span", {class: "hand", hidden: true});
  const words = h("p", {class: "pointed quiet"}, "\u00a0");
  let bars = [], ends = new Float64Array(0), total = 0, rows = 1, cursor = -1;

  function layout() {
    total = 0;
    ends = new Float64Array(bars.length);
    for (let at = 0; at < bars.length; at += 1) ends[at] = total += bars[at].tokens;
    rows = Math.max(1, Math.min(ROWS_MOST, Math.ceil(total / PER_ROW)));
  }

  /** One pixel for each column of each row, then each row is stretched to its height: as quick for many bars as for few. */
  function draw() {
    const ratio = devicePixelRatio || 1, width = Math.max(200, Math.round(canvas.clientWidth * ratio));
    const high = Math.round(ROW * ratio), step = Math.round((ROW + GAP) * ratio), height = rows * step;
    canvas.style.setProperty("height", `${height / ratio}px`);
    if (canvas.width !== width) canvas.width = lines.width = width;
    if (canvas.height !== height) canvas.height = height;
    if (lines.height !== rows) lines.height = rows;
    const thin = lines.getContext("2d"), image = thin.createImageData(width, rows), pixels = new Uint32Array(image.data.buffer);
    const colour = colours(canvas), scale = pixels.length / Math.max(1, total), marks = [];
    for (let at = 0; at < bars.length; at += 1) {
      const bar = bars[at], from = Math.round((ends[at] - bar.tokens) * scale), to = Math.round(ends[at] * scale);
      pixels.fill(colour(bar.colour, bar.faint), from, to - from > 3 * ratio ? to - 1 : to);
      if (bar.mark) marks.push([from, Math.max(to, from + 1)]);
    }
    thin.putImageData(image, 0, 0);
    const pen = canvas.getContext("2d");
    pen.imageSmoothingEnabled = false;
    pen.clearRect(0, 0, width, height);
    for (let row = 0; row < rows; row += 1) pen.drawImage(lines, 0, row, width, 1, 0, row * step, width, high);
    pen.fillStyle = getComputedStyle(canvas).getPropertyValue("--accent");
    for (const [from, to] of marks) {
      for (let row = Math.floor(from / width); row * width < to; row += 1) {
        const left = Math.max(from - row * width, 0), right = Math.min(to - row * width, width);
        pen.fillRect(left, row * step + high - 4 * ratio, right - left, 4 * ratio);
      }
    }
    placeHand();
  }

  /** The cursor is an element of its own, so that moving it draws nothing. */
  function placeHand() {
    hand.hidden = cursor < 0 || cursor >= bars.length;
    if (hand.hidden) return;
    const width = canvas.clientWidth, at = (ends[cursor] - bars[cursor].tokens / 2) * rows * width / Math.max(1, total);
    const row = Math.min(rows - 1, Math.floor(at / width));
    hand.style.setProperty("transform", `translate(${at - row * width - 1}px, ${row * (ROW + GAP)}px)`);
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
    words.textContent = (bar && legible(label(bar))) || "\u00a0";
    canvas.setAttribute("aria-valuemax", Math.max(0, bars.length - 1));
    canvas.setAttribute("aria-valuenow", Math.max(0, cursor));
    canvas.setAttribute("aria-valuetext", words.textContent);
    placeHand();
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
    node: h("div", {class: "strip-place"}, canvas, hand, words),
    show(given) {
      bars = given;
      layout();
      canvas.setAttribute("aria-valuemax", Math.max(0, bars.length - 1));
      canvas.setAttribute("aria-valuetext", `${whole(bars.length)} parts, ${whole(total)} tokens`);
      draw();
    },
  };
}
