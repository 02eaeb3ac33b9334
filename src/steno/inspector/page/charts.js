// The charts of the page: survival against cost, load over time, what the window is made of.
//
// Owns axes, marks and the cursor that both charts over time share. What is chosen,
// how elements are made and how numbers are worded is `replay.js`'s, which runs after this.


const DASHES = ["9 3 2 3", "7 3", "2 2.5", "12 3"];
const HEADROOM = 1.5; // Of the window: charts end there, lines that go on are cut.

function ticks(top, about) {
  const rough = (top || 1) / about, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.999);
  return Array.from({length: Math.floor(top / step + 1e-6) + 1}, (_, at) => at * step);
}

/** Axes for `id`, as wide as its place; `x` and `y` put values on them, `plot` cuts off what leaves them. */
function frame(id, {from = 0, across, top, height, xWords, yWords, xShow, yShow, right = 56, label}) {
  const width = Math.max(280, byId(id).clientWidth), left = 48, above = 22, below = 40;
  const inner = {width: width - left - right, height: height - above - below};
  const x = (value) => ((value - from) / (across - from || 1)) * inner.width;
  const y = (value) => inner.height - (value / (top || 1)) * inner.height;
  const xTicks = ticks(across - from, Math.max(3, Math.round(inner.width / 110))).map((each) => from + each);
  const plot = s("svg", {width: inner.width, height: inner.height, overflow: "hidden"});
  const layer = s("g", {transform: `translate(${left} ${above})`},
    ticks(top, 5).map((each) => [
      s("line", {class: each ? "grid" : "axis", x2: inner.width, y1: y(each), y2: y(each)}),
      s("text", {x: -8, y: y(each) + 4, "text-anchor": "end"}, yShow(each)),
    ]),
    xTicks.map((each) => s("text", {x: x(each), y: inner.height + 18, "text-anchor": "middle"}, xShow(each))),
    s("text", {x: -left, y: -10}, yWords),
    s("text", {x: inner.width, y: inner.height + 35, "text-anchor": "end"}, xWords),
    plot);
  const svg = s("svg", {width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label}, layer);
  return {svg, layer, plot, x, y, left, inner};
}

const dash = (policy) => (policy === state.policy ? "none" : DASHES[report.policies.indexOf(policy) % DASHES.length]);
const path = (xs, ys) => xs.map((x, at) => `${at ? "L" : "M"}${x.toFixed(1)} ${ys[at].toFixed(1)}`).join("");

function scatter() {
  const seen = visible(state.metric), cost = (score) => (priced ? score.money : score.billed);
  const scores = report.totals.filter((score) => seen(score) !== null);
  if (!scores.length) return empty(`Nothing was used again: no ${state.metric} to keep.`);
  const costs = scores.map(cost), across = Math.max(...costs) * 1.05, least = Math.min(...costs);
  const from = least > across / 2 ? ticks(across, 10).findLast((each) => each < least) : 0;
  const top = Math.min(1, Math.ceil(11 * Math.max(...scores.map((score) => seen(score)))) / 10);
  const cents = across < 1 ? 3 : across < 20 ? 2 : 0;
  const {svg, layer, x, y, inner} = frame("scatter", {
    from, across, top, height: 380, right: 24, label: "Use against cost, one dot for each policy",
    xWords: priced ? "dollars, input side" : "tokens billed", yWords: `${state.metric} that could still be used`,
    xShow: priced ? (value) => `$${value.toFixed(cents)}` : tick, yShow: (value) => `${Math.round(100 * value)}%`,
  });
  const dots = scores.map((score) => ({score, x: x(cost(score)), y: y(seen(score))}));
  labelled(dots, inner);
  layer.append(...dots.map(({score, x, y, at}) => dot(score, x, y, at, [
    `${score.policy}: ${percent(seen(score))} of ${state.metric}`, priced ? dollars(cost(score)) : `${short(cost(score))} billed`,
  ].join(", "))));
  return svg;
}

function dot(score, x, y, at, words) {
  const pick = () => choose.policy(score.policy);
  return s("g", {
    class: `dot${score.policy === state.policy ? " chosen" : ""}`, role: "button", tabindex: 0, "data-key": score.policy,
    "aria-label": words, "aria-pressed": String(score.policy === state.policy), onclick: pick,
    onkeydown: (event) => ["Enter", " "].includes(event.key) && (event.preventDefault(), pick()),
  }, s("title", {}, words),
  at.far ? s("line", {class: "leader", x1: x, y1: y, x2: at.x, y2: at.y + 7}) : null,
  s("circle", {cx: x, cy: y, r: 5.5, stroke: colour(score.policy), "stroke-width": 2,
    fill: runnable(score) ? colour(score.policy) : "var(--ground)"}),
  s("text", {x: at.x, y: at.y + 11}, at.words));
}

/** Gives each dot the nearest place for its name that covers no other name and no dot. */
function labelled(dots, inner) {
  const taken = dots.map(({x, y}) => ({x: x - 7, y: y - 7, width: 14, height: 14}));
  const free = (box) => box.x >= 0 && box.x + box.width <= inner.width + 20 && box.y >= -16 && box.y + 15 <= inner.height &&
    taken.every((each) => box.x > each.x + each.width || each.x > box.x + box.width || box.y > each.y + each.height || each.y > box.y + 15);
  for (const each of dots) {
    const words = each.score.policy.length > 24 ? `${each.score.policy.slice(0, 23)}…` : each.score.policy;
    const width = words.length * 7.4;
    const boxes = [0, 16, 32, 48, 64, 80].flatMap((far) => [
      [each.x + 10, each.y - 7 - far], [each.x + 10, each.y - 7 + far], [each.x - 10 - width, each.y - 7 - far],
      [each.x - 10 - width, each.y - 7 + far], [each.x - width / 2, each.y - 24 - far], [each.x - width / 2, each.y + 10 + far],
    ].map(([x, y]) => ({x, y, width, height: 15, far, words})));
    each.at = boxes.find(free) ?? boxes[0];
    taken.push(each.at);
  }
}

// Two charts over time, one cursor

const cursors = {};

/** A chart over the positions of the session, with the window's limits, the miss looked at, and a cursor. */
function timeline(id, label, top, draw) {
  const at = positions();
  const chart = frame(id, {
    across: Math.max(session().messages, at.at(-1) ?? 1), top, height: 300, label, xWords: "position in the session", yWords: "tokens",
    xShow: (value) => (Number.isInteger(value) ? whole(value) : ""), yShow: tick,
  });
  const {svg, layer, plot, x, y, left, inner} = chart;
  plot.append(...draw(chart));
  layer.append(...limits(y, inner), ...missed(x, inner));
  const cross = s("line", {class: "cross", y1: 0, y2: inner.height});
  layer.append(cross);
  cursors[id] = () => {
    cross.setAttribute("visibility", state.turn === null ? "hidden" : "visible");
    cross.setAttribute("transform", `translate(${x(at[turnNow()])})`);
    svg.setAttribute("aria-valuenow", numbers()[turnNow()]);
    svg.setAttribute("aria-valuetext", `position ${at[turnNow()]}: ${state.policy} ${whole(chosen().turns.load[turnNow()])} tokens`);
  };
  const nearest = (event) => {
    const value = (event.clientX - svg.getBoundingClientRect().left - left) / x(1);
    return at.reduce((best, each, now) => (Math.abs(each - value) < Math.abs(at[best] - value) ? now : best), 0);
  };
  const attributes = {tabindex: 0, role: "slider", "aria-valuemin": 1, "aria-valuemax": numbers().at(-1), "data-key": id,
    onpointermove: (event) => set({turn: nearest(event)}), onpointerdown: (event) => set({turn: nearest(event)}), onkeydown: stepped};
  made(svg, attributes, []);
  cursors[id]();
  return svg;
}

function stepped(event) {
  const last = positions().length - 1;
  const steps = {ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -last, End: last};
  if (!(event.key in steps)) return;
  event.preventDefault();
  set({turn: Math.max(0, Math.min(last, turnNow() + steps[event.key]))});
}

function limits(y, inner) {
  const {soft, goal} = report.limits[state.policy] ?? {};
  const lines = [["window", report.window], ["soft", soft && soft * usable], ["goal", goal && goal * usable]];
  return lines.filter(([, value]) => value).flatMap(([name, value]) => [
    s("line", {class: `limit ${name}`, x2: inner.width, y1: y(value), y2: y(value)}),
    s("text", {x: inner.width + 6, y: y(value) + 4}, name),
  ]);
}

function missed(x, inner) {
  if (!state.miss) return [];
  return [["said", state.miss.said], ["used", state.miss.at]].flatMap(([word, value]) => [
    s("line", {class: "mark", x1: x(value), x2: x(value), y2: inner.height}),
    s("text", {class: "mark", x: x(value), y: -4, "text-anchor": "middle"}, `${word} ${value}`),
  ]);
}

function height(loads) {
  return Math.min(Math.max(report.window * 1.05, ...loads.map((each) => each * 1.05)), report.window * HEADROOM);
}

const highest = (score) => score.turns.load.reduce((most, each) => Math.max(most, each), 0);

function load() {
  if (!positions().length) return empty("No requests in this session.");
  const drawn = report.policies.filter((policy) => !state.hidden.has(policy)).map(scoreOf).filter(Boolean);
  drawn.sort((a, b) => (a.policy === state.policy) - (b.policy === state.policy));
  return timeline("load", "Load over time", height(drawn.map(highest)), ({x, y}) => drawn.map(({policy, turns}) =>
    s("g", {class: policy === state.policy ? "chosen" : null},
      s("path", {class: "curve", d: path(turns.at.map(x), turns.load.map(y)), stroke: colour(policy), "stroke-dasharray": dash(policy)}),
      turns.commits.map((at) => s("circle", {
        class: "commit", cx: x(turns.at[at]), cy: y(turns.load[at]), r: policy === state.policy ? 4 : 3, fill: colour(policy),
      })))));
}

function loadLegend() {
  const now = turnNow();
  const key = (policy) => s("svg", {width: 26, height: 10, "aria-hidden": "true"},
    s("line", {x2: 26, y1: 5, y2: 5, stroke: colour(policy), "stroke-width": 2.25, "stroke-dasharray": dash(policy)}));
  const toggle = (policy) => {
    const hidden = new Set(state.hidden);
    if (!hidden.delete(policy)) hidden.add(policy);
    set({hidden});
  };
  return report.policies.map((policy) => {
    const turns = scoreOf(policy)?.turns, value = turns?.load[now];
    const commit = turns?.commits.includes(now) ? "● " : "";
    return h("button", {type: "button", "data-key": policy, title: policy, "aria-pressed": String(!state.hidden.has(policy)),
      onclick: () => toggle(policy)}, key(policy), h("span", {class: "name"}, policy),
    h("span", {class: "num"}, `${commit}${whole(value)} · billed ${whole(turns?.billed[now])}`));
  });
}

function about() {
  const {name, messages, tokens, requests} = session(), now = turnNow();
  const cursor = now >= 0 ? ` Below: request ${whole(numbers()[now])}, at position ${whole(positions()[now])}.` : "";
  return `${name}: ${counted(messages, "message")}, ${counted(tokens, "token")}, ${counted(requests, "request")}.${cursor}`;
}

const kindsOf = (score) => Object.keys(KINDS).filter((kind) => score.turns.made_of[kind]);

function madeOf() {
  if (!positions().length) return empty("No requests in this session.");
  const {turns} = chosen();
  return timeline("made", `What the window is made of, ${state.policy}`, height([highest(chosen())]), ({x, y}) => {
    const xs = turns.at.map(x), around = [...xs, ...[...xs].reverse()];
    let floor = turns.at.map(() => 0);
    return kindsOf(chosen()).map((kind) => {
      const ceiling = floor.map((each, at) => each + turns.made_of[kind][at]);
      const edge = [...ceiling.map(y), ...floor.map(y).reverse()];
      floor = ceiling;
      return s("path", {class: "area", d: `${path(around, edge)}Z`, fill: `var(--${kind})`});
    });
  });
}

function madeLegend() {
  if (!positions().length) return [];
  const {made_of: parts, made_of_all: all, at} = chosen().turns, now = turnNow(), kinds = kindsOf(chosen());
  const here = sum(kinds.map((kind) => parts[kind][now])), ever = sum(kinds.map((kind) => all[kind]));
  const cells = (value, total) => [h("td", {class: "num"}, short(value)), h("td", {class: "num"}, percent(total ? value / total : null))];
  const line = (kind) => h("tr", {},
    h("th", {scope: "row"}, h("span", {class: "swatch", css: {background: `var(--${kind})`}}), KINDS[kind]),
    cells(parts[kind][now], here), cells(all[kind], ever));
  return h("table", {class: "totals"},
    h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "kind"), h("th", {colspan: 2, scope: "col"}, `at ${whole(at[now])}`),
      h("th", {colspan: 2, scope: "col"}, "in all requests"))),
    h("tbody", {}, [...kinds].reverse().map(line)));
}
