// All sessions: how full each is, what it cost and spared, and a search across them.
import {counted, dollars, empty, fill, h, short, whole} from "./dom.js";
import {read} from "./api.js";
import {link} from "./app.js";

const MANY = 200; // Rows drawn at once; the filter finds the others.

function gauge(row) {
  if (row.fill === undefined) return h("span", {class: "quiet"}, row.fault ? "cannot be read" : "…");
  if (row.fill === null) return h("span", {class: "quiet"}, "no window");
  return [
    h("span", {class: `gauge ${row.pressure}`, "aria-hidden": "true"}, h("span", {css: {width: `${Math.min(100, row.fill)}%`}})),
    h("span", {class: "figure"}, `${row.fill}%`),
  ];
}

const money = (row) => row.bill?.requests ? [
  h("span", {}, `${row.bill.estimated ? "~" : ""}${dollars(row.bill.spent)} spent`),
  h("span", {class: "quiet block"}, `${dollars(row.bill.saved)} spared`),
] : h("span", {title: "What the tokens left out would cost in the next request, as cached input"},
  row.dollars === null || row.dollars === undefined ? "–" : `${dollars(row.dollars)} a request`);

/** What sorts a column: its number, or its words. */
const SORTS = {
  session: (row) => row.session, fill: (row) => row.fill ?? -1, tokens: (row) => row.load ?? -1, turns: (row) => row.turns ?? -1,
  messages: (row) => row.messages, commits: (row) => row.commits, "left out": (row) => row.left_out ?? -1,
  money: (row) => (row.bill?.requests ? row.bill.spent : row.dollars ?? -1), pinned: (row) => kept(row).length, "last error": (row) => (row.error || row.fault ? 1 : 0),
};

const kept = (row) => [...(row.constraints ?? []), ...(row.pinned ?? [])];

function troubles(row) {
  if (row.fault) return h("span", {class: "bad clip"}, row.fault);
  return row.error ? h("a", {class: "bad clip", href: link("session", row.session, "", row.error.at), title: row.error.says}, `${row.error.at} ${row.error.says}`) : null;
}

function line(row) {
  const begun = row.begun_by ? `sub-agent of ${row.begun_by}` : "";
  const from = row.parent ? `from ${row.parent} at ${whole(row.fork)}` : [begun, row.user, row.model].filter(Boolean).join(" · ");
  return h("tr", {"data-name": row.session},
    h("th", {scope: "row"}, h("a", {href: link("session", row.session), "data-key": row.session}, row.session), h("span", {class: "quiet block clip"}, from)),
    h("td", {class: "fill", "data-label": "fill"}, gauge(row)),
    h("td", {class: "num", "data-label": "tokens"}, whole(row.load), h("span", {class: "quiet block"}, row.usable ? `of ${short(row.usable)}` : "")),
    h("td", {class: "num", "data-label": "turns"}, whole(row.turns)),
    h("td", {class: "num", "data-label": "messages"}, whole(row.messages)),
    h("td", {class: "num", "data-label": "commits"}, whole(row.commits)),
    h("td", {class: "num", "data-label": "left out"}, whole(row.left_out)),
    h("td", {class: "num", "data-label": "money"}, money(row)),
    h("td", {class: "pinned", "data-label": "pinned", title: kept(row).join("\n")}, kept(row).length
      ? h("a", {class: "clip", href: link("session", row.session, "constraints")}, `${whole(kept(row).length)} · ${kept(row)[0]}`) : null),
    h("td", {class: "wide-cell", "data-label": "last error"}, troubles(row)));
}

/** What all sessions come to; dollars only of requests through a proxy or a wrapped client. */
function totals(rows) {
  const sum = (of) => rows.reduce((total, row) => total + (of(row) ?? 0), 0);
  const billed = sum((row) => row.bill?.requests);
  return [counted(rows.length, "session"), `${short(sum((row) => row.messages))} messages`, `${short(sum((row) => row.left_out))} tokens left out`,
    ...(billed ? [`${dollars(sum((row) => row.bill?.spent))} spent and ${dollars(sum((row) => row.bill?.saved))} spared in ${counted(billed, "request")}`] : [])].join(" · ");
}

export function sessionsView(main, rows) {
  const body = h("tbody", {}), note = h("p", {class: "note", "aria-live": "polite"}), hits = h("div", {});
  const filter = h("input", {type: "search", id: "filter", placeholder: "name, model, user", oninput: () => draw()});
  const words = h("input", {type: "search", id: "search", placeholder: "what was said"});
  const heads = h("tr", {});
  let scheduled = 0, sorted = null, down = true; // Without a choice, the newest are first.

  const sortBy = (key) => {
    [sorted, down] = [key, sorted === key ? !down : key !== "session"];
    draw();
  };
  const head = (key) => h("th", {scope: "col", "aria-sort": sorted === key ? (down ? "descending" : "ascending") : null},
    h("button", {type: "button", class: "plain", "data-key": `sort ${key}`, onclick: () => sortBy(key)}, `${key}${sorted === key ? (down ? " ↓" : " ↑") : ""}`));

  function ordered(found) {
    if (!sorted) return found;
    const of = SORTS[sorted], sign = down ? -1 : 1;
    return found.sort((one, other) => (of(one) < of(other) ? -sign : of(one) > of(other) ? sign : 0));
  }

  const drawn = new Map(); // The line of each session, with the values it was made of.

  /** Puts the lines in order; only those whose values changed are made again. */
  function place(found) {
    const lines = found.map((row) => {
      if (drawn.get(row.session)?.row !== row) drawn.set(row.session, {row, node: line(row)});
      return drawn.get(row.session).node;
    });
    const wanted = new Set(lines);
    for (const node of [...body.children]) if (!wanted.has(node)) node.remove();
    lines.forEach((node, at) => { if (body.children[at] !== node) body.insertBefore(node, body.children[at] ?? null); });
  }

  function draw() {
    scheduled = 0;
    fill(heads, Object.keys(SORTS).map(head));
    const wanted = filter.value.trim().toLowerCase();
    const found = [...rows.values()].filter((row) => !wanted || `${row.session} ${row.model ?? ""} ${row.user ?? ""}`.toLowerCase().includes(wanted));
    place(ordered(found).slice(0, MANY));
    note.textContent = found.length > MANY ? `${whole(MANY)} of ${counted(found.length, "session")}; the filter finds the others.` :
      found.length ? totals(found) : rows.size ? "No session matches." : "No session yet. It appears here as soon as a message is stored.";
  }

  async function search(event) {
    event.preventDefault();
    if (!words.value.trim()) return fill(hits, []);
    fill(hits, empty("Searching…"));
    try {
      const found = await read("search", {words: words.value});
      fill(hits, found.length ? h("ol", {class: "hits"}, found.map((hit) => h("li", {},
        h("a", {href: link("session", hit.session, "", hit.position)}, `${hit.session} ${hit.place}`),
        h("span", {class: "quiet"}, ` ${hit.role} ${hit.tool}`), h("p", {class: "said"}, hit.snippet)))) : empty("Nothing found."));
    } catch (failure) {
      fill(hits, empty(failure.message));
    }
    return undefined;
  }

  main.append(
    h("div", {class: "head"}, h("h1", {}, "Sessions"),
      h("form", {class: "searches", role: "search", onsubmit: search}, h("label", {}, "Filter", filter), h("label", {}, "Search all", words), h("button", {}, "Search"))),
    note, hits,
    h("div", {class: "wide", role: "region", "aria-label": "Sessions", tabindex: 0},
      h("table", {class: "sessions"}, h("thead", {}, heads), body)));
  draw();
  return {changed: () => { scheduled ||= requestAnimationFrame(draw); }};
}
