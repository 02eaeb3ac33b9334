"""What would a policy have kept of what the agent later used, and at what price?

    told = Tale.of("session", messages)
    score = replayed(told, "sliding", Setting(window=32_000))

`tale` holds a session and what its replies used, `players` are the policies
that may be compared, `judge` says what of it was still to be seen, `billing`
what it would have cost. Reading files and drawing pages is the service's.
"""
