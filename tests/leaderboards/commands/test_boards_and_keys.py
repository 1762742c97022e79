"""The commands that set a site up: boards from a file, service keys, and which period is when."""

import json
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from foundation import service_keys
from foundation.limits import Limit
from leaderboards.models import Board
from tests.leaderboards.commands.calls import Printed, run

pytestmark = pytest.mark.django_db(transaction=True)


def apply(folder: Path, text: str) -> Printed:
    file = folder / "boards.json"
    file.write_text(text)
    return run("apply_boards", file)


def make_board(folder: Path, **settings: object) -> int:
    board = {"name": "Weekly", "storage": "sql", **settings}
    return int(apply(folder, json.dumps({"boards": [board]})).json["boards"]["Weekly"])


def test_boards_are_made_and_then_updated_by_name(tmp_path: Path) -> None:
    made = apply(tmp_path, '{"boards": [{"name": "Weekly"}, {"name": "Golf", "order": "asc"}]}').json

    updated = apply(tmp_path, '{"boards": [{"name": "Weekly", "maximum": 100}]}').json

    assert made["boards"].keys() == {"Weekly", "Golf"}
    assert updated == {"boards": {"Weekly": made["boards"]["Weekly"]}}
    assert Board.objects.get(name="Weekly").maximum == 100


def test_decimals_in_the_file_are_exact(tmp_path: Path) -> None:
    text = '{"boards": [{"name": "Exact", "decimals": 6, "maximum": 2147483.300001, "total_maximum": 4147483.300003}]}'

    apply(tmp_path, text)

    board = Board.objects.get(name="Exact")
    assert (str(board.maximum), str(board.total_maximum)) == ("2147483.300001", "4147483.300003")


def test_one_bad_board_leaves_all_of_them_unmade(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"Bad: .*is no time zone"):
        apply(tmp_path, '{"boards": [{"name": "Good"}, {"name": "Bad", "timezone": "Mars/Olympus"}]}')

    assert not Board.objects.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "must hold one object"),
        ('{"boards": [3]}', "must hold one object"),
        ('{"boards": [], "extra": 1}', "must hold one object"),
        ('{"boards": [{"name": "A", "maximum": NaN}]}', "The file is not JSON: NaN"),
        ('{"boards": [{"name": "A", "colour": "red"}]}', "no setting 'colour'"),
        ('{"boards": [{"period": "week"}]}', "needs a name"),
    ],
)
def test_a_file_that_is_not_what_was_meant_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(CommandError, match=said):
        apply(tmp_path, text)


def test_a_key_is_printed_alone_and_opens_what_it_was_made_for(tmp_path: Path) -> None:
    seq = make_board(tmp_path)

    key = run("create_service_key", "game", "--scope", "scores:write", "--scope", "boards:read", "--board", seq).out

    assert key.count("\n") == 1
    found = service_keys.authenticate(f"Bearer {key.strip()}")
    assert (found.name, found.scopes, found.boards) == ("game", ["scores:write", "boards:read"], [seq])


def test_a_key_may_have_a_limit_of_its_own() -> None:
    key = run("create_service_key", "game", "--scope", "likes:write", "--limit", "100/10").out

    assert service_keys.authenticate(f"Bearer {key.strip()}").limit == Limit(100, 10)


def test_a_limit_that_is_none_is_refused() -> None:
    with pytest.raises(CommandError, match="reads like 100/10"):
        run("create_service_key", "game", "--scope", "likes:write", "--limit", "many")


def test_a_key_without_boards_reaches_all_of_them() -> None:
    key = run("create_service_key", "game", "--scope", "scores:write").out

    assert service_keys.authenticate(f"Bearer {key.strip()}").boards is None


def test_a_key_for_an_unknown_scope_or_board_is_not_made() -> None:
    with pytest.raises(CommandError, match="got scores:read"):
        run("create_service_key", "game", "--scope", "scores:read")
    with pytest.raises(CommandError, match="no board 77"):
        run("create_service_key", "game", "--scope", "scores:write", "--board", "77")


def test_periods_of_a_week_that_turns_on_sunday_evening_in_seoul(tmp_path: Path) -> None:
    seq = make_board(tmp_path, timezone="Asia/Seoul", week_start="sunday", cutoff="18:00")

    printed = run("periods", "--board", seq, "--at", "2026-11-22T08:59:59Z", "--next", 2).json

    assert printed == {
        "period": {"label": "2026-46", "starts_at": "2026-11-15T09:00:00Z", "ends_at": "2026-11-22T09:00:00Z"},
        "next": [
            {"label": "2026-47", "starts_at": "2026-11-22T09:00:00Z", "ends_at": "2026-11-29T09:00:00Z"},
            {"label": "2026-48", "starts_at": "2026-11-29T09:00:00Z", "ends_at": "2026-12-06T09:00:00Z"},
        ],
    }


def test_all_time_has_one_period_and_none_after_it(tmp_path: Path) -> None:
    seq = make_board(tmp_path, period="all_time")

    printed = run("periods", "--board", seq, "--at", "2026-11-22T08:59:59Z").json

    assert printed == {"period": {"label": "all", "starts_at": None, "ends_at": None}, "next": []}


def test_a_time_without_an_offset_and_a_board_of_competitions_are_refused(tmp_path: Path) -> None:
    seq = make_board(tmp_path)
    with pytest.raises(CommandError, match="RFC 3339"):
        run("periods", "--board", seq, "--at", "2026-11-22 08:00")

    apply(tmp_path, '{"boards": [{"name": "Cup", "period": "event"}]}')
    with pytest.raises(CommandError, match="competitions"):
        run("periods", "--board", Board.objects.get(name="Cup").seq)
