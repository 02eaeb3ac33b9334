"""Replay recorded sessions under policies: what would each have kept, and at what price?

    recorded = RecordedSession("session", messages)
    setting = ReplaySetting(window=32_000)
    policy = start_policy("sliding", recorded, setting)
    score = replay_session(recorded, "sliding", policy, setting)

`recorded` holds a session and what its replies used, `policies` names what can be
compared, `run` replays, `judge` decides what was still visible, `bill` counts the cost,
`price` the bills of a session, and `as_json` gives all of it as plain values. `probe`
asks questions of a view, `handover` a reader who has nothing else. Reading files and
drawing pages is the command line's part.
"""
