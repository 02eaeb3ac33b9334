// The load over time: tokens of each request, the limits of the window, and the commits; the slider below it shares its width.
import {fill, h, s, short} from "./dom.js";

const HEIGHT = 96, TOP = 12, EDGE = 8; // The edge is half the slider's handle, so that both have the same ends.
const LABEL = 90; // Names of limits stand side by side: soft and hard may be a few pixels apart.
const POINTS_MOST = 700; // Of more requests, each point is the largest of its neighbours.

/** The largest of each run of loads, as [request, load]: at most so many points. */
function thinned(loads) {
  const run = Math.max(1, Math.ceil(loads.length / POINTS_MOST)), points = [];
  for (let at = 0; at < loads.length; at += run) {
    let most = at;
    for (let each = at; each < Math.min(at + run, loads.length); each += 1) if (loads[each] > loads[most]) most = each;
    points.push([most, loads[most]]);
  }
  return points;
}

/** `choose` is called with the number of the request that was pointed at. */
export function loadChart({choose}) {
  const node = h("div", {class: "load-chart", "aria-hidden": "true"}), cursor = s("line", {class: "cross", y1: 0, y2: HEIGHT});
  let given = null, at = 0;

  const x = (request) => EDGE + (request / Math.max(1, given.loads.length - 1)) * (node.clientWidth - 2 * EDGE);

  function draw() {
    if (!given) return;
    const {loads, limits, commits} = given, width = node.clientWidth;
    const top = Math.max(...thinned(loads).map(([, load]) => load), ...Object.values(limits), 1);
    const y = (tokens) => HEIGHT - (tokens / top) * (HEIGHT - TOP);
    const points = thinned(loads).map(([request, load]) => `${x(request).toFixed(1)} ${y(load).toFixed(1)}`);
    const lines = Object.entries(limits).map(([name, tokens], at) => [
      s("line", {class: `limit ${name}`, x1: EDGE, x2: width - EDGE, y1: y(tokens), y2: y(tokens)}),
      s("text", {x: EDGE + LABEL * at, y: y(tokens) - 3}, `${name} ${short(tokens)}`)]);
    fill(node, s("svg", {width, height: HEIGHT + 4},
      s("path", {class: "load-area", d: `M${EDGE} ${HEIGHT}L${points.join("L")}L${x(loads.length - 1).toFixed(1)} ${HEIGHT}Z`}),
      lines, commits.map((request) => s("circle", {class: "commit", cx: x(request), cy: y(loads[request]), r: 3.5})), cursor));
    move(at);
  }

  function move(request) {
    at = request;
    if (given) cursor.setAttribute("transform", `translate(${x(request)})`);
  }

  const point = (event) => {
    const share = (event.clientX - node.getBoundingClientRect().left - EDGE) / (node.clientWidth - 2 * EDGE);
    choose(Math.round(Math.max(0, Math.min(1, share)) * (given.loads.length - 1)));
  };
  node.addEventListener("pointerdown", point);
  node.addEventListener("pointermove", (event) => event.buttons && point(event));
  new ResizeObserver(draw).observe(node);
  return {
    node,
    /** Shows loads by request, limits by name, and the requests after commits. */
    show(loads, limits, commits) {
      given = {loads, limits, commits};
      draw();
    },
    move,
  };
}
