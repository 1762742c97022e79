"""The path of one score of a hybrid board through the API: how many of our files it enters, and how often.

The aim of the design is at most 25 files, none entered more than three times. It is met by the submit path itself
(``leaderboards/api`` and ``leaderboards/services/submit``), not by the whole: the numbers below are what is reached.
Lower them when the path becomes shorter; raising one needs a reason.
"""

import sys
from collections import Counter
from types import FrameType

import pytest
from django.conf import settings

from leaderboards.models import Board, Storage
from tests.leaderboards.api.conftest import Caller, with_key
from tests.leaderboards.factories import BoardFactory
from tests.raw import ONE_SERVER

MAX_ENTRIES = 3  # into one file
FILES = 73  # from the edge to the commit and back, of all apps; one gives the request its id, one counts (0106), one
# spells what servers of all kinds are sent (0105), and two name the table of the period's standings (0118)
FILES_OF_LEADERBOARDS = 46  # calendars stand apart from periods since there are schedules; two are of 0118
FILES_OF_THE_SUBMIT_PATH = 16  # leaderboards/api and leaderboards/services/submit
FILES_ENTERED_MORE_OFTEN = 14  # than MAX_ENTRIES; one of them counts (0106), a period is asked for its families (0108)
FILES_VISITED_MORE_OFTEN = 40  # than MAX_ENTRIES, where coming back from another file is a visit too; two count (0106),
# two are asked for families (0108), and one names tables (0118)
SUBMIT_PATH = ("leaderboards/api/", "leaderboards/services/submit/")
ROOT = f"{settings.BASE_DIR}/"


class Trace:
    """Profiles one thread. ``entries`` counts calls from one of our files into another, by the file that is called.

    ``visits`` also counts each return into a file that another one was called from.
    """

    def __init__(self) -> None:
        self.entries, self.visits = Counter[str](), Counter[str]()
        self._current: str | None = None

    def __call__(self, frame: FrameType, event: str, _value: object) -> None:
        if event not in ("call", "return") or (file := _file_of(frame)) is None:
            return
        caller = _calling_file(frame)
        if event == "call":
            self.entries[file] += caller != file
            self._visit(file)
        elif caller is not None:
            self._visit(caller)

    def _visit(self, file: str) -> None:
        self.visits[file] += file != self._current
        self._current = file

    def report(self) -> str:
        """The files with their entries and visits, the most entered first."""
        return "\n".join(f"{count:3} {self.visits[file]:3} {file}" for file, count in self.entries.most_common())


def _file_of(frame: FrameType) -> str | None:
    """The file by its path in the repository; None for tests and for libraries, wherever the environment stands."""
    path = frame.f_code.co_filename
    name = path.removeprefix(ROOT)
    return None if name == path or name.startswith("tests/") or "/site-packages/" in name else name


def _calling_file(frame: FrameType) -> str | None:
    caller = frame.f_back
    while caller is not None and _file_of(caller) is None:
        caller = caller.f_back
    return _file_of(caller) if caller is not None else None


@pytest.fixture
def trace(transactional_db: None) -> Trace:
    """The trace of a score with an id, of a player who has scored before, in a warm process.

    The shortest of three: on a slow machine what the process remembers may have expired in between.
    """
    board = BoardFactory.create(storage=Storage.HYBRID)
    game = with_key("scores:write")
    for points in (1, 2):
        game.submit({"board": board.seq, "player": "alice", "points": points, "id": f"score {points}"})
    return min((_traced(game, board, points) for points in (3, 4, 5)), key=lambda trace: len(trace.entries))


def _traced(game: Caller, board: Board, points: int) -> Trace:
    trace = Trace()
    sys.setprofile(trace)
    try:
        answer = game.submit({"board": board.seq, "player": "alice", "points": points, "id": f"score {points}"})
    finally:
        sys.setprofile(None)
    assert [(each["status"], each["points"]) for each in answer["results"]] == [("updated", points)]
    return trace


@ONE_SERVER
def test_a_score_enters_few_files(trace: Trace) -> None:
    of_leaderboards = [file for file in trace.entries if file.startswith("leaderboards/")]
    of_the_path = [file for file in trace.entries if file.startswith(SUBMIT_PATH)]

    assert len(trace.entries) <= FILES, trace.report()
    assert len(of_leaderboards) <= FILES_OF_LEADERBOARDS, trace.report()
    assert len(of_the_path) <= FILES_OF_THE_SUBMIT_PATH, trace.report()


@ONE_SERVER
def test_no_file_of_the_submit_path_is_entered_more_than_three_times(trace: Trace) -> None:
    often = {file: count for file, count in trace.entries.items() if count > MAX_ENTRIES}

    assert not [file for file in often if file.startswith(SUBMIT_PATH)], trace.report()
    assert len(often) <= FILES_ENTERED_MORE_OFTEN, trace.report()
    assert sum(count > MAX_ENTRIES for count in trace.visits.values()) <= FILES_VISITED_MORE_OFTEN, trace.report()
