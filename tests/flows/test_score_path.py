"""One score of a hybrid board through the API: which of our files it enters, and how often."""

import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from django.conf import settings

from tests.leaderboards.api.conftest import with_key
from tests.leaderboards.factories import BoardFactory

ROOT = str(settings.BASE_DIR) + "/"


class Trace:
    def __init__(self):
        self.calls = []
        self.visits = []

    def _file(self, frame):
        name = frame.f_code.co_filename
        if not name.startswith(ROOT): return None
        name = name[len(ROOT):]
        return None if name.startswith(("tests/", ".venv")) else name

    def __call__(self, frame, event, arg):
        if event == "call":
            f = self._file(frame)
            if f is None: return
            back = frame.f_back
            while back is not None and self._file(back) is None: back = back.f_back
            caller = self._file(back) if back else None
            if caller != f:
                self.calls.append((caller, f, frame.f_code.co_qualname, back.f_code.co_qualname if back else None))
            if not self.visits or self.visits[-1] != f: self.visits.append(f)
        elif event == "return":
            f = self._file(frame)
            if f is None: return
            back = frame.f_back
            while back is not None and self._file(back) is None: back = back.f_back
            caller = self._file(back) if back else None
            if caller and self.visits[-1] != caller: self.visits.append(caller)


@pytest.mark.django_db(transaction=True)
def test_path():
    board = BoardFactory.create(storage="hybrid")
    caller = with_key("scores:write")
    for n in (1, 2):
        caller.submit({"board": board.seq, "player": "alice", "points": n, "id": f"a{n}"})
    t = Trace()
    sys.setprofile(t)
    try:
        answer = caller.submit({"board": board.seq, "player": "alice", "points": 3, "id": "a3"})
    finally:
        sys.setprofile(None)
    print(answer)
    for c in t.calls: print(*c)
    print("FILES", len({c[1] for c in t.calls}), len(set(t.visits)))
    for f, n in Counter(c[1] for c in t.calls).most_common(): print(n, Counter(t.visits)[f], f)
