"""What the product does in a day, in one process: ``python -m tests.security.guarded_work``.

On servers whose users may do the least. It fails where anything is refused or degraded, whatever is named to tell.
"""

import logging
import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from importlib import import_module
from itertools import product
from typing import Any

ENDS_WITHIN = 60.0  # seconds
RUN = secrets.token_hex(3)  # so that it can run twice on one database
STORAGES = ("hybrid", "redis", "sql")
RULES: tuple[dict[str, Any], ...] = (
    {},
    {"update": "increment", "ties": "dense"},
    {"update": "latest", "order": "asc", "ties": "last_come", "own_tables": True},
)
PATHS = (
    "standings", "standings?offset=2", "players/p7", "players/p7/around", "players?ids=p1,p2", "distribution",
    "players/p7/percentile", "standings.csv",
)  # fmt: skip  # as a list


class Noticed(logging.Handler):
    """What was logged as a warning or worse: nothing may be, where servers take all that is asked of them."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def main() -> None:
    """Set up as a server does, then everything."""
    import_module("config.wsgi")
    import_module("django.test.utils").setup_test_environment()  # its client is a host that is answered
    noticed = Noticed()
    logging.getLogger().addHandler(noticed)
    turn(3)
    play()
    like()
    compete()
    turn(2)
    command()
    refused = [line for line in noticed.lines if "refuse" in line.lower() or "away" in line or "NOPERM" in line]
    assert not refused, refused


def play() -> None:
    """On a board of each storage and rule: scores come, are read, sent again, removed and voided; a day ends."""
    from leaderboards.models import Period
    from tests.leaderboards.api.conftest import Caller, with_key
    from tests.playing import make_board

    game, anybody = with_key("scores:write", "players:write", "boards:read"), Caller()
    kinds = list(product(STORAGES, enumerate(RULES)))
    boards = {
        make_board(name=f"{storage} {nth} {RUN}", storage=storage, period="day", grace_seconds=0, **rules): storage
        for storage, (nth, rules) in kinds
    }
    turn(2)
    theirs = Period.objects.filter(board__own_tables=True)
    assert theirs
    assert all(period.has_own_tables for period in theirs), "tables are made by their owner, whoever asks"
    for board, storage in boards.items():
        sent = [{"board": board, "player": f"p{each}", "points": each, "id": f"{board}-{each}"} for each in range(30)]
        first, again = ({each["status"] for each in game.submit(*sent)["results"]} for _ in range(2))
        assert (first, again) == ({"updated"}, {"duplicate"}), (storage, first, again)
    turn(1)
    for board in boards:
        read(anybody, board)
        assert game.send("DELETE", f"/boards/{board}/players/p3").status_code == 204
        judge(board)
        look(board)
    turn(2)
    assert game.send("PUT", "/players/p1", {"name": "One"}).status_code == 200


def read(anybody: Any, board: int) -> None:
    """All that the API tells of a board."""
    for path in PATHS:
        answer = anybody.get(f"/boards/{board}/{path}")
        assert answer.status_code == 200, path
        b"".join(answer)
        answer.close()  # a file is one of few that are made at once until then


def judge(board: int) -> None:
    """A submission is voided, where each is kept; and a score arrives for a day that is over."""
    from foundation import clock
    from leaderboards.models import Submission
    from leaderboards.services.moderation.void import void_submission
    from tests.playing import score

    for submission in Submission.objects.filter(period__board__seq=board, external_id=f"{board}-5"):
        void_submission(submission, clock.now())
    score(board, {"long-ago": 5}, clock.now() - timedelta(days=1))


def look(board: int) -> None:
    """Pages, which count visits and are kept."""
    from django.test import Client

    client = Client()
    for path in ("/", f"/boards/{board}/", f"/boards/{board}/?fragment=1", "/accounts/login/", "/readyz"):
        assert client.get(path).status_code == 200, path


def like() -> None:
    """Likes in every storage, taken back, counted and looked at."""
    from foundation import clock
    from likes.core.kinds import Storage
    from likes.selectors.likes import likers, read_like_summaries
    from likes.services.like import like as like_it
    from likes.services.like import unlike
    from tests.likes.factories import LikeableFactory

    kinds = {f"{storage}_{int(repeats)}_{RUN}": (storage, repeats) for storage in Storage for repeats in (False, True)}
    for kind, (storage, repeats) in kinds.items():
        LikeableFactory.create(kind=kind, storage=storage, repeatable=repeats)
    turn(2)
    for kind, player in product(kinds, ("ann", "bob", "cy")):
        like_it(kind, "1", player, clock.now())
    turn(1)
    for kind in kinds:
        unlike(kind, "1", "bob", clock.now())
    turn(2)
    for kind in kinds:
        assert read_like_summaries(kind, ["1"], "ann")["1"].count == 2, kind
        likers(kind, "1", 0, 10)


def compete() -> None:
    """Competitions in every storage: joined, frozen, played, talked about, ended, rewarded."""
    from competitions.errors import NotRevealable
    from competitions.models import Competition, RewardGrant
    from competitions.services.lifecycle.freeze import reveal
    from foundation import clock
    from tests.competitions.factories import (
        CommentFactory,
        CompetitionFactory,
        EventBoardFactory,
        ParticipantFactory,
        RewardTierFactory,
    )
    from tests.competitions.site import score

    cups = []
    for storage in STORAGES:
        now = clock.now().replace(microsecond=0)
        board = EventBoardFactory.create(storage=storage, grace_seconds=0, at=now - timedelta(hours=2))
        span = {"starts_at": now - timedelta(hours=2), "ends_at": now + timedelta(seconds=20)}
        cup = CompetitionFactory.create(board=board, freeze_minutes=1, **span)
        RewardTierFactory.create(competition=cup)
        joined = [ParticipantFactory.create(competition=cup, at=now) for _ in range(3)]
        turn(1)
        outcomes = score(cup, {each.player.external_id: nth for nth, each in enumerate(joined)}, clock.now())
        assert not [each.code for each in outcomes if each.code], outcomes
        CommentFactory.create(competition=cup, player=joined[0].player)
        cups.append(cup.pk)
    turn(1)  # behind the freeze; what comes next is their end, and to ask for all of it until then costs half the test
    time.sleep(max(0.0, (cup.ends_at - clock.now()).total_seconds()))
    for _ in until_ended():
        turn(1)
        for cup in Competition.objects.filter(pk__in=cups, revealed_at=None):
            with suppress(NotRevealable):  # it runs still
                reveal(cup, clock.now(), None)
        if RewardGrant.objects.filter(competition__in=cups, told_at__isnull=False).count() == len(cups):
            break
    assert Competition.objects.filter(pk__in=cups, revealed_at__isnull=False).count() == len(cups)


def until_ended() -> Iterator[None]:
    """Again and again; fails when it took too long."""
    give_up = time.monotonic() + ENDS_WITHIN
    while time.monotonic() < give_up:
        yield
        time.sleep(0.2)
    raise AssertionError("competitions have not ended in time")


def command() -> None:
    """What people call by hand."""
    from django.core.management import call_command

    from leaderboards.models import Board, Period, PeriodState

    assert Period.objects.filter(state=PeriodState.FINAL, board__storage="redis").exists()
    for board in Board.objects.exclude(storage="sql").exclude(period="event"):
        call_command("rebuild", "--board", str(board.seq))
    call_command("verify", "--repair")
    call_command("check_likes", "--repair")
    call_command("player_erase", "p9")
    turn(2)


def turn(times: int) -> None:
    """All that the schedule asks for, so many times."""
    from celery import current_app

    from config.schedule import SCHEDULE

    current_app.loader.import_default_modules()
    for _ in range(times):
        for entry in SCHEDULE.values():
            current_app.tasks[entry["task"]]()


if __name__ == "__main__":
    main()
