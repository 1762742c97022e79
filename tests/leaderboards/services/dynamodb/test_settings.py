"""Settings and actions that DynamoDB cannot do: each is refused with what to do instead."""

import sys
from typing import Any

import pytest

from competitions.admin.leagues import LeagueForm
from leaderboards.errors import BadBoard, BadPurge, NotEditable
from leaderboards.models import Board, Player
from leaderboards.selectors.moderation.purges import PurgeRange
from leaderboards.selectors.previews.erasure import preview_erasure
from leaderboards.selectors.previews.exclusion import preview_exclusion
from leaderboards.services.boards import save_board
from leaderboards.services.moderation.purge import refuse_bad_range
from leaderboards.services.moderation.set_standing import refuse_if_not_settable
from tests.leaderboards.services.site import DAY, NOON, crowd, make_board


@pytest.mark.parametrize(
    ("setting", "field", "told"),
    [
        ({"ties": "dense"}, "ties", "does not count distinct scores: choose the ties `shared`"),
        ({"period": "event"}, "storage", "Competitions need a board in SQL or Redis"),
        ({"submissions_per_minute": 5}, "storage", "keeps no submissions that limits of plausibility"),
        ({"plausible_most": 5}, "storage", "leave these limits out"),
    ],
)
def test_what_it_cannot_do_is_refused_with_what_to_do(setting: dict[str, Any], field: str, told: str) -> None:
    board = Board(name="There", storage="dynamodb", **setting)

    with pytest.raises(BadBoard, match=told) as refusal:
        save_board(board)

    assert refusal.value.field == field
    assert not Board.objects.exists()
    board.storage = "hybrid"
    save_board(board)


def test_without_boto3_it_is_no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)

    with pytest.raises(BadBoard, match=r"install sunwi\[dynamodb\]"):
        save_board(Board(name="There", storage="dynamodb"))


def test_a_league_is_refused() -> None:
    board = make_board("dynamodb")
    form = LeagueForm({"board": board.seq, "enabled": "on", "group_size": 30, "promoted": 5, "demoted": 5})

    assert "DynamoDB does not rank a group of players" in str(form.errors["board"])


def test_what_needs_submissions_or_a_set_standing_is_refused() -> None:
    period = crowd(make_board("dynamodb"), {"a": 9})

    with pytest.raises(NotEditable, match="A standing in DynamoDB is not set"):
        refuse_if_not_settable(period)
    with pytest.raises(BadPurge, match="keeps no submissions"):
        refuse_bad_range(PurgeRange(board=period.board_id, from_at=NOON - DAY, until_at=NOON), NOON)


def test_previews_do_not_claim_to_have_counted_what_is_there() -> None:
    crowd(make_board("dynamodb"), {"a": 9})
    player = Player.objects.get()

    erasure, exclusion = preview_erasure(player), preview_exclusion([player.pk])

    assert (erasure.standings, erasure.moves) == (1, None)
    assert (exclusion.standings, exclusion.moved.is_exact) == (0, False)
