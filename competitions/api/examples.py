"""Examples and errors of the competition operations, for the OpenAPI document.

Examples carry a competition that really exists here, if there is one.
"""

from typing import Any

from django.db import Error as SqlError

from competitions.api.bodies import LONGEST_CODE
from competitions.core.names import LONGEST
from competitions.selectors.competitions import competitions_listed
from competitions.selectors.leagues import example_board
from competitions.selectors.series.series import series_known
from foundation import clock
from leaderboards.api.openapi.document import BODY, READING, OperationDoc, body
from leaderboards.api.openapi.examples import CSV, CURSORS, MOMENT, ROW, view_of
from leaderboards.api.openapi.parameters import NUMBER, SEEN

# Of refusals, beside those of every part of the API.
CODES = (
    *("unknown_competition", "unknown_series", "unknown_team", "unknown_division", "unknown_revision", "no_teams"),
    *("no_league", "not_in_league", "not_final", "not_joined", "not_open", "already_joined", "joining_over"),
    *("competition_over", "competition_full", "not_invited", "wrong_code", "wrong_team_code", "team_full"),
    *("teams_fixed", "division_fixed", "groups_final", "name_taken", "bad_name", "disqualified", "banned"),
)
_CODE = {
    "title": "JoiningBody",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "code": {"type": "string", "maxLength": LONGEST_CODE, "description": "Where one joins by code."},
        "division": {"type": ["integer", "null"], **NUMBER, "description": "One of the competition's divisions."},
        "team": {"type": ["integer", "null"], **NUMBER, "description": "One of its teams."},
        "team_code": {
            "type": "string",
            "maxLength": LONGEST_CODE,
            "description": "Where a founded team needs its code.",
        },
    },
}
_TEAM = {
    "title": "TeamChoiceBody",
    "type": "object",
    "additionalProperties": False,
    "required": ["team"],
    "properties": {
        "team": {"type": ["integer", "null"], **NUMBER, "description": "A team's number; null leaves it."},
        "team_code": {
            "type": "string",
            "maxLength": LONGEST_CODE,
            "description": "Where a founded team needs its code.",
        },
    },
}
_NAME = {
    "title": "TeamNameBody",
    "type": "object",
    "additionalProperties": False,
    "required": ["name"],
    "properties": {"name": {"type": "string", "minLength": 1, "maxLength": LONGEST, "pattern": SEEN}},
}
_TEAMS_CSV = {
    "description": "A line for each team, best first: rank, team, name, points or a column for each criterion, "
    "members, counted, tied.",
    "content": CSV["content"],
}
_SERIES_CSV = {
    "description": "A line for each player, best first: rank, player, name, points (the total), achieved_at (empty), "
    "tied, and place, points and counts of each competition, by its number: place_7, points_7, counts_7.",
    "content": CSV["content"],
}
_PERIOD = {
    "label": "c7", "starts_at": "2026-11-20T00:00:00Z", "ends_at": "2026-11-22T00:00:00Z", "state": "open",
}  # fmt: skip  # as a table
_SAID = {
    "total": 1,
    "rows": [
        {"id": 5, "player": "alice", "text": "Well done.", "created_at": "2026-11-20T09:00:00Z", "likes": 12},
    ],
}
_RULES = {
    "board": 1, "tiers": ["Bronze", "Silver", "Gold"], "group_size": 30, "promoted": 5, "demoted": 5,
}  # fmt: skip  # as a table
_GROUP = {
    **_RULES,
    "period": {
        "label": "2026-47", "starts_at": "2026-11-16T00:00:00Z", "ends_at": "2026-11-23T00:00:00Z", "state": "open",
    },
    "tier": 3, "tier_name": "Gold", "turned_at": None, **MOMENT, "group": 12, "place": 1, "outcome": "stayed",
    "rows": [{**ROW, "place": 1, "sharing": 1, "outcome": "stayed"}],
}  # fmt: skip  # as a table


_SERIES = {"id": 3, "name": "Summer series", "board": 9, "events": 5, "counted": 2}
_TOTALS = {
    "series": 3, "board": 9, "total": 54, "counting": False, **MOMENT, **CURSORS,
    "rows": [
        {
            "rank": 1, "player": "alice", "name": "Alice", "points": 43, "tied": 1,
            "results": [
                {"competition": 7, "place": 1, "points": 25, "counts": True},
                {"competition": 8, "place": 2, "points": 18, "counts": True},
            ],
        },
    ],
}  # fmt: skip  # as a table


def competition_operation_docs() -> dict[str, OperationDoc]:
    """Return the documentation by operation name."""
    (number, board), league = _real(), _real_league()
    one: dict[str, str | int] = {"competition": number}
    alice = one | {"player": "alice"}
    series = _real_series()
    page = _page(number, board)
    return {
        "list_competitions": OperationDoc(refusals=(401,), query="?state=running", answer=_listed(number, board)),
        "read_competition": OperationDoc(path=one),
        "read_competition_standings": OperationDoc(path=one, query="?offset=0&limit=10", answer=page | CURSORS),
        "read_competition_view": OperationDoc(path=one, query="?player=alice&limit=10", answer=_view(page)),
        "export_competition": OperationDoc(path=one, raw_response=CSV, headers=("As-Of", "Live")),
        "read_result": OperationDoc(path=one, query="?revision=1", headers=("As-Of", "Content-Hash", "Link")),
        "read_revisions": OperationDoc(path=one),
        "read_rewards": OperationDoc(path=one, query="?offset=0&limit=10"),
        "read_participant": OperationDoc(path=alice),
        "read_around_participant": OperationDoc(path=alice, query="?radius=4", answer=page | CURSORS),
        "read_history": OperationDoc(path=alice),
        "list_series": OperationDoc(
            refusals=(401,), query="?offset=0&limit=100", answer={"total": 1, "rows": [_SERIES]}
        ),
        "read_series": OperationDoc(path={"series": series}),
        "read_series_standings": OperationDoc(path={"series": series}, query="?offset=0&limit=10", answer=_TOTALS),
        "export_series": OperationDoc(path={"series": series}, raw_response=_SERIES_CSV, headers=("As-Of", "Counting")),
        "read_comments": OperationDoc(path=one, query="?order=newest&offset=0&limit=20", answer=_SAID),
        "join_competition": OperationDoc(
            refusals=(*BODY, 401, 403, 404, 409),
            path=alice,
            body=body(_CODE, {"code": "FRIENDS"}, required=False),
            answer={
                "competition": number,
                "player": "alice",
                "joined_at": "2026-11-20T09:00:00Z",
                "team": None,
                "division": None,
            },
        ),
        "read_teams": OperationDoc(path=one, query="?offset=0&limit=10", answer=_teams(number)),
        "export_teams": OperationDoc(path=one, raw_response=_TEAMS_CSV, headers=("As-Of",)),
        "read_team": OperationDoc(path=one | {"team": 3}),
        "make_team_of_competition": OperationDoc(
            refusals=(*BODY, 401, 403, 404, 409), path=one, body=body(_NAME, {"name": "The Owls"})
        ),
        "change_team": OperationDoc(refusals=(*BODY, 401, 403, 404, 409), path=alice, body=body(_TEAM, {"team": None})),
        "read_league": OperationDoc(path={"seq": league}, answer=_RULES),
        "read_league_of_player": OperationDoc(
            path={"seq": league, "player": "alice"}, query="?period=current", answer=_GROUP
        ),
        "leave_competition": OperationDoc(refusals=(*READING, 409), path=alice),
    }


def _real() -> tuple[int, int]:
    """Return the numbers of a competition and its board."""
    try:
        listed = competitions_listed(clock.now())
    except SqlError:
        listed = []
    return (listed[0].competition.pk, listed[0].competition.board_id) if listed else (7, 5)


def _real_series() -> int:
    """Return the number of a series."""
    try:
        known = series_known()
    except SqlError:
        known = []
    return known[0].pk if known else 3


def _real_league() -> int:
    """Return the number of a board with a league."""
    try:
        return example_board() or 1
    except SqlError:
        return 1


def _listed(number: int, board: int) -> dict[str, Any]:
    row = {"id": number, "name": "Weekend tournament", "state": "running", "board": board, "participants": 57}
    return {"total": 1, "rows": [row | {name: _PERIOD[name] for name in ("starts_at", "ends_at")}]}


def _teams(number: int) -> dict[str, Any]:
    row = {"rank": 1, "team": 3, "name": "The Owls", "points": 450, "tied": 1, "members": 4, "counted": 3}
    return {"competition": number, "total": 12, "ranked": 11, "as_of": MOMENT["as_of"], "rows": [row]}


def _page(number: int, board: int) -> dict[str, Any]:
    period = _PERIOD | {"label": f"c{number}"}
    head = {"competition": number, "board": board, "period": period, **MOMENT}
    return {**head, "total": 54, "not_started": 3, "rows": [ROW]}


def _view(page: dict[str, Any]) -> dict[str, Any]:
    shown = view_of(page)
    return {**shown, "me": shown["me"] | {"status": "ranked"}, "named": None}
