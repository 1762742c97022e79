"""Erasing a player: nothing names him any more, and nothing that is final has moved."""

from datetime import datetime
from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.db.models import Model

from foundation import redis
from foundation.models import DeadLetter
from leaderboards.errors import PeriodClosed, StorageUnavailable, UnknownPlayer
from leaderboards.models import Difference, LinkCode, Period, Player, Standing, State, Submission
from leaderboards.services import erase
from leaderboards.services.close import close_due
from leaderboards.services.erase import erase_player
from leaderboards.services.link import make_code
from leaderboards.services.players import ensure_player, set_profile
from leaderboards.services.settle import settle_due
from leaderboards.services.verify import verify_all
from leaderboards.stores.sql_final import content_hash
from tests.leaderboards.services.site import (
    DAY,
    NOON,
    final,
    follow,
    in_redis,
    in_sql,
    make_board,
    period_of,
    redis_client,
    score,
)

pytestmark = pytest.mark.django_db(transaction=True)

OLD = "Kim Cheolsu"
FORMS: list[dict[str, Any]] = [
    {"storage": "hybrid", "tie_break": "score"},
    {"storage": "hybrid", "tie_break": "member"},
    {"storage": "redis", "tie_break": "member"},
    {"storage": "redis", "ties": "dense"},
    {"storage": "redis", "tie_break": "score"},
    {"storage": "sql"},
]


def everywhere() -> str:
    """All that SQL and Redis have, as text."""
    rows = [str(row) for model in apps.get_models() for row in model._default_manager.values()]
    with redis_client() as client:
        kept = [(key, _content(client, key)) for key in client.scan_iter()]
    return f"{rows} {kept}"


def _content(client: Any, key: bytes) -> object:
    match client.type(key):
        case b"zset":
            return client.zrange(key, 0, -1)
        case b"hash":
            return client.hgetall(key)
    return client.get(key)


def played(**settings: Any) -> tuple[Period, Period]:
    """A period that is final and one that runs; in both he is second of three."""
    board = make_board(**settings)
    points = {"first": 9, OLD: 7, "third": 5}
    score(board, points, NOON, id_="a")
    ended = period_of(board, NOON)
    follow(ended)
    close_due(NOON + DAY)
    score(board, points, NOON + DAY, id_="b")
    running = period_of(board, NOON + DAY)
    ended.refresh_from_db()
    return ended, running


def trouble(period: Period, user: User) -> None:
    """Whatever else may name him."""
    player = Player.objects.get(external_id=OLD)
    set_profile(OLD, {"name": "Kim", "avatar_url": "https://example.com/kim.png", "country": "KR"}, NOON)
    Player.objects.filter(pk=player.pk).update(user=user)
    make_code(OLD, NOON)
    payload = {"period": period.pk, "player": OLD}
    DeadLetter.note("mirror", f"{period.pk}:{OLD}", payload, f"Failing row contains ({OLD})", NOON)
    Difference.objects.create(period=period, player=OLD, repaired=True, found_at=NOON)
    for row in (player, *DeadLetter.objects.all()):
        _log(user, row)


def _log(user: User, row: Model) -> None:
    LogEntry.objects.log_actions(user.pk, [row], CHANGE, "Looked at.")


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_nothing_names_him_and_nothing_final_has_moved(links: None, form: dict[str, Any]) -> None:
    ended, running = played(**form)
    trouble(running, User.objects.create_user("somebody"))
    before = [(place, rank, points) for place, rank, _member, points in final(ended)]

    erased = erase_player(OLD, NOON + DAY)

    left = everywhere()
    assert (OLD in left, "Kim" in left, "kim.png" in left) == (False, False, False)
    assert [(place, rank, points) for place, rank, _member, points in final(ended)] == before
    assert content_hash(ended) == ended.content_hash
    assert [row[2].endswith(erased.player) for row in final(ended)] == [False, True, False]
    player = Player.objects.get(external_id=erased.player)
    assert (player.user, player.banned_at, player.name) == (None, None, "")
    assert erased.removed_from == [str(running)]
    assert (erased.final_standings, erased.dead_letters, erased.differences, erased.link_codes) == (1, 1, 1, 1)
    assert erased.submissions == (0 if form["storage"] == "redis" else 2)


@pytest.mark.parametrize("form", FORMS[:-1], ids=str)
def test_redis_and_sql_agree_after_it_and_both_can_be_rebuilt_from_sql(links: None, form: dict[str, Any]) -> None:
    _, running = played(**form)

    erase_player(OLD, NOON + DAY)

    assert in_redis(running) == in_sql(running)
    assert len(in_sql(running)) == 2
    assert sum(each.differences for each in verify_all(NOON + DAY, 60.0)) == 0
    with redis_client() as client:
        client.flushdb()
    settle_due(NOON + DAY)
    assert in_redis(running) == in_sql(running)


def test_his_submissions_stay_without_their_ids_and_those_of_the_open_period_are_void(links: None) -> None:
    ended, running = played(storage="hybrid")

    erase_player(OLD, NOON + DAY)

    rows = Submission.objects.filter(player__external_id__startswith="erased-").order_by("pk")
    assert [(row.period_id, row.external_id, row.voided_at is None) for row in rows] == [
        (ended.pk, None, True),
        (running.pk, None, False),
    ]


def test_whoever_comes_by_that_id_again_is_somebody_else(links: None) -> None:
    _, running = played(storage="hybrid")
    erased = erase_player(OLD, NOON + DAY)

    score(running.board, {OLD: 1}, NOON + DAY)

    again = Player.objects.get(external_id=OLD)
    assert again.pk != Player.objects.get(external_id=erased.player).pk
    assert Standing.objects.filter(period=running, player=again).count() == 1


def test_nobody_gets_an_id_that_a_game_gave_to_another(links: None) -> None:
    played(storage="sql")
    number = Player.objects.get(external_id=OLD).pk
    Player.objects.create(external_id=f"erased-{number}")

    assert erase_player(OLD, NOON + DAY).player == f"erased-{number}-1"


def test_a_player_whom_sql_has_refused_so_far_is_erased_too(links: None) -> None:
    board = make_board("redis")
    score(board, {OLD: 7})
    period = period_of(board)
    DeadLetter.note("mirror", f"{period.pk}:{OLD}", {"period": period.pk, "player": OLD}, "why", NOON)
    assert not Player.objects.exists()

    erase_player(OLD, NOON)

    assert OLD not in everywhere()


def test_a_player_whom_nobody_knows_is_refused(links: None) -> None:
    with pytest.raises(UnknownPlayer):
        erase_player("nobody", NOON)


@pytest.mark.parametrize("storage", ["hybrid", "redis"])
@pytest.mark.parametrize(
    ("case", "refused"),
    [({"state": State.CLOSING}, PeriodClosed), ({"stale_since": NOON}, StorageUnavailable)],
    ids=["closing", "stale"],
)
def test_where_a_period_cannot_be_touched_he_keeps_his_name_until_it_is_run_again(
    links: None, storage: str, case: dict[str, Any], refused: type[Exception]
) -> None:
    _, running = played(storage=storage)
    if storage == "redis":
        follow(running)
    Period.objects.filter(pk=running.pk).update(**case)

    with pytest.raises(refused):
        erase_player(OLD, NOON + DAY)

    assert Player.objects.filter(external_id=OLD).exists()
    Period.objects.filter(pk=running.pk).update(state=State.OPEN, stale_since=None)
    erase_player(OLD, NOON + DAY)
    assert OLD not in everywhere()


@pytest.mark.parametrize("storage", ["hybrid", "sql"])
def test_who_asked_before_the_ban_and_scores_after_the_removal_is_taken_out_by_another_run(
    links: None, monkeypatch: pytest.MonkeyPatch, storage: str
) -> None:
    _, running = played(storage=storage)
    before_the_ban = Player.objects.filter(external_id=OLD)

    def late(player: Player, at: datetime) -> None:
        before_the_ban.update(banned_at=None)
        score(running.board, {OLD: 8}, NOON + DAY)
        before_the_ban.update(banned_at=at)

    with monkeypatch.context() as patched:
        patched.setattr(erase, "_first", [late])
        with pytest.raises(StorageUnavailable):
            erase_player(OLD, NOON + DAY)

    erase_player(OLD, NOON + DAY)
    assert OLD not in everywhere()
    assert len(in_sql(running)) == 2


@pytest.mark.parametrize("known_to", ["services.players", "services.link"])
def test_who_read_a_player_before_his_erasure_gives_him_nothing_after_it(
    links: None, monkeypatch: pytest.MonkeyPatch, known_to: str
) -> None:
    read = ensure_player(OLD, NOON)
    erase_player(OLD, NOON)
    monkeypatch.setattr(f"leaderboards.{known_to}.ensure_player", lambda *_: read)

    if known_to == "services.players":
        set_profile(OLD, {"name": "Kim"}, NOON)
    else:
        with pytest.raises(UnknownPlayer):
            make_code(OLD, NOON)

    assert (Player.objects.get().name, LinkCode.objects.exists()) == ("", False)


def test_without_redis_a_final_name_there_would_outlive_sqls(links: None, monkeypatch: pytest.MonkeyPatch) -> None:
    board = make_board("hybrid")
    score(board, {OLD: 7})
    close_due(NOON + DAY)

    def away() -> redis.Link:
        raise redis.RedisAway("Redis is away.")

    monkeypatch.setattr(redis, "boards", away)
    with pytest.raises(redis.RedisAway):
        erase_player(OLD, NOON + DAY)

    assert Player.objects.filter(external_id=OLD).exists()
