"""The whole idea on one screen: log → view → edit → commit. Needs no key.

A *log* holds every message as it was said; it only grows. A *view* is what the model sees of it.
An *edit* shows a span of the log in other words, and a *commit* is a set of edits that took effect
together. Compacting adds a commit; it never changes a message.
"""

import steno

with steno.Session(wire="openai", window=2_000) as session:
    session.add({"role": "user", "content": "Find the slow query. Never touch production."})
    for page in range(40):
        words = f"Page {page} of the slow log: 12 full scans of table orders. " * 5
        session.add({"role": "assistant", "content": words})
        session.add({"role": "user", "content": "Go on."})

    # The log holds everything; what a model is sent stays within the window.
    log, messages = session.log, session.messages()
    print(f"log: {len(session.log.messages)} messages; a request: {len(messages)}")

    # The view is a list of items: each shows a message as it was said, or stands for a span.
    for item in list(session.view.items)[:4]:
        shown = item.shows[0].text.splitlines()[-1] if item.shows else "(hidden)"
        print(f"view: {item.span} {'edited' if item.is_edited else 'as said'}: {shown[:50]}")

    # A commit says why, what it edited, and what that saved.
    commit = session.log.commits[-1]
    print(f"commit {commit.number} ({commit.why}): {commit.before:,} → {commit.after:,} tokens")
    print("edits:", ", ".join(f"{edit.by} {edit.place}" for edit in commit.edits[:3]))

    # Nothing is lost: a place opens word for word, and constraints survive every compaction.
    print("open 3:", session.open(3)["content"][:44])
    print("constraint:", session.constraints()[0].text)

    # An undo is a commit too: the view shows again what the last one covered.
    session.undo()
    print("after undo:", len(session.view.items), "items; commits:", len(session.log.commits))
