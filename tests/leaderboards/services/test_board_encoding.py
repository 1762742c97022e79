"""Which boards may be compact: the others are refused, with what would work."""

from typing import Any

import pytest

from leaderboards.errors import BadBoard
from leaderboards.models import Board
from leaderboards.services.boards import save_board
from tests.leaderboards.services.site import NOON

pytestmark = pytest.mark.django_db

WIDE = [{"name": name, "bits": 20, "order": "desc"} for name in ("wins", "goals", "kills")]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"storage": "redis"}, "numbers of players that SQL gives out"),
        ({"storage": "sql"}, "numbers of players that SQL gives out"),
        ({"storage": "redis", "ties": "first_come"}, "numbers of players that SQL gives out"),
        ({"period": "event"}, "competitions"),
        ({"period": "event", "ties": "first_come"}, "competitions"),
        ({"ties": "first_come"}, "keeps no time in the member"),
        (
            {"ties": "first_come", "period": "year", "tie_break": "score"},
            "no time in the member: set `encoding` to `plain`",
        ),
        (
            {"tie_break": "member", "ties": "last_come", "total_maximum": 1000},
            "keeps no time in the member: set `tie_break` to `score`",
        ),
        ({"ties": "first_come", "criteria": WIDE}, "lower the `max` of the criteria"),
        ({"ties": "dense", "criteria": WIDE[:2]}, "16,384 different values.*lower the `max` of the criteria"),
        ({"period": "all_time", "ties": "first_come", "tie_break": "score"}, "all-time board has no end"),
        ({"ties": "dense"}, "at most 16,384 different values"),
    ],
    ids=str,
)
def test_what_cannot_be_compact_is_refused_with_what_would_work(settings: dict[str, Any], reason: str) -> None:
    wanted = {"storage": "hybrid", "period": "week", "ties": "shared", "encoding": "compact", **settings}

    with pytest.raises(BadBoard, match=reason) as refusal:
        save_board(Board(name="No", **wanted), NOON)

    assert refusal.value.field == "encoding"
