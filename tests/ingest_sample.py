"""A process that ingests the sample in small commits, to be killed by a test: DB SPACE_ID."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import json

from tests.conftest import SAMPLE, _message
from trajwiki import Memory, Settings

if __name__ == "__main__":
    messages = [_message(json.loads(line)) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    with Memory.open(sys.argv[1], settings=Settings()) as memory:
        space = memory.create_space("sample", id=sys.argv[2])
        for start in range(0, len(messages), 20):
            space.add(messages[start : start + 20])
        space.flush()
