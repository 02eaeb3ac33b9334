// A session over time: what the model saw at any request, computed from what each commit changed.
//
// Nothing here touches the document, and nothing is asked: moving the slider costs one pass over the items.

export const STATES = ["said", "mended", "short", "covered", "hidden"];
export const FIXED = {system: "system prompt", tools: "tools", constraints: "constraints"};

export class History {
  constructor() {
    this.kind = [];
    this.tool = [];
    this.tokens = [];
    this.says = [];
    this.requests = []; // How many messages each request could show: those before each reply, and all.
    this.steps = [];
    this.commits = [];
    this.fixed = {system: 0, tools: 0, constraints: 0, each_tool: []};
    this.sums = [0]; // Tokens of all messages before each position.
    this.upto = null; // The items after so many commits, kept until another number is asked for.
  }

  get length() {
    return this.kind.length;
  }

  /** Takes in what the server sent: the messages from some position on, and all commits if any is new. */
  add({start, columns, steps, commits, fixed}) {
    if (start > this.length) throw new Error("messages are missing before these");
    for (const name of ["kind", "tool", "tokens", "says"]) {
      this[name].length = start;
      for (const value of columns[name]) this[name].push(value);
    }
    this.sums.length = start + 1;
    for (let at = start; at < this.length; at += 1) this.sums.push(this.sums[at] + this.tokens[at]);
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

  get fixedTokens() {
    return this.fixed.system + this.fixed.tools + this.fixed.constraints;
  }

  /** The tokens of each request: what the newest commit before it left, and what came since. */
  loads() {
    let next = 0;
    return this.requests.map((messages) => {
      while (next < this.steps.length && this.steps[next].landed <= messages) next += 1;
      const {tokens, landed} = this.steps[next - 1] ?? {tokens: 0, landed: 0};
      return this.fixedTokens + tokens + this.sums[messages] - this.sums[landed];
    });
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
    return {start: at, count: 1, tokens: this.tokens[at], state: 0, level: 0, stand: 0};
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
      items = merged(items, step.items.map(([start, count, tokens, state, level, stand]) => ({start, count, tokens, state, level, stand})));
    }
    return {items, landed};
  }

  /** The colour of a position; what a summary tells has its own. */
  colourOf(item) {
    if (item.state === 3) return "shorthand";
    return this.kind[item.start];
  }
}

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
