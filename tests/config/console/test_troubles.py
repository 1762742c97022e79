"""The banner and the page of health: what is wrong, since when, for which boards, and what to do about it."""

import re
from datetime import timedelta
from html import unescape
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client
from django.utils.translation import override

from config.console import refusals, status, troubles, words
from foundation import clock
from foundation.models import Heartbeat
from foundation.monitoring import minutes
from foundation.redis import client as redis
from foundation.redis.client import RedisAway, UnknownRedis
from foundation.tasks import REDIS, WORKER, heartbeat
from leaderboards.models import Period
from tests.leaderboards.factories import BoardFactory, PeriodFactory
from tests.staff import chief, staff

pytestmark = pytest.mark.django_db

HEALTH = "/admin/health/"


def said(client: Client, address: str = "/admin/leaderboards/board/") -> str:
    status.forget()
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", client.get(address).content.decode())))


def away(*_: object, **__: object) -> Any:
    raise RedisAway("Redis is away.")


def unknown(*_: object, **__: object) -> Any:
    raise RedisAway("Redis is away.") from UnknownRedis("This Redis is not known yet.")


@pytest.fixture
def well(links: None) -> None:
    """The worker has just breathed, and Redis answers."""
    heartbeat()


def test_no_banner_while_all_is_well(well: None) -> None:
    html = chief().get("/admin/").content.decode()

    assert 'class="trouble' not in html


def test_redis_away_is_told_on_every_page_with_since_when_and_for_which_boards(well: None) -> None:
    BoardFactory.create(name="Golf", storage="redis")
    BoardFactory.create(name="Raid", storage="hybrid")
    at = clock.now() - timedelta(minutes=7)
    Heartbeat.note(REDIS, at)
    admin = chief()

    with patch.object(redis.RedisClient, "call", away):
        told = said(admin)

    assert f"Redis has not answered since {at:%H:%M} UTC. No scores are taken on: Golf." in told
    assert "These go on: Raid." in told
    assert "What to do" in told


def test_who_may_not_look_at_boards_is_told_how_many(well: None) -> None:
    BoardFactory.create(name="Secret board", storage="redis")
    client = staff("view_deadletter")

    with patch.object(redis.RedisClient, "call", away):
        told = said(client, "/admin/")

    assert "No scores are taken on: 1 board." in told
    assert "Secret board" not in told


def test_a_redis_that_sql_does_not_know_is_told_as_that(well: None) -> None:
    BoardFactory.create(name="Golf", storage="redis")
    admin = chief()

    with patch.object(redis.RedisClient, "call", unknown):
        assert "Another Redis answers, which SQL does not know yet." in said(admin)
    assert "Another Redis" not in said(admin)


def test_worker_clock_stale_and_late_periods_are_told(links: None) -> None:
    at = clock.now()
    Heartbeat.note(WORKER, at - timedelta(minutes=3), timedelta(seconds=9))
    stale, late = (PeriodFactory.create(board=BoardFactory.create(name=name)) for name in ("Stale one", "Late one"))
    Period.objects.filter(pk=stale.pk).update(stale_since=at - timedelta(minutes=2))
    Period.objects.filter(pk=late.pk).update(created_at=at - timedelta(days=3), ends_at=at - timedelta(days=2))

    told = said(chief(), HEALTH)

    assert f"The worker has been silent since {at - timedelta(minutes=3):%H:%M} UTC." in told
    assert "The worker's clock is +9.0 s off SQL's" in told
    assert f"Not live since {at - timedelta(minutes=2):%H:%M} UTC: Stale one." in told
    assert "Periods that should be final by now: 1" in told
    assert "manage.py rebuild --board NUMBER" in told


def test_the_page_of_health_has_the_doctors_lines_what_is_wrong_first(links: None) -> None:
    html = chief().get(HEALTH).content.decode()
    states = re.findall(r'class="check-state is-(\w+)"', html)

    assert states == sorted(states)
    assert set(states) == {"bad", "good"}
    assert "has never given a sign of life: start worker and beat" in html


def test_every_line_of_the_doctor_has_a_name_in_korean(links: None) -> None:
    with override("ko"):
        html = chief().get(HEALTH, headers={"accept-language": "ko"}).content.decode()

    assert "점수 분포" in html
    assert "histograms" not in html


def test_the_doctors_lines_are_for_who_may_look_at_periods(links: None) -> None:
    assert "Checks" not in said(staff("view_board"), HEALTH)
    assert "Checks" in said(staff("view_period"), HEALTH)
    assert Client().get(HEALTH).status_code == 302


def test_the_worker_notes_that_redis_answers_and_not_that_it_is_away(links: None) -> None:
    heartbeat()
    noted = Heartbeat.objects.get(name=REDIS).beat_at

    with patch.object(redis.RedisClient, "call", away):
        heartbeat()

    assert Heartbeat.objects.get(name=REDIS).beat_at == noted
    assert Heartbeat.objects.get(name=WORKER).beat_at > noted


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("boards", [(), ("One",), tuple(f"Board {nth}" for nth in range(9))])
def test_every_trouble_has_words_in_each_language(language: str, boards: tuple[str, ...]) -> None:
    with override(language):
        for code in words._TROUBLES:
            trouble = troubles.Trouble(code, clock.now(), boards, boards, 2, 1.5)
            for names_boards in (True, False):
                told = words.describe_trouble(trouble, names_boards=names_boards)
                assert told.what
                assert told.works
                assert told.steps
                assert "%(" not in "".join([told.what, told.works, *told.steps])


def test_a_late_mirror_is_no_trouble_of_its_own_while_redis_is_away() -> None:
    away, late, silent = (
        troubles.Trouble("redis_away"),
        troubles.Trouble("mirror_late"),
        troubles.Trouble("worker_silent"),
    )

    assert troubles.without_consequences([away, silent, late]) == (away, silent)
    assert troubles.without_consequences([silent, late]) == (silent, late)


def test_checks_that_were_skipped_are_not_called_wrong(well: None) -> None:
    away_now = patch("leaderboards.management.doctor_checks.expect_redis", away)
    with patch.object(redis.RedisClient, "call", away), away_now:
        html = chief().get(HEALTH).content.decode()

    states = re.findall(r'class="check-state is-(\w+)"><span[^>]*></span>([^<]+)</span> <strong>([^<]+)', html)
    skipped = [name for shape, word, name in states if (shape, word) == ("unknown", "skipped")]
    assert skipped == ["Page cache", "Standings that only Redis has", "Memories of periods"]
    assert ("bad", "wrong", "Redis") in states
    assert "3 were skipped" in html


def test_a_stale_period_is_not_well(well: None) -> None:
    period = PeriodFactory.create()
    Period.objects.filter(pk=period.pk).update(stale_since=clock.now() - timedelta(seconds=3))

    html = chief().get(HEALTH).content.decode()

    assert re.search(r'class="check-state is-warning">.{0,80}not yet well</span> <strong>Stale period ', html)
    assert re.search(r"0 are wrong, [12] (is|are) not yet well", html)


def test_the_page_of_health_is_korean_for_who_reads_korean(links: None) -> None:
    period = PeriodFactory.create()
    Period.objects.filter(pk=period.pk).update(stale_since=clock.now() - timedelta(seconds=3))
    admin = chief()

    html = admin.get(HEALTH, headers={"Accept-Language": "ko"}).content.decode()

    details = re.findall(r'class="check-detail"[^>]*>([^<]+)', html)
    assert [each for each in details if re.search(r"[가-힣]", each) is None and each != "noeviction"] == []


def test_while_redis_is_away_no_other_trouble_says_that_scores_are_taken(links: None) -> None:
    BoardFactory.create(name="Golf", storage="redis")
    Heartbeat.note(WORKER, clock.now() - timedelta(minutes=3))
    admin = chief()

    with patch.object(redis.RedisClient, "call", away):
        told = said(admin, HEALTH)

    assert "The worker has been silent" in told
    assert "Nothing closes, is told, mailed or sent meanwhile." in told
    assert "Scores are taken" not in told
    assert "Scores are taken" in said(admin, HEALTH)


def test_nothing_but_what_is_wrong_waits_and_leads_there_and_so_does_what_the_banner_leaves_out(links: None) -> None:
    at = clock.now()
    Heartbeat.note(WORKER, at - timedelta(minutes=3), timedelta(seconds=9))
    late = PeriodFactory.create()
    Period.objects.filter(pk=late.pk).update(created_at=at - timedelta(days=3), ends_at=at - timedelta(days=2))
    status.forget()

    html = chief().get("/admin/").content.decode()

    assert "Nothing waits for you" not in html
    assert '<a href="/admin/health/#what-to-do">First what is wrong: see what to do.</a>' in html
    assert '<a class="trouble-more" href="/admin/health/#unclosed">and 1 thing more</a>' in html


@pytest.mark.parametrize("language", ["en", "ko"])
def test_codes_of_refusals_have_words_in_each_language(language: str) -> None:
    with override(language):
        for code in refusals._WORDS:
            assert refusals.describe_refusal(code) != code
            assert (re.search(r"[가-힣]", refusals.describe_refusal(code)) is not None) is (language == "ko")
    assert refusals.describe_refusal("of_tomorrow") == "of_tomorrow"


def test_a_board_in_sql_goes_on_while_redis_is_away(well: None) -> None:
    BoardFactory.create(name="Chess", storage="sql")
    admin = chief()

    with patch.object(redis.RedisClient, "call", away), patch.object(minutes, "last_hour", lambda: None):
        told = said(admin, "/admin/")

    told = told.partition("scores of the last hour")[2]
    row = told[told.index("Chess") :][:200]
    assert "goes on" in row
    assert "not known" not in row.partition("goes on")[0]
