// The page of a replay: the table, the charts, and the misses.
//
// Owns what is chosen and what a click does; `charts.js` draws, `dom.js` makes elements. Words of a session only ever become text
// nodes; the document's own rules forbid the network and markup made from strings.
// The numbers are `steno replay`'s: here they are divided and rounded, never counted.
"use strict";

const report = JSON.parse(document.getElementById("report").textContent);
const NOT_RUNNABLE = 0.1; // With more of its requests over the window than this, a policy wins no column.
const DRAWN = 4; // Of more policies than this, the chart of loads begins with the chosen one and two others.
const MEASURES = ["names", "edits", "reads", "typed", "closing", "facts"];

// State, and who is drawn anew when it changes

const state = {
  session: 0, policy: report.policies.includes("default") ? "default" : report.policies.at(-1),
  scope: "all", metric: "names", reach: "session", sort: null, hidden: new Set(),
  turn: null, miss: null, text: "", measure: "", fate: "",
};
if (report.policies.length > DRAWN) {
  state.hidden = new Set(report.policies.filter((policy) => policy !== state.policy).slice(2));
}
const watchers = [];

function set(change) {
  const changed = Object.keys(change).filter((key) => state[key] !== change[key]);
  Object.assign(state, change);
  watchers.filter(({keys}) => keys.some((key) => changed.includes(key))).forEach(({run}) => run());
}

function part(id, keys, draw) {
  const run = () => fill(byId(id), draw());
  watchers.push({keys, run});
  run();
}

const choose = {
  session: (at) => set({session: at, turn: null, miss: null}),
  policy: (name) => set({policy: name, miss: null, hidden: new Set([...state.hidden].filter((each) => each !== name))}),
};

// Parts of several elements

/** A few alternatives side by side, one of them pressed. */
function choice(key, options) {
  const button = ([value, words]) => h("button", {
    type: "button", "data-key": value, "aria-pressed": String(state[key] === value), onclick: () => set({[key]: value}),
  }, words);
  return h("div", {class: "choice", role: "group"}, options.map(button));
}

function bar(tally, kinds) {
  const width = (kind) => `${(100 * tally[kind]) / Math.max(1, tally.all)}%`;
  return h("span", {class: "bar", "aria-hidden": "true"}, kinds.map((kind) => h("span", {class: kind, css: {width: width(kind)}})));
}

const share = (tally, kind) => (tally && tally.all ? tally[kind] / tally.all : null);
const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);

// What the report holds

const usable = report.window - report.reserve;
const byName = new Map(report.scores.map((score) => [JSON.stringify([score.session, score.policy]), score]));
const priced = report.totals.length > 0 && report.totals.every((score) => score.money !== null);
const session = () => report.sessions[state.session] ?? {name: NONE, messages: 0, tokens: 0, requests: 0};
const scoreOf = (policy) => byName.get(JSON.stringify([session().name, policy]));
const chosen = () => scoreOf(state.policy);
const positions = () => chosen()?.turns.at ?? [];
const numbers = () => chosen()?.turns.number ?? []; // Of the requests drawn: those of a long session are thinned.
const colour = (policy) => `var(--p${report.policies.indexOf(policy) % 8})`;
const runnable = (score) => score.policy !== "clairvoyant" && score.over <= NOT_RUNNABLE * score.requests;
const turnNow = () => Math.min(state.turn ?? Infinity, positions().length - 1);

function facts() {
  const {sessions, prices, model} = report;
  const limit = (portion) => `${whole(portion * usable)} (${+(100 * portion).toFixed(1)}%)`;
  const kept = report.reserve ? `, ${whole(report.reserve)} of them kept for the reply` : "";
  const totals = ["messages", "tokens", "requests"].map((key) => `${short(sum(sessions.map((each) => each[key])))} ${key}`);
  const rates = prices && [
    prices.unit === "of the input price" ? null : `input ${prices.input}`, `cache read ${prices.read}`, `write ${prices.write}`,
  ].filter(Boolean).join(", ");
  const lines = [
    ["Command", h("code", {}, report.command)],
    ["Window", `${whole(report.window)} tokens${kept}`],
    ["Limits", report.policies.map((policy) => {
      const {soft, goal} = report.limits[policy];
      return `${policy}: ${[soft && `over ${limit(soft)}`, goal && `to ${limit(goal)}`].filter(Boolean).join(" ")}`;
    }).join("; ")],
    ["Sessions", `${sessions.length === 1 ? sessions[0].name : counted(sessions.length, "session")}: ${totals.join(", ")}`],
    ["Prices", [model ?? "no model named", rates && `${rates} ${prices.unit}; a cache lives ${whole(prices.lifetime)} s`]
      .filter(Boolean).join(": ")],
  ];
  return lines.flatMap(([term, words]) => [h("dt", {}, term), h("dd", {}, words)]);
}

// The table

const meanOf = (score, name) => score.means?.[name] ?? null; // Of a row over several sessions.
const visible = (measure) => (score) => score.means ? meanOf(score, measure)?.mean ?? null : share(score.uses[measure], "visible");
const COLUMNS = [
  ...MEASURES.map((measure) => ({group: "use", label: measure, better: 1, show: percent, of: visible(measure),
    mean: (score) => meanOf(score, measure), tally: (score) => score.uses[measure]})),
  {group: "use", label: "lost", better: -1, show: percent, mean: (score) => meanOf(score, "lost"),
    of: (score) => score.means ? meanOf(score, "lost")?.mean ?? null : share(score.all_uses, "lost")},
  {group: "tokens", label: "sent", better: -1, show: short, of: (score) => score.sent},
  {group: "tokens", label: "billed", better: -1, show: short, of: (score) => score.billed},
  {group: "tokens", label: "peak", better: -1, show: whole, of: (score) => score.peak},
  {group: "run", label: "over", better: -1, show: whole, of: (score) => score.over, alarm: true},
  {group: "run", label: "commits", show: whole, of: (score) => score.commits},
  {group: "run", label: "illegal", better: -1, show: whole, of: (score) => score.illegal, alarm: true},
  {group: "run", label: "ms/turn", better: -1, show: millis, of: (score) => score.ms_per_turn},
  {group: "run", label: "money", better: -1, show: dollars, of: (score) => score.money},
].filter((column) => column.label !== "money" || priced);
const GROUPS = {use: "Could still be used", tokens: "Tokens", run: "Run"};

function rows() {
  const scores = state.scope === "all" ? report.totals : report.policies.map(scoreOf).filter(Boolean);
  if (!state.sort) return scores;
  const {at, down} = state.sort;
  const value = (score) => COLUMNS[at].of(score) ?? (down ? -Infinity : Infinity);
  return [...scores].sort((a, b) => (down ? value(b) - value(a) : value(a) - value(b)) || 0);
}

/** The value shown most favourably in each column, of those that can be run; none where all show it. */
function bests(scores) {
  const contest = scores.filter(runnable);
  return COLUMNS.map((column) => {
    const values = contest.map(column.of).filter((value) => value !== null);
    if (!column.better || values.length < 2) return null;
    const best = column.show(column.better > 0 ? Math.max(...values) : Math.min(...values));
    return values.filter((value) => column.show(value) === best).length === values.length ? null : best;
  });
}

function heading(column, at) {
  const first = column.better === 1 || !column.better;
  const sorted = state.sort?.at === at ? state.sort.down : null;
  const arrow = sorted === null ? "" : sorted ? " ↓" : " ↑";
  const sort = () => set({sort: {at, down: sorted === null ? first : !sorted}});
  return h("th", {scope: "col", "aria-sort": sorted === null ? null : sorted ? "descending" : "ascending"},
    h("button", {type: "button", class: "plain", "data-key": `sort ${at}`, onclick: sort}, column.label + arrow));
}

function row(score, best) {
  const name = h("button", {type: "button", class: "plain", "data-key": `row ${score.policy}`, title: score.policy,
    "aria-pressed": String(score.policy === state.policy), onclick: () => choose.policy(score.policy)}, score.policy);
  const cell = (column, at) => {
    const value = column.of(score), words = column.show(value), wins = runnable(score) && best[at] === words;
    const tally = column.tally?.(score), mean = column.mean?.(score);
    const title = tally ? `${whole(tally.visible)} of ${whole(tally.all)}` : column.show === short ? whole(value) : null;
    return h("td", {class: `num${wins ? " best" : column.alarm && value ? " alarm" : ""}`, title},
      tally?.all && value !== null ? bar({all: 1, visible: value}, ["visible"]) : null,
      h("span", {class: "figure"}, words), interval(mean));
  };
  return h("tr", {class: score.policy === state.policy ? "chosen" : null}, h("th", {scope: "row"}, name), COLUMNS.map(cell));
}

/** The interval of a mean; one session has none. */
function interval(mean) {
  if (!mean || mean.sessions < 2) return null;
  return h("span", {class: "interval"}, `${Math.round(100 * mean.low)}–${Math.round(100 * mean.high)}`);
}

function table() {
  const scores = rows(), best = bests(scores);
  if (!scores.length) return empty("Nothing was replayed.");
  const groups = Object.entries(GROUPS).map(([group, words]) => {
    const colspan = COLUMNS.filter((column) => column.group === group).length;
    return h("th", {colspan, scope: "colgroup"}, h("span", {}, words));
  });
  return h("table", {},
    h("thead", {}, h("tr", {}, h("td", {}), groups), h("tr", {}, h("th", {scope: "col"}, "policy"), COLUMNS.map(heading))),
    h("tbody", {}, scores.map((score) => row(score, best))));
}

function marks() {
  const out = report.totals.filter((score) => !runnable(score)).map((score) => score.policy);
  const without = out.length ? ` Not in that contest: ${out.join(", ")} (sees the future, or is often over the window).` : "";
  const contest = report.totals.length - out.length > 1 ? `Green is the best of its column.${without} ` : "";
  const over = report.sessions.length > 1 ? "Shares over all sessions are means by session, with 95 % intervals below. " : "";
  return `${contest}${over}Choose a policy to follow it below.`;
}

// The agents

const agents = [...new Set(report.agents.map((row) => row.agent))];

function byAgent() {
  const cell = (row, name) => {
    const mean = row.means[name];
    return h("td", {class: "num"}, h("span", {class: "figure"}, percent(mean?.mean)), interval(mean));
  };
  const columns = [...MEASURES, "lost"];
  const line = (row) => h("tr", {class: row.policy === state.policy ? "chosen" : null},
    h("th", {scope: "row"}, `${row.agent} (${whole(row.sessions)})`), h("td", {class: "name"}, row.policy), columns.map((name) => cell(row, name)));
  return h("table", {},
    h("thead", {}, h("tr", {}, ["agent", "policy", ...columns].map((words) => h("th", {scope: "col"}, words)))),
    h("tbody", {}, report.agents.map(line)));
}

// The misses

function shown() {
  const words = state.text.trim().toLowerCase();
  return (chosen()?.misses ?? []).filter((miss) => (!state.measure || miss.measure === state.measure) &&
    (!state.fate || miss.state === state.fate) && (!words || `${miss.text}\n${miss.place}`.toLowerCase().includes(words)));
}

const opens = (position) => {
  const {file, session: named} = session();
  return ["steno open", quoted(file), position, ...(named === null ? [] : ["--session", quoted(named)])].join(" ");
};
const quoted = (name) => (/^[\w./:@%+=~-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`);

function miss(each) {
  const toggled = (event) => {
    if (event.target.open) set({miss: each});
    else if (state.miss === each) set({miss: null});
  };
  return h("details", {name: "miss", ontoggle: toggled},
    h("summary", {}, h("span", {class: `badge ${each.state === "lost" ? "lost" : "recallable"}`}, each.state),
      h("span", {class: "said"}, each.text),
      h("span", {class: "where"}, `${each.measure}${each.times > 1 ? ` ×${whole(each.times)}` : ""}, used at ${each.at}, last said at ${each.said} (${each.place})`)),
    h("div", {class: "open"}, h("pre", {tabindex: 0, "aria-label": "The whole text"}, each.text),
      each.opens === null ? null : h("p", {class: "command"}, "To open it: ", h("code", {}, opens(each.opens)))));
}

function count() {
  const {misses, misses_left_out: left} = chosen() ?? {misses: [], misses_left_out: 0};
  return `${whole(shown().length)} of ${counted(misses.length, "miss").replace("misss", "misses")}` +
    (left ? `; ${whole(left)} more are not in this page.` : ".");
}

function filters() {
  const pick = (key, words, options) => h("label", {}, words, h("select", {onchange: (event) => set({[key]: event.target.value, miss: null})},
    h("option", {value: ""}, "any"), options.map((each) => h("option", {value: each}, each))));
  return [
    h("label", {}, "Text or place", h("input", {type: "search", id: "text", oninput: (event) => set({text: event.target.value, miss: null})})),
    pick("measure", "Measure", MEASURES), pick("fate", "State", ["recallable", "lost"]),
  ];
}

function places() {
  const score = state.reach === "session" ? chosen() : report.totals.find((each) => each.policy === state.policy);
  const found = Object.entries(score?.places ?? {}).filter(([, tally]) => tally.lost + tally.recallable);
  if (!found.length) return empty("Nothing was out of sight.");
  found.sort(([, a], [, b]) => b.lost - a.lost || b.recallable - a.recallable);
  const most = Math.max(...found.map(([, tally]) => tally.lost + tally.recallable));
  const narrow = (place) => () => {
    byId("text").value = place;
    set({text: place, miss: null});
  };
  return found.map(([place, tally]) => h("button", {type: "button", class: "plain place", "data-key": place, onclick: narrow(place)},
    h("span", {class: "name"}, place), h("span", {class: "num"}, `${whole(tally.lost)} lost of ${whole(tally.all)}`),
    bar({...tally, all: most}, ["lost", "recallable"])));
}

// Session and policy

function choices() {
  const last = report.sessions.length - 1;
  const step = (by, words, sign) => h("button", {type: "button", "data-key": words, "aria-label": words, title: words,
    disabled: state.session + by < 0 || state.session + by > last, onclick: () => choose.session(state.session + by)}, sign);
  const option = (value, words, on) => h("option", {value, selected: on}, words);
  return [
    h("label", {}, `Session ${state.session + 1} of ${last + 1}`,
      h("select", {"data-key": "session", onchange: (event) => choose.session(+event.target.value)},
        report.sessions.map((each, at) => option(at, `${each.name} (${short(each.tokens)} tokens)`, at === state.session)))),
    step(-1, "Session before", "←"), step(1, "Session after", "→"),
    h("label", {class: "policy"}, "Policy",
      h("select", {"data-key": "policy", onchange: (event) => choose.policy(event.target.value)},
        report.policies.map((each) => option(each, each, each === state.policy)))),
  ];
}

const figures = [["scatter", ["metric", "policy"], scatter], ["load", ["session", "policy", "hidden", "miss"], load],
  ["made", ["session", "policy", "miss"], madeOf]];

part("facts", [], facts);
part("scope", ["scope"], () => report.sessions.length < 2 ? [] : choice("scope", [["all", "all sessions"], ["session", "chosen session"]]));
part("table", ["scope", "sort", "policy", "session"], table);
part("marks", [], marks);
byId("by-agent").hidden = agents.length < 2;
part("agents", ["policy"], () => agents.length < 2 ? [] : byAgent());
part("metric", ["metric"], () => choice("metric", MEASURES.map((measure) => [measure, measure])));
part("scatter-note", ["metric"], () => report.totals.some((score) => visible(state.metric)(score) !== null) ? "Up and to the left is better." +
  (report.totals.every(runnable) ? "" : " Hollow: cannot be run as it is (sees the future, or is often over the window).") : "");
part("chosen", ["session", "policy"], choices);
figures.forEach(([id, keys, draw]) => part(id, keys, draw));
watchers.push({keys: ["turn"], run: () => turnNow() >= 0 && Object.values(cursors).forEach((move) => move())});
part("about", ["session", "policy", "turn"], about);
part("load-legend", ["session", "policy", "hidden", "turn"], loadLegend);
part("made-about", ["policy"], () => `${state.policy}: tokens of each request by who said them.`);
part("made-legend", ["session", "policy", "turn"], madeLegend);
part("misses-about", ["session", "policy"], () => `What ${state.policy} had out of sight in this session when the agent used it again.`);
part("filters", [], filters);
part("count", ["session", "policy", "text", "measure", "fate"], count);
part("misses", ["session", "policy", "text", "measure", "fate"], () => {
  const found = shown().map(miss);
  return found.length ? found : empty(chosen()?.misses.length ? "No miss matches." : "Nothing was missed.");
});
part("reach", ["reach"], () => choice("reach", [["session", "this session"], ["all", "all"]]));
part("places", ["session", "policy", "reach"], places);

let resized = 0;
addEventListener("resize", () => {
  cancelAnimationFrame(resized);
  resized = requestAnimationFrame(() => figures.forEach(([id, , draw]) => fill(byId(id), draw())));
});
