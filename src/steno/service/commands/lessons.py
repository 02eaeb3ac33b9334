"""What `--help` teaches: each command in a few sentences, with examples."""

from __future__ import annotations

STENO = """\
Steno takes a long-running agent's history down in shorthand, and can read every word back.

A model's window holds only so many tokens. When an agent's session nears it, Steno shows the oldest part in short: \
the lines that will be wanted stay, a summary tells the rest and where to find it, rules are kept word for word. \
Everything that was ever said is kept, and any of it can be opened again.

[bold]Examples[/bold]

  [cyan]steno demo[/cyan]                                   watch it work
  [cyan]steno show session.jsonl --window 32000[/cyan]      what fills the window
  [cyan]steno compact session.jsonl --window 32000[/cyan]   the same file, shorter
  [cyan]steno open session.jsonl 17-42[/cyan]               what was said there
  [cyan]steno replay session.jsonl --window 32000[/cyan]    which policy keeps what

FILE is a transcript of Claude Code, Codex, or any list of OpenAI's or Anthropic's messages, gzipped or not: it is \
recognised by itself. DB is a store that steno.Session writes, or steno import.

[bold]In Python[/bold]

  [cyan]import steno[/cyan]
  [cyan]result = steno.compact(messages, window=128_000)[/cyan]   any provider's list
  [cyan]result.messages[/cyan]                                    what to send instead
"""
DEMO = """\
Replay a long session under a small window, turn by turn.

A coding agent hunts a bug in some 130,000 tokens; the model holds 16,000. Each line is one request and shows what \
fills the window; each commit says what it covered. At the end every message is opened again and compared with what \
was said. Needs no key and no network. Exit code 1 if anything did not hold.

[bold]Examples[/bold]

  [cyan]steno demo[/cyan]                         at a pace that eyes can follow
  [cyan]steno demo --fast --window 64000[/cyan]   all at once, in a larger window
  [cyan]steno demo --json[/cyan]                  its numbers, for a machine
"""
COMPACT = """\
Bring a transcript under its budget, and write it in the format it came in.

Only under pressure: from 85 % of the usable window on, down to 52 %, or as --policy says: a TOML file, or a name \
(default, agent-controlled, researcher, tiers, lab, supervisor, deep). The input is never touched, so what was \
covered stays there under the same positions. Goes to OUT; or to stdout in a pipe; or beside the input as \
NAME.compact.EXT. Without --window or --model, the model that the file names counts. Of a store, the session is \
compacted where it is, and can be undone. Exit code 1 if it does not fit.

[bold]Examples[/bold]

  [cyan]steno compact session.jsonl --window 32k[/cyan]        writes session.compact.jsonl
  [cyan]steno compact - -w 32k < a.json > b.json[/cyan]        in a pipe
  [cyan]steno compact session.jsonl -w 32k -p tiers[/cyan]     by another policy
  [cyan]steno compact agent.db --session a --force[/cyan]      a session of a store, now
"""
SHOW = """\
Show what the model sees: a map of its window, then item by item.

Each cell of the map is a share of the window, coloured by what fills it, in the order the model reads. Each item \
says which positions it shows or covers. With --window also what a compaction would make of it; nothing is changed \
by looking.

[bold]Examples[/bold]

  [cyan]steno show agent.db[/cyan]                      a store with one session
  [cyan]steno show agent.db research-42 --all[/cyan]    one of several, each item listed
  [cyan]steno show session.jsonl --window 32k[/cyan]    a transcript, now and compacted
"""
OPEN = """\
Open what was said at a place, word for word, whatever the model sees of it now.

PLACE is a position (17), a range with both ends (17-42) or a block of a message (17.2).

[bold]Examples[/bold]

  [cyan]steno open agent.db 17-42[/cyan]                     to read
  [cyan]steno open session.jsonl 17 --json[/cyan]            the provider's JSON
  [cyan]steno open agent.db 23.0 --raw > result.txt[/cyan]   a result to the letter
"""
LOG = """\
List what was said and committed, in order; for a store of several sessions, the sessions.

A commit says why it came, from how many tokens to how many, and what its edits cover. Nothing is ever deleted: an \
undo is a commit too.

[bold]Examples[/bold]

  [cyan]steno log agent.db[/cyan]                         its sessions, if several
  [cyan]steno log agent.db --session research-42[/cyan]   the commits of one
  [cyan]steno log session.jsonl | grep ✗[/cyan]           every failed call in a file
"""
REPLAY = """\
Live through sessions again under each policy: what would it have kept of what was used later, and what cost?

Before each reply the policy says what it would send. Whatever the reply used again of what had been said long \
before was then still to be seen, one recall away, or lost. What is sent is billed as a prompt cache does it. No \
model is asked and no key is needed. A policy is one of Steno's (default, truncate), one of a written design \
(agent-controlled, researcher, tiers, lab, supervisor, deep), one that everybody has (none, \
sliding, masking, ratio), the summary of a written design (snippets, entries), or clairvoyant, which has read the end.

[bold]Examples[/bold]

  [cyan]steno replay session.jsonl --window 32k[/cyan]              sliding, masking and ours
  [cyan]steno replay *.jsonl -p none,default --html out.html[/cyan] as a page to look through
  [cyan]steno replay agent.db -m claude-sonnet-4-5 --json[/cyan]    in dollars, for a machine
"""
PRICE = """\
Say what a session cost, what it would have cost, and whether compacting it now pays.

As the provider reported it, where the transcript kept that; with and without a prompt cache; under a sliding \
window and under Steno. Then the arithmetic of a compaction now: what it saves in each turn to come, against what it \
costs to write the cache anew. After a pause (--idle) longer than the provider keeps its cache, that is due anyway.

[bold]Examples[/bold]

  [cyan]steno price session.jsonl --model claude-sonnet-4-5[/cyan]   in the model's own window
  [cyan]steno price agent.db -m gpt-5 --window 64k --turns 200[/cyan]
  [cyan]steno price session.jsonl -m claude-sonnet-4-5 --idle 10[/cyan]  after a pause
"""
CHECK = """\
List the rules that a person laid down and the loops still open, and whether the model still sees each word for word.

They are read from what was said, without a model; what a tool says never counts. With --window of what a compaction \
would leave. For each commit, what became of the facts of what it covers. Exit code 1 if a rule is not seen.

[bold]Examples[/bold]

  [cyan]steno check agent.db[/cyan]                     as it stands
  [cyan]steno check session.jsonl --window 32k[/cyan]   after a compaction to 32,000 tokens
"""
UNDO = """\
Take the newest commit of a session down: what it covered is seen again.

Nothing is deleted. The undo is a commit of its own, and the one before it is the next that can be undone.

[bold]Examples[/bold]

  [cyan]steno undo agent.db[/cyan]                         of the only session
  [cyan]steno undo agent.db --session research-42[/cyan]   of one of several
"""
FORK = """\
Begin a session as another's log up to a position, without copying it.

Neither side changes the other. The fork shows what the session showed then.

[bold]Examples[/bold]

  [cyan]steno fork agent.db --at 120[/cyan]                  named by itself
  [cyan]steno fork agent.db --at 120 --name what-if[/cyan]   named by you
"""
EXPORT = """\
Write a session as JSONL: each message in its provider's own words, one a line.

Everything that was said; with --view what the model sees instead; with --with-commits an archive, from which \
steno import brings the session back exactly: messages, commits and limits.

[bold]Examples[/bold]

  [cyan]steno export agent.db > all.jsonl[/cyan]                     every message
  [cyan]steno export agent.db --view -o now.jsonl[/cyan]             what the model sees
  [cyan]steno export agent.db --with-commits -o agent.steno[/cyan]   an archive
"""
IMPORT = """\
Keep a transcript, or an archive, as a session of a store; the store is made if it is not there.

A file of several conversations becomes several sessions.

[bold]Examples[/bold]

  [cyan]steno import session.jsonl agent.db --window 200k[/cyan]   a transcript
  [cyan]steno import agent.steno other.db --name restored[/cyan]   an archive
"""
RECALL = """\
Find what was said, in a transcript, a session, or all sessions of a store.

By words (stems, parts of names, Chinese), by names and "quotes" word for word, and by meaning where a model is \
given; the ways go together. Each hit says where it can be opened. Filters narrow it; with '' as the query they list.

[bold]Examples[/bold]

  [cyan]steno recall session.jsonl "slow query"[/cyan]                 in a transcript
  [cyan]steno recall agent.db "why SQLite" --kind decision[/cyan]      in all sessions
  [cyan]steno recall agent.db -E "ERR-[0-9]+" --tool bash[/cyan]       a regular expression
  [cyan]steno recall agent.db "" --path src/auth.py[/cyan]             whatever touched a file
"""
FORGET = """\
Remove a session from a store for good: messages, commits, index and vectors.

The one way out of append-only. Nothing of it is left in the file's bytes; what stays is that a session was \
forgotten, when, and how large it was. A session that others were forked from stays until they are forgotten.

[bold]Examples[/bold]

  [cyan]steno forget agent.db research-42 --yes[/cyan]   no question is asked, so say --yes
"""
