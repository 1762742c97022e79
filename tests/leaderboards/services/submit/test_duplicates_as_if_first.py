"""Ids are told by the action as if each had been looked up first: the order of before, all ahead, is the oracle."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from unittest.mock import patch

import pytest

from leaderboards.core.submissions import Outcome
from leaderboards.models import Board, Period, PeriodState, Player, QuarantinedEntry, Standing, Storage, Submission
from leaderboards.services.moderation.ban import ban
from leaderboards.services.periods.close import close_period
from leaderboards.services.submit import resolve
from tests.leaderboards.services.contest import told
from tests.leaderboards.services.sending import HOUR, SECOND, STORAGES, TURN, Raw, send
from tests.leaderboards.services.site import NOON, follow, make_board

pytestmark = pytest.mark.contract


@contextmanager
def all_ahead() -> Iterator[None]:
    """The order of before: every id is looked up before anything is refused, opened or judged."""

    with patch.object(resolve, "_items_in_open_periods", return_value={}):
        yield


class TestLikeTheOrderOfBefore:
    """Two boards are sent the same; ids of the one are all looked up ahead."""

    @STORAGES
    @pytest.mark.parametrize("seed", [0, 1, 2, 4])
    def test_what_is_told_and_what_is_left_are_the_same(self, storage: str, seed: int) -> None:
        chance = random.Random(seed)
        update = ("increment", "best", "latest")[seed % 3]
        rules: dict[str, Any] = {"update": update, "minimum": 0, "maximum": 100, "total_maximum": 150, "decimals": 0}
        limits: dict[str, Any] = {"plausible_most": 60} if seed % 2 else {}
        boards = {tag: make_board(storage, name=f"Board {tag}", **rules, **limits) for tag in ("new", "old")}
        history, met = list[Raw](), set[str]()

        for at in (NOON, TURN - SECOND, TURN + 5 * SECOND, TURN + 40 * SECOND, TURN + 2 * HOUR, TURN + 30 * HOUR):
            if at == TURN + 2 * HOUR:
                for tag, board in boards.items():
                    assert close_period(board.periods.select_related("board").get(starts_at__lt=NOON), at).final
                    player, _ = Player.objects.get_or_create(external_id=f"{tag} b", defaults={"created_at": at})
                    ban([player.pk], "Cheats.", at, None)
            for _ in range(4):
                raw = [drawn(chance, history, at) for _ in range(chance.randint(1, 5))]
                options = {
                    "trusted": chance.random() < 0.2,
                    "dry_run": chance.random() < 0.1,
                    "ranks": chance.random() < 0.5,
                }
                new = send(boards["new"], *named(raw, "new"), at=at, **options)
                with all_ahead():
                    old = send(boards["old"], *named(raw, "old"), at=at, **options)
                assert shown(new, "new", boards["new"]) == shown(old, "old", boards["old"])
                met.update(told(new))

        assert {"updated", "duplicate", "id_reused", "out_of_range", "period_closed", "banned"} <= met
        assert left_by("new", boards["new"]) == left_by("old", boards["old"])


def drawn(chance: random.Random, history: list[Raw], at: datetime) -> Raw:
    """A new entry, one without an id, one that was sent before, or other content under its id."""
    kind = chance.choices(("new", "none", "again", "other"), (8, 3, 6, 3))[0]
    player = f"p{chance.randrange(1000)}" if chance.random() < 0.15 else chance.choice("abc")
    raw: Raw = {"player": player, "points": chance.choice((1, 2, 3, 40, 70, 0, -1, 101, "1.5"))}
    moment = chance.choices(
        (None, TURN - SECOND, at - 2 * SECOND, at + 10 * SECOND, datetime.fromisoformat("1970-01-01T00:00:00+00:00")),
        (12, 4, 3, 1, 1),
    )[0]
    if moment is not None:
        raw["at"] = moment.isoformat()
    if kind == "new" or (kind != "none" and not history):
        raw["id"] = f"m{len(history)}"
        history.append(raw)
    elif kind == "again":
        return chance.choice(history)
    elif kind == "other":
        raw["id"] = chance.choice(history)["id"]
    return raw


def named(raw: Sequence[Raw], tag: str) -> list[Raw]:
    return [{**each, "player": f"{tag} {each['player']}"} for each in raw]


def shown(outcomes: Sequence[Outcome], tag: str, board: Board) -> list[Any]:
    return [
        (
            *(each.position, each.status.value, each.code, str(each.player).removeprefix(tag), each.period),
            *(each.points, each.rank, each.previous_rank, str(each.detail).replace(f"board {board.seq}", "the board")),
        )
        for each in outcomes
    ]


def left_by(tag: str, board: Board) -> list[Any]:
    """All that a board has, and who was made for it."""
    periods = list(Period.objects.filter(board=board).select_related("board").order_by("starts_at"))
    for period in periods:
        if period.state == PeriodState.OPEN:
            follow(period)
    of_sql = () if board.storage == Storage.REDIS else ("version",)  # Redis's own begins where its memory does
    of_board = {
        Submission.objects.filter(board=board).order_by("pk"): ("external_id", "period__label"),
        QuarantinedEntry.objects.filter(board=board).order_by("pk"): ("external_id", "rule"),
        Standing.objects.filter(period__board=board).order_by("period__label", "member"): ("period__label", *of_sql),
    }
    return [
        [(period.label, period.state) for period in periods],
        *(
            [(who.removeprefix(tag), *row) for who, *row in rows.values_list("player__external_id", "points", *more)]
            for rows, more in of_board.items()
        ),
        Player.objects.filter(external_id__startswith=f"{tag} ").count(),
    ]
