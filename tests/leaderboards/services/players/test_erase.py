"""Erasing a player: nothing names them any more, and nothing that is final has moved."""

from contextlib import nullcontext
from typing import Any
from unittest.mock import Mock, patch

import pytest
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.test import Client

from foundation.models import DeadLetter
from foundation.redis import client as redis
from leaderboards.errors import BadLinkCode, PeriodClosed, StorageUnavailable, UnknownPlayer
from leaderboards.models import Difference, Period, PeriodState, Player, RankHistoryEntry, Standing, Submission
from leaderboards.services.periods.close import close_due
from leaderboards.services.periods.rank_history import record_due_rank_history
from leaderboards.services.players import erase_hooks
from leaderboards.services.players.erase import erase_player
from leaderboards.services.players.link import link_by_hand, make_code, redeem
from leaderboards.services.players.profiles import set_profile
from leaderboards.services.sync.resync_periods import resync_due
from leaderboards.services.sync.verify import verify_all
from leaderboards.stores.sql.final import content_hash
from tests.leaderboards.factories import UserFactory
from tests.leaderboards.services.site import (
    DAY,
    NOON,
    final,
    follow,
    in_redis,
    in_sql,
    make_board,
    period_of,
    redis_away,
    redis_client,
    score,
)

OLD = "Kim Cheolsu"


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
    """A period that is final and one that runs; in both they are second of three."""
    board = make_board(**settings)
    points = {"first": 9, OLD: 7, "third": 5}
    score(board, points, NOON, id_="a")
    ended = period_of(board, NOON)
    follow(ended)
    close_due(NOON + DAY)
    score(board, points, NOON + DAY, id_="b")
    ended.refresh_from_db()
    return ended, period_of(board, NOON + DAY)


@pytest.mark.parametrize(
    "form",
    [
        {"storage": "hybrid", "tie_break": "score"},
        {"storage": "hybrid", "tie_break": "member"},
        {"storage": "redis", "tie_break": "member"},
        {"storage": "redis", "ties": "dense"},
        {"storage": "sql"},
    ],
    ids=str,
)
def test_nothing_names_them_and_nothing_final_has_moved(form: dict[str, Any]) -> None:
    ended, running = played(**form)
    user = UserFactory.create(password=None)
    set_profile(OLD, {"name": "Kim", "avatar_url": "https://example.com/kim.png", "country": "KR"}, NOON)
    Player.objects.filter(external_id=OLD).update(user=user)
    make_code(OLD, NOON)
    sent = {"period": running.pk, "player": OLD}
    DeadLetter.note("mirror", f"{running.pk}:{OLD}", sent, f"Failing: {OLD}", NOON)
    Difference.objects.create(period=running, player=OLD, repaired=True, found_at=NOON)
    for row in (Player.objects.get(external_id=OLD), DeadLetter.objects.get()):
        LogEntry.objects.log_actions(user.pk, [row], CHANGE, "Looked at.")
    record_due_rank_history(NOON + DAY)
    before = [(place, rank, points) for place, rank, _member, points in final(ended)]

    erased = erase_player(OLD, NOON + DAY)

    left = everywhere()
    assert (OLD in left, "Kim" in left, "kim.png" in left) == (False, False, False)
    assert [(place, rank, points) for place, rank, _member, points in final(ended)] == before
    assert content_hash(ended) == ended.content_hash
    assert [row[2].endswith(erased.player) for row in final(ended)] == [False, True, False]
    player = Player.objects.get(external_id=erased.player)
    assert (player.user, player.banned_at, player.name, player.country) == (None, None, "", "")
    assert list(RankHistoryEntry.objects.values_list("player__external_id", "rank")) == [("first", 1), ("third", 3)]
    assert erased.removed_from == [str(running)]
    assert (erased.final_standings, erased.dead_letters, erased.differences, erased.link_codes) == (1, 1, 1, 1)
    submissions = Submission.objects.filter(player=player).order_by("pk")
    assert erased.submissions == len(submissions) == (0 if form["storage"] == "redis" else 2)
    for each in submissions:
        assert (each.external_id, each.voided_at is None) == (None, each.period_id == ended.pk)
    assert len(in_sql(running)) == 2
    if form["storage"] != "sql":
        assert in_redis(running) == in_sql(running)
        assert sum(each.differences for each in verify_all(NOON + DAY, 60.0)) == 0
        with redis_client() as client:
            client.flushdb()
        resync_due(NOON + DAY)
        assert in_redis(running) == in_sql(running)


@pytest.mark.parametrize("restored", [False, True])
def test_the_log_keeps_neither_the_id_of_a_voided_submission_nor_why_it_was_voided_or_restored(restored: bool) -> None:
    played(storage="sql")
    staff = UserFactory.create(password=None)
    own, of_another = (Submission.objects.filter(player__external_id=name)[0] for name in (OLD, "first"))
    own.external_id = f"match1:{OLD}"
    own.save(update_fields=["external_id"])
    Submission.objects.filter(pk=own.pk).update(voided_at=None if restored else NOON)
    for row in (own, of_another):
        LogEntry.objects.log_actions(staff.pk, [row], CHANGE, f"Voided: {OLD} came by car.")

    erased = erase_player(OLD, NOON + DAY)

    logged = dict(LogEntry.objects.values_list("object_id", "object_repr"))
    assert logged == {str(own.pk): erased.player, str(of_another.pk): str(of_another)}
    said = dict(LogEntry.objects.values_list("object_id", "change_message"))
    assert said == {str(own.pk): "", str(of_another.pk): f"Voided: {OLD} came by car."}


@pytest.mark.parametrize("cut_off", [False, True])
def test_who_was_banned_before_stays_banned_and_nobody_else_is_banned_by_their_erasure(cut_off: bool) -> None:
    played(storage="sql")
    Player.objects.filter(external_id=OLD).update(banned_at=NOON)
    for name in (OLD, "third"):
        if cut_off:
            with patch.object(erase_hooks, "hooks_before", [Mock(side_effect=SystemExit)]), pytest.raises(SystemExit):
                erase_player(name, NOON + DAY)

    old, third = (erase_player(name, NOON + 2 * DAY).player for name in (OLD, "third"))

    banned = dict(Player.objects.values_list("external_id", "banned_at"))
    assert banned == {"first": None, old: NOON, third: None}
    assert not Player.objects.exclude(erasing_since=None).exists()


@pytest.mark.parametrize("was_banned", [False, True])
def test_nobody_is_given_a_player_whose_erasure_is_half_done(was_banned: bool) -> None:
    played(storage="sql")
    code, _ = make_code(OLD, NOON + DAY)
    user = UserFactory.create(password=None)
    Player.objects.filter(external_id=OLD).update(banned_at=NOON if was_banned else None)
    with patch.object(erase_hooks, "hooks_before", [Mock(side_effect=SystemExit)]), pytest.raises(SystemExit):
        erase_player(OLD, NOON + DAY)

    with pytest.raises(BadLinkCode):
        redeem(code, user, NOON + DAY)
    with pytest.raises(UnknownPlayer):
        make_code(OLD, NOON + DAY)
    with pytest.raises(UnknownPlayer):
        link_by_hand(Player.objects.get(external_id=OLD), user, "They asked.", NOON + DAY, None)

    assert not Player.objects.exclude(user=None).exists()


def test_a_ban_while_an_erasure_is_half_done_stays(admin_client: Client) -> None:
    played(storage="sql")
    with patch.object(erase_hooks, "hooks_before", [Mock(side_effect=SystemExit)]), pytest.raises(SystemExit):
        erase_player(OLD, NOON + DAY)
    number = Player.objects.get(external_id=OLD).pk
    asked = {"_selected_action": [number], "confirmed": "1", "reason": "A bot."}
    admin_client.post("/admin/leaderboards/player/", {"action": "ban", **asked})

    erase_player(OLD, NOON + 2 * DAY)

    assert Player.objects.get(pk=number).banned_at is not None


def test_they_get_an_id_that_nobody_has_and_whoever_comes_by_the_old_one_is_somebody_else() -> None:
    _, running = played(storage="sql")
    number = Player.objects.get(external_id=OLD).pk
    Player.objects.create(external_id=f"erased-{number}")

    erased = erase_player(OLD, NOON + DAY)
    score(running.board, {OLD: 1}, NOON + DAY)

    again = Player.objects.get(external_id=OLD)
    assert erased.player == f"erased-{number}-1"
    assert again.pk != number
    assert Standing.objects.filter(period=running, player=again).count() == 1


def test_a_player_whom_sql_has_refused_so_far_is_erased_too() -> None:
    score(make_board("redis"), {OLD: 7})
    period = Period.objects.earliest("starts_at")
    for name in (OLD, "bob"):
        DeadLetter.note("mirror", f"{period.pk}:{name}", {"period": period.pk, "player": name}, "why", NOON)
    assert not Player.objects.exists()

    erase_player(OLD, NOON)

    assert OLD not in everywhere()
    assert [letter.payload["player"] for letter in DeadLetter.objects.all()] == ["bob"]


@pytest.mark.parametrize(
    ("storage", "case", "refused"),
    [
        ("hybrid", {"state": PeriodState.CLOSING}, PeriodClosed),
        ("hybrid", {"stale_since": NOON}, StorageUnavailable),
        ("redis", {"stale_since": NOON}, StorageUnavailable),
        ("hybrid", {"state": PeriodState.FINAL}, redis.RedisAway),  # a final name in Redis would outlive SQL's
    ],
)
def test_where_a_period_cannot_be_touched_they_keep_their_name_until_it_is_run_again(
    storage: str, case: dict[str, Any], refused: type[Exception]
) -> None:
    _, running = played(storage=storage)
    follow(running)
    Period.objects.filter(pk=running.pk).update(**case)

    with redis_away() if refused is redis.RedisAway else nullcontext(), pytest.raises(refused):
        erase_player(OLD, NOON + DAY)

    assert Player.objects.filter(external_id=OLD).exists()
    Period.objects.filter(pk=running.pk).update(state=PeriodState.OPEN, stale_since=None)
    erase_player(OLD, NOON + DAY)
    assert OLD not in everywhere()
