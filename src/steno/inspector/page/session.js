// One session: the timeline, the slider through its requests, the commits, and what was opened.
import {counted, dollars, empty, fill, h, KINDS, whole} from "./dom.js";
import {read} from "./api.js";
import {link, say} from "./app.js";
import {ends, FIXED, History} from "./history.js";
import {shadeOf, strip} from "./strip.js";
import {loadChart} from "./load.js";
import {longList} from "./list.js";
import {detailPanel} from "./detail.js";
import {forgetDialog, previewDialog, undoNewest} from "./acts.js";

const SMALL = ["arrival", "resent", "hide", "undo"]; // Why a commit was made that answers no pressure: it has no goal.
const PLACES_MOST = 8; // Places of a commit that are linked for each technique; the others are counted.

export function sessionView(main, name, rows, at) {
  const past = new History();
  let request = null, opened = null, busy = false, again = false, gone = false, scheduled = 0, chosenCommit = null;
  const loaded = () => past.requests.length > 0;
  const now = () => Math.min(request ?? Infinity, past.requests.length - 1);
  const messagesNow = () => past.requests[now()] ?? 0;

  // What stands above

  const figures = h("dl", {class: "figures"});
  const undo = h("button", {type: "button", disabled: true, onclick: () => undoNewest(name).then(refresh)}, "Undo");
  const head = h("div", {class: "head"}, h("h1", {class: "clip"}, name), h("div", {class: "buttons"},
    h("button", {type: "button", onclick: () => previewDialog(name, barsWithout, refresh)}, "Preview a compaction…"), undo,
    h("button", {type: "button", class: "danger", onclick: () => forgetDialog(name)}, "Forget…")));

  function drawFigures() {
    const row = rows.get(name) ?? {}, fixed = past.fixedAt(past.length);
    const pair = (term, ...words) => [h("div", {}, h("dt", {}, term), h("dd", {}, words))];
    fill(figures, [
      pair("next request", h("span", {id: "load"}, whole(row.load)), row.usable ? ` of ${whole(row.usable)} tokens (${row.fill}%)` : " tokens"),
      pair("said", h("span", {id: "said-tokens"}, whole(row.said)), " tokens"),
      pair("left out", h("span", {id: "left-out"}, whole(row.left_out)), " tokens",
        row.dollars ? `, ${dollars(row.dollars)} a request` : ""),
      pair("messages", h("span", {id: "messages"}, whole(row.messages)), `, ${counted(row.turns ?? 0, "turn")}`),
      pair("commits", h("span", {id: "commits"}, whole(row.commits))),
      pair("tools", h("span", {id: "tools"}, whole(fixed.tools)), ` tokens, system prompt ${whole(fixed.system)}`),
      row.bill?.requests ? pair("spent", `${row.bill.estimated ? "~" : ""}${dollars(row.bill.spent)} in ${counted(row.bill.requests, "request")}, ${dollars(row.bill.saved)} spared`) : [],
    ].flat(2));
  }

  // The two strips and the slider

  const words = (position) => `${position} · ${past.tool[position] || KINDS[past.kind[position]] || past.kind[position]} · ${counted(past.tokens[position], "token")} · ${past.says[position]}`;
  const wordsOf = (bar) => bar.words ?? (bar.item ? itemWords(bar.item) : words(bar.at));
  const open = (bar) => {
    if (bar.at !== undefined) show(bar.at);
    else if (bar.fixed) panel.showFixed({...past.fixed, ...past.fixedAt(past.length)});
  };
  const everything = strip({title: "Every message, as wide as its tokens", label: wordsOf, choose: open});
  const seen = strip({title: "What the model saw at this request", label: wordsOf, choose: open});
  const slider = h("input", {type: "range", min: 0, max: 0, value: 0, id: "request", "aria-label": "Request",
    oninput: () => { request = +slider.value; later(); }});
  const sliderWords = h("output", {for: "request", class: "num"});
  const chart = loadChart({choose: (to) => { slider.value = request = to; later(); }});
  const legend = h("ul", {class: "kinds"});
  const list = longList({label: "What the model saw, item by item", row: itemRow});

  const said = []; // The bars of all messages, made once.

  /** Which positions are marked: what is open, and what the chosen commit covers. */
  function marks() {
    const mark = new Uint8Array(past.length);
    if (opened !== null) mark[opened] = 1;
    for (const edit of chosenCommit?.edits ?? []) {
      const [first, last] = ends(edit.place);
      mark.fill(1, first, last + 1);
    }
    return mark;
  }

  /** The bars of all messages; those that edits would cover are faint. */
  function barsWithout(edits) {
    const goes = new Uint8Array(past.length), items = past.itemsAt(past.length);
    for (const item of items) if (isGone(item)) goes.fill(1, item.start, item.start + item.count);
    for (const {place} of edits) if (!place.includes(".")) goes.fill(1, ...[ends(place)].flatMap(([first, last]) => [first, last + 1]));
    return said.map((bar) => ({...bar, faint: goes[bar.at] === 1, mark: false}));
  }

  const isGone = ({state}) => state === "covered" || state === "hidden";
  /** The tool of an item; a summary may quote results of several. */
  const toolOf = (item) => (isGone(item) ? "" : past.tool[item.start]);
  const colourOf = (kind, item) => (kind === "results" ? shadeOf(toolOf(item)) : kind);

  function drawTime() {
    scheduled = 0;
    const last = past.requests.length - 1, here = now(), messages = messagesNow();
    slider.max = last;
    if (request === null) slider.value = last;
    const items = past.itemsAt(messages);
    const covered = new Uint8Array(past.length);
    for (const item of items) if (isGone(item)) covered.fill(1, item.start, item.start + item.count);
    const mark = marks();
    for (let at = said.length; at < past.length; at += 1) {
      said.push({at, tokens: past.tokens[at], colour: colourOf(past.kind[at], past.arrival(at)), faint: false, mark: false});
    }
    for (const bar of said) {
      bar.faint = bar.at >= messages || covered[bar.at] === 1;
      bar.mark = mark[bar.at] === 1;
    }
    everything.show(said);
    const before = past.fixedAt(messages);
    const fixed = Object.keys(FIXED).filter((key) => before[key]).map((key) => ({
      fixed: key, kind: key === "constraints" ? "shorthand" : "prompt", tokens: before[key], colour: key === "constraints" ? "shorthand" : key === "tools" ? "tool-schemas" : "prompt",
      words: (key === "tools" ? `tools ${whole(before.tools)}: ${past.fixed.each_tool.map((tool) => `${tool.name} ${whole(tool.tokens)}`).join(", ")}`
        : `${FIXED[key]} ${whole(before[key])}`),
    }));
    const shown = past.partsOf(items).map(({item, kind, tokens}) => ({
      at: item.start, item, kind, tokens, colour: colourOf(kind, item), faint: false, mark: item.start === opened,
    }));
    const load = past.loadAt(messages), room = (rows.get(name)?.usable ?? 0) - load;
    const free = room > 0 ? [{tokens: room, colour: "faint", words: `free ${whole(room)}`}] : [];
    seen.show([...fixed, ...shown, ...free]);
    chart.move(here);
    sliderWords.textContent = `request ${whole(here + 1)} of ${whole(last + 1)}: ${whole(load)} tokens of ${whole(messages)} messages`;
    drawLegend([...fixed, ...shown]);
    list.show(items.filter((item) => item.tokens || item.state !== "said"));
  }

  const spanOf = (item) => (item.count > 1 ? `${item.start}-${item.start + item.count - 1}` : `${item.start}`);

  const summaryWords = (item) => `summary of ${counted(item.count, "message")}${item.stand ? `; where the whole work stands, ${counted(item.stand, "token")}` : ""}`;

  function itemWords(item) {
    if (item.state === "covered") return `${spanOf(item)} · ${counted(item.tokens, "token")} · ${summaryWords(item)}`;
    return `${item.state === "said" ? "" : `${item.state} · `}${words(item.start)}`;
  }

  function itemRow(item) {
    const text = item.state === "covered" ? summaryWords(item) : past.says[item.start];
    return h("button", {type: "button", class: "item", "data-key": `item ${item.start}`, "aria-current": item.start === opened ? "true" : null,
      onclick: () => show(item.start)},
    h("span", {class: "swatch", css: {background: `var(--${item.state === "covered" ? "shorthand" : colourOf(past.kind[item.start], item)})`}}),
    h("span", {class: "num place"}, spanOf(item)), h("span", {class: "num"}, whole(item.tokens)),
    h("span", {class: "state"}, item.state === "said" ? past.tool[item.start] || KINDS[past.kind[item.start]] : item.state),
    h("span", {class: "clip"}, text));
  }

  /** Tokens by kind, results by tool: each kind adds up to what `steno show` says. */
  function drawLegend(bars) {
    const entries = new Map();
    for (const {item, fixed, kind, colour, tokens} of bars) {
      const label = kind === "prompt" ? FIXED[fixed ?? "system"] : (kind === "results" && toolOf(item)) || KINDS[kind];
      const key = `${kind} ${label}`;
      if (!entries.has(key)) entries.set(key, {label, kind, colour, tokens: 0});
      entries.get(key).tokens += tokens;
    }
    fill(legend, [...entries.values()].sort((one, other) => other.tokens - one.tokens).map(({label, kind, colour, tokens}) => h("li", {"data-kind": kind},
      h("span", {class: "swatch", css: {background: `var(--${colour})`}}), h("span", {class: "clip"}, label), h("span", {class: "num quiet"}, whole(tokens)))));
  }

  const later = () => { scheduled ||= requestAnimationFrame(drawTime); };

  // The commits

  const commits = h("ol", {class: "commits", reversed: true});

  function drawCommits() {
    const standing = past.standing(), newest = past.newest();
    undo.disabled = !newest;
    undo.textContent = newest ? `Undo commit ${newest.number}` : "Undo";
    fill(commits, past.commits.length ? past.commits.toReversed().map((commit) => commitRow(commit, standing.has(commit.number) || commit.reverts !== null))
      : empty("No commit yet: the model sees every message as it was said.", "li"));
  }

  /** Why it was made then: how full the window was, and the goal. */
  function whyThen({before, after, goal, usable, why}) {
    if (SMALL.includes(why)) return `${whole(before)} → ${whole(after)}`;
    const share = usable ? ` of ${whole(usable)} (${Math.round((100 * before) / usable)}%)` : "";
    return `${whole(before)}${share} → ${whole(after)}${goal ? `, goal ${whole(goal)}` : ""}`;
  }

  function placeLinks(edits) {
    const by = Map.groupBy(edits, (edit) => edit.by);
    return [...by].map(([technique, edited]) => h("li", {}, `${technique} ×${edited.length}: `,
      edited.slice(0, PLACES_MOST).map(({place}, at) => [at ? ", " : "", h("button", {type: "button", class: "plain cite", onclick: () => show(ends(place)[0])}, place)]),
      edited.length > PLACES_MOST ? ` and ${whole(edited.length - PLACES_MOST)} more` : ""));
  }

  function commitRow(commit, stands) {
    const {calls, sent, said: received, dollars: price} = commit.asked;
    const cost = calls ? `a model was asked ${counted(calls, "time")}: ${whole(sent)} sent, ${whole(received)} received, ${dollars(price)}` : "no model asked";
    const jump = () => {
      chosenCommit = commit;
      slider.value = request = past.requestAfter(commit);
      later();
      say(`commit ${commit.number}: the slider is at the request after it`);
    };
    return h("li", {class: stands ? null : "fallen", value: commit.number},
      h("div", {class: "commit-head"},
        h("button", {type: "button", class: "plain strong", "data-key": `commit ${commit.number}`, onclick: jump}, `commit ${commit.number}`),
        h("span", {class: "badge"}, commit.words), h("span", {class: "quiet"}, `at ${whole(commit.landed)}`)),
      h("ul", {}, commit.before ? h("li", {class: "figures-line"}, whyThen(commit)) : null, placeLinks(commit.edits),
        commit.details.map(([line, grade]) => h("li", {class: grade}, line)), calls || !SMALL.includes(commit.why) ? h("li", {}, cost) : null));
  }

  function drawLoads() {
    const row = rows.get(name) ?? {};
    const compactions = [...past.standing().values()].filter((commit) => !SMALL.includes(commit.why));
    chart.show(past.loads(), row.limits ?? {}, compactions.map((commit) => past.requestAfter(commit)));
  }

  // What was opened

  const panel = detailPanel(name, {
    jump: (position) => show(position),
    close: () => { opened = null; history.replaceState(null, "", link("session", name)); later(); },
    done: () => refresh(),
    editedBy: (item) => past.editedBy(item),
  });

  async function show(position) {
    opened = position;
    history.replaceState(null, "", link("session", name, "", position));
    later();
    await panel.show(position);
  }

  // Reading

  async function refresh() {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    try {
      do {
        again = false;
        const start = Math.max(0, past.length), first = !loaded();
        const news = await read("session", {name, start, commits: past.commits.length});
        if (gone) return;
        past.add(news);
        drawFigures();
        drawTime();
        drawLoads();
        if (first || news.commits !== null) drawCommits();
      } while (again);
    } catch (failure) {
      say(failure.message);
      if (!loaded()) fill(figures, h("div", {}, failure.message));
    } finally {
      busy = false;
    }
  }

  main.append(head, figures,
    h("section", {"aria-labelledby": "h-time"}, h("h2", {id: "h-time"}, "Everything that was said"),
      h("p", {class: "note"}, "Each bar is a message, as wide as its tokens. Faint: not shown at this request. Choose one to open it."), everything.node),
    h("section", {"aria-labelledby": "h-seen"}, h("div", {class: "head"}, h("h2", {id: "h-seen"}, "What the model saw"), sliderWords),
      chart.node, slider, seen.node, legend),
    panel.node,
    h("div", {class: "beside"},
      h("section", {"aria-labelledby": "h-items"}, h("h2", {id: "h-items"}, "Item by item"), list.node),
      h("section", {"aria-labelledby": "h-commits"}, h("h2", {id: "h-commits"}, "Commits"), commits)));
  drawFigures();
  const first = refresh();
  if (at !== "") first.then(() => show(+at));
  return {
    go: (position) => (position === "" ? undefined : show(+position)),
    leave: () => { gone = true; },
    changed: (names) => {
      if (!names.includes(name) || !loaded()) return;
      const row = rows.get(name);
      if (!row) {
        fill(figures, empty("This session is gone."));
        return;
      }
      drawFigures();
      drawLoads();
      if (row.messages !== past.length || row.commits !== past.commits.length) refresh();
      else later();
    },
  };
}
