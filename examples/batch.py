"""What fills each transcript of a folder, and what compacting would leave of it.

python batch.py ~/.claude/projects/my-project --window 32000
"""

import argparse
from pathlib import Path

import steno
from steno.transcripts import Entry, open_transcript


def main(folder: Path, window: int) -> None:
    for path in sorted(folder.glob("*.jsonl*")):
        transcript = open_transcript(path, past="include")
        messages = [piece.message for piece in transcript if isinstance(piece, Entry)]
        result = steno.compact(messages, window=window, wire=transcript.format.wire, force=True)
        commit = result.commit
        before = result.load if commit is None else commit.before
        print(f"{path.name}: {len(messages)} messages, {before:,} tokens → {result.load:,}")
        for constraint in result.session.constraints():
            print(f"  constraint: {constraint.text}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--window", type=int, default=32_000)
    options = parser.parse_args()
    main(options.folder, options.window)
