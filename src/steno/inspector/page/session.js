// One session: the timeline, the slider through its requests, the commits, and what was opened.
import {counted, dollars, empty, fill, h, short, whole} from "./dom.js";
import {read} from "./api.js";
import {link, say} from "./app.js";
import {ends, FIXED, History, STATES} from "./history.js";
import {shadeOf, strip} from "./strip.js";
import {longList} from "./list.js";
import {detailPanel} from "./detail.js";
import {forgetDialog, previewDialog, undoNewest} from "./acts.js";

const KINDS = {
  prompt: "system", shorthand: "Steno's shorthand", user: "people", assistant: "agent", results: "tool results", pictures: "pictures",
};

export function sessionView(main, name, rows, at) {
  const past = new History();
  let request = null, opened = null, busy = false, again = false, gone = false, scheduled = 0, chosenCommit = null;
  const loaded = () => past.requests.length > 0;
  const now = () => Math.min(request ?? Infinity, past.requests.length - 1);
  const messagesNow = () => past.requests[now()] ?? 0;

  // What stands above

  const figures = h("dl", {class: "figures"});
  const head = h("div", {class: "head"}, h("h1", {class: "clip"}, name), h("div", {class: "buttons"},
    h("button", {type: "button", onclick: () => previewDialog(name, refresh)}, "Preview a compaction…"),
    h("button", {type: "button", onclick: () => undoNewest(name).then(refresh)}, "Undo the newest commit"),
    h("button", {type: "button", class: "danger", onclick: () => forgetDialog(name)}, "Forget…")));

  function drawFigures() {
    const row = rows.get(name) ?? {};
    const pair = (term, ...words) => [h("div", {}, h("dt", {}, term), h("dd", {}, words))];
    fill(figures, [
      pair("next request", h("span", {id: "load"}, whole(row.load)), row.usable ? ` of ${whole(row.usable)} tokens (${row.fill}%)` : " tokens"),
      pair("said", h("span", {id: "said-tokens"}, whole(row.said)), " tokens"),
      pair("left out", h("span", {id: "left-out"}, whole(row.left_out)), " tokens",
        row.dollars ? `, ${dollars(row.dollars)} a request` : ""),
      pair("messages", h("span", {id: "messages"}, whole(row.messages)), `, ${counted(row.turns ?? 0, "turn")}`),
      pair("commits", h("span", {id: "commits"}, whole(row.commits))),
      pair("tools", h("span", {id: "tools"}, whole(past.fixed.tools)), ` tokens, system prompt ${whole(past.fixed.system)}`),
      row.bill?.requests ? pair("spent", `${row.bill.estimated ? "~" : ""}${dollars(row.bill.spent)} in ${counted(row.bill.requests, "request")}, ${dollars(row.bill.saved)} spared`) : [],
    ].flat(2));
  }

  // The two strips and the slider

  const words = (position) => `${position} · ${past.tool[position] || KINDS[past.kind[position]] || past.kind[position]} · ${counted(past.tokens[position], "token")} · ${past.says[position]}`;
  const wordsOf = (bar) => bar.words ?? (bar.item ? itemWords(bar.item) : words(bar.at));
  const open = (bar) => (bar.at === undefined ? say(bar.words) : show(bar.at));
  const everything = strip({title: "Every message, as wide as its tokens", label: wordsOf, choose: open});
  const seen = strip({title: "What the model saw at this request", label: wordsOf, choose: open});
  const slider = h("input", {type: "range", min: 0, max: 0, value: 0, id: "request", "aria-label": "Request",
    oninput: () => { request = +slider.value; later(); }});
  const sliderWords = h("output", {for: "request", class: "num"});
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

  const colourOf = (kind, position) => (kind === "results" ? shadeOf(past.tool[position]) : kind);

  function drawTime() {
    scheduled = 0;
    const last = past.requests.length - 1, here = now(), messages = messagesNow();
    slider.max = last;
    if (request === null) slider.value = last;
    const items = past.itemsAt(messages);
    const state = new Uint8Array(past.length);
    for (const item of items) if (item.state >= 2) state.fill(item.state, item.start, item.start + item.count);
    const mark = marks();
    for (let at = said.length; at < past.length; at += 1) {
      said.push({at, tokens: past.tokens[at], colour: colourOf(past.kind[at], at), faint: false, mark: false});
    }
    for (const bar of said) {
      bar.faint = bar.at >= messages || state[bar.at] >= 3;
      bar.mark = mark[bar.at] === 1;
    }
    everything.show(said);
    const fixed = Object.keys(FIXED).filter((key) => past.fixed[key]).map((key) => ({
      tokens: past.fixed[key], colour: key === "rules" ? "shorthand" : key === "tools" ? "tool-schemas" : "prompt",
      words: (key === "tools" ? `tools ${whole(past.fixed.tools)}: ${past.fixed.each_tool.map((tool) => `${tool.name} ${whole(tool.tokens)}`).join(", ")}`
        : `${FIXED[key]} ${whole(past.fixed[key])}`),
    }));
    const shown = items.filter((item) => item.tokens).map((item) => ({
      at: item.start, item, tokens: item.tokens, colour: colourOf(past.colourOf(item), item.start), faint: false, mark: item.start === opened,
    }));
    const row = rows.get(name), room = (row?.usable ?? 0) - [...fixed, ...shown].reduce((sum, bar) => sum + bar.tokens, 0);
    const free = room > 0 ? [{tokens: room, colour: "faint", words: `free ${whole(room)}`}] : [];
    seen.show([...fixed, ...shown, ...free]);
    const computed = [...fixed, ...shown].reduce((sum, bar) => sum + bar.tokens, 0);
    const load = here === last ? rows.get(name)?.load ?? computed : computed;
    sliderWords.textContent = `request ${whole(here + 1)} of ${whole(last + 1)}: ${whole(load)} tokens of ${whole(messages)} messages`;
    drawLegend(items, fixed);
    list.show(items.filter((item) => item.tokens || item.state));
  }

  const spanOf = (item) => (item.count > 1 ? `${item.start}-${item.start + item.count - 1}` : `${item.start}`);

  function itemWords(item) {
    if (item.state === 3) return `${spanOf(item)} · summary of ${counted(item.count, "message")} · ${counted(item.tokens, "token")}`;
    return `${STATES[item.state] === "said" ? "" : `${STATES[item.state]} · `}${words(item.start)}`;
  }

  function itemRow(item) {
    const text = item.state === 3 ? `summary of ${counted(item.count, "message")}` : past.says[item.start];
    return h("button", {type: "button", class: "item", "data-key": `item ${item.start}`, "aria-current": item.start === opened ? "true" : null,
      onclick: () => show(item.start)},
    h("span", {class: "swatch", css: {background: `var(--${colourOf(past.colourOf(item), item.start)})`}}),
    h("span", {class: "num place"}, spanOf(item)), h("span", {class: "num"}, whole(item.tokens)),
    h("span", {class: "state"}, STATES[item.state] === "said" ? past.tool[item.start] || KINDS[past.kind[item.start]] : STATES[item.state]),
    h("span", {class: "clip"}, text));
  }

  function drawLegend(items, fixed) {
    const totals = new Map(), tools = new Map();
    const add = (map, key, tokens) => map.set(key, (map.get(key) ?? 0) + tokens);
    fixed.forEach((bar) => add(totals, bar.colour, bar.tokens));
    for (const item of items) {
      const kind = past.colourOf(item), tool = kind === "results" ? past.tool[item.start] : "";
      if (item.tokens) add(tool ? tools : totals, tool || kind, item.tokens);
    }
    const named = [...totals].map(([kind, tokens]) => [kind, kind === "prompt" ? "system prompt" : kind === "tool-schemas" ? "tools" : KINDS[kind], tokens]);
    const called = [...tools].map(([tool, tokens]) => [shadeOf(tool), tool, tokens]);
    fill(legend, [...named, ...called].sort((one, other) => other[2] - one[2]).map(([colour, label, tokens]) => h("li", {},
      h("span", {class: "swatch", css: {background: `var(--${colour})`}}), h("span", {class: "clip"}, label), h("span", {class: "num quiet"}, short(tokens)))));
  }

  const later = () => { scheduled ||= requestAnimationFrame(drawTime); };

  // The commits

  const commits = h("ol", {class: "commits", reversed: true});

  function drawCommits() {
    fill(commits, past.commits.length ? past.commits.toReversed().map(commitRow) : empty("No commit yet: the model sees every message as it was said.", "li"));
  }

  function commitRow(commit) {
    const cost = commit.asked.calls ? `asked a model ${commit.asked.calls} times: ${whole(commit.asked.sent)} sent, ${whole(commit.asked.said)} received` : "no model asked";
    const jump = () => {
      chosenCommit = commit;
      const found = past.requests.findIndex((each) => each >= commit.landed);
      request = found < 0 ? null : found;
      slider.value = now();
      later();
      say(`commit ${commit.number}: the slider is at the request after it`);
    };
    const figures = commit.before ? [`${whole(commit.before)} → ${whole(commit.after)}`] : [];
    return h("li", {class: commit.stands ? null : "fallen", value: commit.number},
      h("div", {class: "commit-head"},
        h("button", {type: "button", class: "plain strong", "data-key": `commit ${commit.number}`, onclick: jump}, `commit ${commit.number}`),
        h("span", {class: "badge"}, commit.words), h("span", {class: "num"}, figures), h("span", {class: "quiet"}, `at ${whole(commit.landed)} · ${cost}`)),
      h("ul", {}, commit.details.map(([line, grade]) => h("li", {class: grade}, line))));
  }

  // What was opened

  const panel = detailPanel(name, {
    jump: (position) => show(position),
    close: () => { opened = null; history.replaceState(null, "", link("session", name)); later(); },
    done: () => refresh(),
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
    h("section", {"aria-labelledby": "h-seen"}, h("h2", {id: "h-seen"}, "What the model saw"),
      h("div", {class: "slider"}, slider, sliderWords), seen.node, legend),
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
      if (row.messages !== past.length || row.commits !== past.commits.length) refresh();
      else later();
    },
  };
}
