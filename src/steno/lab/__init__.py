"""What would a policy have kept of what the agent later used, and at what price?

    told = Tale("session", messages)
    setting = Setting(window=32_000)
    score = replayed(told, "sliding", player("sliding", told, setting), setting)

`tale` holds a session and what its replies used, `policies` names what may be
compared, `judge` says what of it was still to be seen, `run` lives through it
and `bill` says what that would have cost; `told` is all of it in plain values.
Reading files and drawing pages is the service's.
"""
