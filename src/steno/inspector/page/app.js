// The inspector: which view is shown, and the sessions that all of them share.
import {byId, fill, h} from "./dom.js";
import {follow} from "./api.js";
import {sessionsView} from "./sessions.js";
import {sessionView} from "./session.js";
import {whatIfView} from "./what_if.js";
import {memoriesView, constraintsView} from "./constraints.js";

const rows = new Map();
let view = null;

export const link = (...parts) => `#/${parts.map(encodeURIComponent).join("/")}`;

const SAID_MS = 6000;
let saying = 0;

/** Says once what was done, for people who see and people who hear the page. */
export function say(words) {
  byId("said").textContent = words;
  clearTimeout(saying);
  saying = setTimeout(() => { byId("said").textContent = ""; }, SAID_MS);
}

const TABS = [["", "Timeline"], ["constraints", "Constraints"], ["what-if", "What if"]];

function nav(name, tab) {
  const item = (href, words, on) => h("a", {href, "aria-current": on ? "page" : null}, words);
  const tabs = name === null ? [] : TABS.map(([each, words]) =>
    item(link("session", name, ...(each ? [each] : [])), words, each === tab));
  return [item("#/", "Sessions", name === null && tab !== "memory"), ...tabs, item("#/memory", "Memory", tab === "memory")];
}

function route() {
  const [page = "", name = null, tab = "", at = ""] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  const main = byId("main"), session = page === "session" ? name : null;
  if (view?.key === `${session}/${tab}` && view.go) {
    view.go(at);
    return;
  }
  view?.leave?.();
  fill(byId("nav"), nav(session, page === "memory" ? page : tab));
  document.title = session === null ? "Steno inspector" : `${session} · Steno`;
  main.replaceChildren();
  if (page === "memory") view = memoriesView(main);
  else if (session === null) view = sessionsView(main, rows);
  else if (tab === "constraints") view = constraintsView(main, session);
  else if (tab === "what-if") view = whatIfView(main, session, rows);
  else view = sessionView(main, session, rows, at);
  view.key = `${session}/${tab}`;
}

addEventListener("hashchange", () => {
  route();
  byId("main").focus({preventScroll: true});
});
route();
follow(rows, (names) => view?.changed?.(names), (words) => {
  byId("live").textContent = words;
  byId("live").dataset.state = words;
});
