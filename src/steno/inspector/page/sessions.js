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

const kept = (row) => [...(row.rules ?? []), ...(row.pinned ?? [])];

function troubles(row) {
  if (row.fault) return h("span", {class: "bad clip"}, row.fault);
  return row.error ? h("a", {class: "bad clip", href: link("session", row.session, "", row.error.at), title: row.error.says}, row.error.says) : "";
}

function line(row) {
  const from = row.parent ? `from ${row.parent} at ${whole(row.fork)}` : [row.user, row.model].filter(Boolean).join(" · ");
  return h("tr", {"data-name": row.session},
    h("th", {scope: "row"}, h("a", {href: link("session", row.session), "data-key": row.session}, row.session), h("span", {class: "quiet block clip"}, from)),
    h("td", {class: "fill", "data-label": "fill"}, gauge(row)),
    h("td", {class: "num", "data-label": "tokens"}, whole(row.load), h("span", {class: "quiet block"}, row.usable ? `of ${short(row.usable)}` : "")),
    h("td", {class: "num", "data-label": "turns"}, whole(row.turns)),
    h("td", {class: "num", "data-label": "messages"}, whole(row.messages)),
    h("td", {class: "num", "data-label": "commits"}, whole(row.commits)),
    h("td", {class: "num", "data-label": "left out"}, whole(row.left_out)),
    h("td", {class: "num", "data-label": "money"}, money(row)),
    h("td", {class: "num", "data-label": "pinned", title: kept(row).join("\n")}, row.rules ? whole(kept(row).length) : ""),
    h("td", {class: "wide-cell", "data-label": "last error"}, troubles(row)));
}

const HEADS = ["session", "fill", "tokens", "turns", "messages", "commits", "left out", "money", "pinned", "last error"];

export function sessionsView(main, rows) {
  const body = h("tbody", {}), note = h("p", {class: "note", "aria-live": "polite"}), hits = h("div", {});
  const filter = h("input", {type: "search", id: "filter", placeholder: "name, model, user", oninput: () => draw()});
  const words = h("input", {type: "search", id: "search", placeholder: "what was said"});
  let scheduled = 0;

  function draw() {
    scheduled = 0;
    const wanted = filter.value.trim().toLowerCase();
    const found = [...rows.values()].filter((row) => !wanted || `${row.session} ${row.model ?? ""} ${row.user ?? ""}`.toLowerCase().includes(wanted));
    fill(body, found.slice(0, MANY).map(line));
    note.textContent = found.length > MANY ? `${whole(MANY)} of ${counted(found.length, "session")}; the filter finds the others.` :
      found.length ? counted(found.length, "session") : "No session yet. It appears here as soon as a message is stored.";
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
    hits,
    h("div", {class: "wide", role: "region", "aria-label": "Sessions", tabindex: 0},
      h("table", {class: "sessions"}, h("thead", {}, h("tr", {}, HEADS.map((each) => h("th", {scope: "col"}, each)))), body)),
    note);
  draw();
  return {changed: () => { scheduled ||= requestAnimationFrame(draw); }};
}
