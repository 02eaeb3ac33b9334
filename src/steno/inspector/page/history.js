// A session over time: what the model saw at any request, computed from what each commit changed.
//
// Nothing here touches the document, and nothing is asked: moving the slider costs one pass over the items.

export const FIXED = {system: "system prompt", tools: "tools", constraints: "constraints"};

export class History {
  constructor() {
    this.kind = [];
    this.tool = [];
    this.parts = []; // Raw tokens by kind of each message: times the ratio, they are tokens.
    this.ratio = 1;
    this.tokens = [];
    this.says = [];
    this.requests = []; // How many messages each request could show: those before each reply, and all.
    this.steps = [];
    this.commits = [];
    this.fixed = {raw: 0, head: 0, tools: 0, each_tool: []};
    this.sums = [0]; // Raw tokens of all messages before each position.
    this.upto = null; // The items after so many commits, kept until another number is asked for.
  }

  get length() {
    return this.kind.length;
  }

  /** Takes in what the server sent: the messages from some position on, and all commits if any is new. */
  add({start, columns, ratio, steps, commits, fixed}) {
    if (start > this.length) throw new Error("messages are missing before these");
    for (const name of ["kind", "tool", "parts", "says"]) {
      this[name].length = start;
      for (const value of columns[name]) this[name].push(value);
    }
    this.sums.length = start + 1;
    for (let at = start; at < this.length; at += 1) this.sums.push(this.sums[at] + rawOf(this.parts[at]));
    this.ratio = ratio;
    this.tokens = this.parts.map((parts) => this.load(rawOf(parts)));
    this.requests = [];
    for (let at = 1; at < this.length; at += 1) if (this.kind[at] === "assistant" && this.kind[at - 1] !== "assistant") this.requests.push(at);
    this.requests.push(this.length);
    this.fixed = fixed;
    if (steps !== null) {
      this.steps = steps;
      this.commits = commits;
    }
    this.upto = null;
  }

  /** Tokens of a raw sum, rounded up as `Meter.load` does. */
  load(raw) {
    return Math.ceil(raw * this.ratio - 1e-9) || 0; // Never -0.
  }

  /** Raw tokens of the items when there were so many messages: what the newest commit left, and what came since. */
  rawAt(messages) {
    const {raw, landed} = this.steps.findLast((step) => step.landed <= messages) ?? {raw: 0, landed: 0};
    return raw + this.sums[messages] - this.sums[landed];
  }

  /** The tokens of the request that could show so many messages. */
  loadAt(messages) {
    return this.load(this.fixed.raw + this.rawAt(messages));
  }

  loads() {
    return this.requests.map((messages) => this.loadAt(messages));
  }

  /** What stands before the items, so that all parts add up to the load: as `steno show` counts it. */
  fixedAt(messages) {
    const constraints = this.load(this.fixed.head);
    const prompt = this.loadAt(messages) - Math.floor(this.rawAt(messages) * this.ratio) - constraints;
    const tools = Math.min(this.fixed.tools, prompt);
    return {system: prompt - tools, tools, constraints};
  }

  /** Tokens by kind in the order of the items; the running sum is rounded, as in `steno show`. */
  partsOf(items) {
    const found = [];
    let raw = 0, drawn = 0;
    for (const item of items) for (const [kind, tokens] of item.parts) {
      raw += tokens;
      const upto = Math.floor(raw * this.ratio);
      if (upto > drawn) found.push({item, kind, tokens: upto - drawn});
      drawn = upto;
    }
    return found;
  }

  /** The number of the request that was the first after a commit. */
  requestAfter({landed}) {
    const found = this.requests.findIndex((each) => each >= landed);
    return found < 0 ? this.requests.length - 1 : found;
  }

  /** The commits that no undo reverted, by number. */
  standing() {
    const standing = new Map();
    for (const commit of this.commits) {
      if (commit.reverts === null) standing.set(commit.number, commit);
      else standing.delete(commit.reverts);
    }
    return standing;
  }

  /** The techniques that edited an item, with their commits, the newest first. */
  editedBy({span, first}) {
    const here = ({place}) => place === span || place.startsWith(`${first}.`);
    return [...this.standing().values()].reverse().flatMap(({number, edits}) => edits.filter(here).map(({by}) => `${by} in commit ${number}`));
  }

  /** The commit that an undo would revert; what came in a list, and hidden pages, stay. */
  newest() {
    return [...this.standing().values()].findLast(({why}) => !["resent", "hide"].includes(why));
  }

  arrival(at) {
    return {start: at, count: 1, state: "said", stand: 0, parts: this.parts[at], tokens: this.tokens[at]};
  }

  /** What was shown when there were so many messages: items in order, each position in exactly one. */
  itemsAt(messages) {
    let commits = 0;
    while (commits < this.steps.length && this.steps[commits].landed <= messages) commits += 1;
    if (this.upto?.commits !== commits) this.upto = {commits, ...this.fold(commits)};
    const items = this.upto.items.slice();
    for (let at = this.upto.landed; at < messages; at += 1) items.push(this.arrival(at));
    return items;
  }

  fold(commits) {
    let items = [], landed = 0;
    for (const step of this.steps.slice(0, commits)) {
      for (let at = landed; at < step.landed; at += 1) items.push(this.arrival(at));
      landed = step.landed;
      items = merged(items, step.items.map((item) => ({...item, tokens: this.load(rawOf(item.parts))})));
    }
    return {items, landed};
  }

}

const rawOf = (parts) => parts.reduce((sum, [, tokens]) => sum + tokens, 0);

/** The first and the last position of a place such as 17, 17-42 or 17.2. */
export function ends(place) {
  const [first, last = first] = place.split(".")[0].split("-").map(Number);
  return [first, last];
}

/** The old items without those that new ones stand for, both in order. */
function merged(old, fresh) {
  const items = [];
  let next = 0;
  for (const item of old) {
    while (next < fresh.length && fresh[next].start + fresh[next].count <= item.start) items.push(fresh[next++]);
    const here = fresh[next];
    if (here && here.start < item.start + item.count && item.start < here.start + here.count) {
      // Of an undone cover, several items come back in its place.
      while (next + 1 < fresh.length && fresh[next + 1].start < item.start + item.count) items.push(fresh[next++]);
      continue;
    }
    items.push(item);
  }
  items.push(...fresh.slice(next));
  return items;
}
