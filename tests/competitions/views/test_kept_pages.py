"""Pages about competitions are kept for a second for anybody, and no longer than what they say is so."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from competitions.core.comments import closes_at
from competitions.models import Competition
from competitions.services.lifecycle.finish import finish
from competitions.services.lifecycle.freeze import freeze_due, reveal
from foundation import clock
from foundation.caching.micro_cache import TTL_SECONDS
from leaderboards.models import Visibility
from leaderboards.views.http import micro_cache
from tests.competitions.factories import SeriesFactory, TeamFactory
from tests.competitions.grouping import in_division
from tests.competitions.site import DAY, HOUR, MINUTE, draft, make_board, open_competition, raced, reloaded, score
from tests.leaderboards.views.pages import count_round_trips, signed_in, text

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

SetClock = Callable[[datetime], None]
TICK = timedelta(milliseconds=1)
CUP, TEAMS = "/competitions/{c}/", "/competitions/{c}/teams/"
PAGES = (
    *("/competitions/", "/competitions/?fragment=1", "/competitions/?board={board}"),
    *(CUP, f"{CUP}?fragment=1", f"{CUP}?page=2", TEAMS, f"{TEAMS}?fragment=1", f"{TEAMS}{{team}}/"),
    *("/competitions/{c}/divisions/{division}/", "/competitions/{c}/divisions/{division}/?fragment=1"),
    *("/series/", "/series/{series}/"),
)


@pytest.fixture
def pages_of_now() -> None:
    """Here they are kept."""


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The moment, in monotonic seconds, as its only item; it stands still, so that what is kept stays kept."""
    at = [clock.monotonic()]
    monkeypatch.setattr(clock, "monotonic", lambda: at[0])
    return at


@pytest.fixture
def cup() -> Competition:
    """It runs, freezes in an hour and a half, and ends in two and a half."""
    at = clock.now()
    competition = open_competition(
        make_board(name="Cups"), name="The cup", starts_at=at - HOUR, ends_at=at + 2 * HOUR + HOUR / 2,
        freeze_minutes=60, team_score="sum", join_until=at + HOUR, review_hours=2,
    )  # fmt: skip  # as a table
    raced(competition, {"ann": 9, "bob": 5}, at)
    team = TeamFactory.create(competition=competition, name="Owls")
    competition.participants.filter(player__external_id="ann").update(team=team)
    in_division(competition, "Juniors", "ann", "bob")
    SeriesFactory.create(competitions=[competition])
    return competition


def values(cup: Competition) -> dict[str, object]:
    team, division = cup.teams.get(), cup.divisions.get()
    numbers = {"team": team.pk, "division": division.pk, "series": cup.series_event.series_id}
    return {"c": cup.pk, "board": cup.board_id, **numbers}


def test_the_second_and_the_third_of_three_visits_ask_neither_sql_nor_redis(
    client: Client,
    cup: Competition,
    now: list[float],
    django_assert_num_queries: DjangoAssertNumQueries,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trips = count_round_trips(monkeypatch)
    for page in PAGES:
        address = page.format(**values(cup))
        first = client.get(address)
        assert first.status_code == 200, address
        trips.clear()

        with django_assert_num_queries(0, info=address):
            others = [client.get(address), Client().get(address)]

        assert trips == [], address
        for other in others:
            assert other.content == first.content, address
            assert other["Cache-Control"] == first["Cache-Control"] == "private, no-cache"
            assert other.get("ETag") == first.get("ETag"), address
            assert "Set-Cookie" not in other.headers


@pytest.mark.usefixtures("now")  # nothing that is remembered grows old in between
def test_a_page_that_is_made_asks_sql_a_fixed_number_of_times(
    client: Client, cup: Competition, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for page in PAGES:
        client.get(page.format(**values(cup)))
        micro_cache.forget()

        with django_assert_max_num_queries(20, info=page):
            client.get(page.format(**values(cup)))


TURNS = {
    "start": ("starts_at", ("/competitions/", CUP, f"{CUP}?fragment=1", TEAMS, "/series/{series}/")),
    "freeze": (
        "frozen_since",
        ("/", "/competitions/", CUP, f"{CUP}?fragment=1", TEAMS, "/players/ann/", "/series/{series}/"),
    ),
    "end": ("ends_at", ("/", "/competitions/", CUP, f"{CUP}?fragment=1", TEAMS, "/players/ann/", "/series/{series}/")),
    "joining": ("join_until", (CUP,)),
    "comments": ("commented_until", (CUP,)),
}


def turn_of(cup: Competition, name: str) -> datetime:
    timeline = cup.timeline
    found = {
        "starts_at": timeline.starts_at,
        "frozen_since": timeline.frozen_since,
        "ends_at": timeline.ends_at,
        "join_until": cup.join_until,
        "commented_until": closes_at(cup.ends_at, None),
    }[name]
    assert found is not None
    return found


@pytest.mark.parametrize("turn", TURNS)
def test_what_was_kept_before_a_competition_turns_is_shown_to_nobody_from_that_moment_on(
    client: Client, cup: Competition, now: list[float], set_clock: SetClock, turn: str
) -> None:
    which, pages = TURNS[turn]
    if which != "frozen_since":
        Competition.objects.update(freeze_minutes=None)
    moment = turn_of(reloaded(cup), which)
    for page in pages:
        address = page.format(**values(cup))
        set_clock(moment - TICK)
        before = client.get(address)
        assert client.get(address).content == before.content
        tag = {"If-None-Match": before["ETag"]} if "ETag" in before else {}

        set_clock(moment)
        after = client.get(address, headers=tag)

        micro_cache.forget()
        assert after.status_code == 200, address
        assert after.content != before.content, address
        assert after.content == client.get(address).content, address


def test_a_review_that_is_over_is_told_of_no_more(
    client: Client, cup: Competition, now: list[float], set_clock: SetClock
) -> None:
    Competition.objects.update(freeze_minutes=None)
    closed_at, address = cup.ends_at + HOUR, CUP.format(c=cup.pk)
    set_clock(closed_at)
    finish(reloaded(cup), closed_at)
    assert reloaded(cup).closed_at == closed_at
    set_clock(closed_at + 2 * HOUR - TICK)
    before = client.get(address)

    set_clock(closed_at + 2 * HOUR)

    assert client.get(address).content != before.content


def test_neither_the_freeze_nor_the_reveal_shows_what_was_kept_before_it(
    client: Client, cup: Competition, now: list[float], set_clock: SetClock
) -> None:
    address, since = CUP.format(c=cup.pk), reloaded(cup).timeline.frozen_since
    assert since is not None
    set_clock(since - TICK)
    score(cup, {"bob": 100}, since - MINUTE)
    running = text(client.get(address))
    set_clock(since)
    frozen = text(client.get(address))
    freeze_due(since)
    score(cup, {"ann": 5000}, since + MINUTE)
    set_clock(cup.ends_at + MINUTE)
    finish(reloaded(cup), cup.ends_at + MINUTE)
    ended = text(client.get(address))
    reveal(reloaded(cup), cup.ends_at + MINUTE, None)
    now[0] += TTL_SECONDS
    revealed = text(client.get(address))

    assert "frozen" not in running.lower()
    for hidden in (frozen, ended):
        assert "frozen" in hidden.lower()
        assert "5,000" not in hidden
    assert "5,000" in revealed
    assert "frozen" not in revealed.lower()


def test_nobody_gets_what_was_made_for_somebody_in_another_language_or_at_another_host(
    client: Client, cup: Competition, now: list[float], settings: Settings
) -> None:
    settings.ALLOWED_HOSTS = ["testserver", "other.example"]
    ann = signed_in(Client(), "ann", "ann")
    at = clock.now()
    over = open_competition(make_board(name="Over"), starts_at=at - DAY, ends_at=at - HOUR, review_hours=0)
    raced(over, {"bob": 3}, at - 2 * HOUR)
    finish(over, at)
    address, result = CUP.format(c=cup.pk), CUP.format(c=over.pk)

    own, anybodys, again = text(ann.get(address)), text(client.get(address)), text(ann.get(address))
    remembered = text(Client().get(f"{address}?player=bob"))

    for seen in (own, again):
        assert "Account" in seen
        assert "Leave" in seen
    assert "Sign in" in anybodys
    assert "Account" not in anybodys
    assert "You are number 2" in remembered
    assert "You are" not in anybodys
    assert client.get(address, headers={"Accept-Language": "ko"}).content != client.get(address).content
    assert b"http://testserver/competitions" in client.get(result).content
    assert b"http://other.example/competitions" in client.get(result, headers={"Host": "other.example"}).content
    assert b"https://testserver/competitions" in client.get(result, secure=True).content


def test_drafts_and_private_ones_that_staff_have_read_stay_unknown_to_everybody_else(
    client: Client, now: list[float]
) -> None:
    staff = signed_in(Client(), "boss", is_staff=True, is_superuser=True)
    private = open_competition(make_board(name="Secret", visibility=Visibility.PRIVATE), name="The secret")
    addresses = [CUP.format(c=each.pk) for each in (draft(name="The draft"), private)]

    for address in addresses:
        assert staff.get(address).status_code == 200
        assert client.get(address).status_code == 404
    assert "The secret" in text(staff.get("/competitions/"))
    assert "The secret" not in text(client.get("/competitions/"))


def test_joining_is_never_answered_with_a_kept_page(client: Client, cup: Competition, now: list[float]) -> None:
    address = CUP.format(c=cup.pk)
    assert client.get(address).status_code == 200

    assert client.post(address)["Location"] == f"/accounts/login/?next={address}"
    assert client.get(f"{address}?nothing=1").status_code == 200
