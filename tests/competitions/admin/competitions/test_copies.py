"""Copies of a competition in the admin: the dates first, then exactly these, for those who may add competitions."""

import re
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client

from competitions.models import Competition
from foundation import clock
from tests.competitions.admin.typed import LIST, act, change, moment, page
from tests.competitions.factories import DAY, HOUR, START, CompetitionFactory, RewardTierFactory
from tests.competitions.site import make_board
from tests.staff import staff

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]
BERLIN = ZoneInfo("Europe/Berlin")
NEXT = START + 7 * DAY


@pytest.fixture
def cup() -> Competition:
    return CompetitionFactory.create(name="Cup", timezone="Europe/Berlin")


def sent(start: datetime = NEXT, **changed: Any) -> dict[str, Any]:
    return {"name": "Cup 2", "token": "t1", **moment("starts_at", start, "Europe/Berlin"), **changed}


def series(**changed: Any) -> dict[str, Any]:
    return sent(**{"name": "Cup {n} of {date}", "number": "3", "rhythm": "weekly", "expression": "", **changed})


def shown(client: Client, address: str, typed: dict[str, Any]) -> tuple[str, str]:
    """What the page says, and the seal of the dates."""
    text = client.post(address, typed).content.decode()
    seal = re.search(r'name="shown" value="(\w+)"', text)
    return " ".join(re.sub(r"<[^>]+>", " ", text).split()), seal[1] if seal else ""


def test_a_duplicate_is_looked_at_first_and_is_a_draft(admin: Client, cup: Competition) -> None:
    RewardTierFactory.create(competition=cup, name="Gold")
    form = page(admin, act(cup, "duplicate"))
    assert f'name="starts_at_0" value="{NEXT.astimezone(BERLIN):%Y-%m-%d}"' in form
    assert act(cup, "duplicate") in page(admin, change(cup))

    text, seal = shown(admin, act(cup, "duplicate"), sent())
    assert Competition.objects.count() == 1
    answer = admin.post(act(cup, "duplicate"), sent(confirmed="1", shown=seal))

    made = Competition.objects.get(name="Cup 2")
    assert "Nothing is made yet. Times are on the clock of Europe/Berlin." in text
    assert answer["Location"] == change(made)
    assert (made.published_at, made.starts_at, made.ends_at - made.starts_at) == (
        None,
        NEXT,
        cup.ends_at - cup.starts_at,
    )
    assert made.reward_tiers.count() == 1
    assert f"made from: #{cup.pk}" in page(admin, change(made))


def test_a_series_shows_every_date_and_where_the_clock_changes(admin: Client, cup: Competition) -> None:
    year = START.year + 1
    put_back = next(date(year, 10, day) for day in range(31, 24, -1) if date(year, 10, day).weekday() == 6)
    changing = datetime.combine(put_back - timedelta(days=2), time(18), BERLIN)  # a Friday
    fridays = changing - 2 * timedelta(weeks=1)
    weekend = timedelta(days=2, hours=4)
    Competition.objects.filter(pk=cup.pk).update(starts_at=fridays - 7 * DAY, ends_at=fridays - 7 * DAY + weekend)

    text, seal = shown(
        admin, act(cup, "make-series"), series(**moment("starts_at", fridays + 7 * DAY, "Europe/Berlin"))
    )
    answer = admin.post(
        act(cup, "make-series"),
        series(**moment("starts_at", fridays + 7 * DAY, "Europe/Berlin"), shown=seal, confirmed="1"),
    )

    made = list(Competition.objects.exclude(pk=cup.pk).order_by("starts_at"))
    days = [f"{changing + nth * timedelta(weeks=1):%Y-%m-%d}" for nth in (-1, 0, 1)]
    assert [each.name for each in made] == [f"Cup {nth} of {day}" for nth, day in enumerate(days, 1)]
    friday, sunday = (f"{each:%a} {each.day} {each:%b} {year}" for each in (changing, put_back))
    assert f"{friday} 18:00 CEST {sunday} 22:00 CET 2 d 5 h The clock changes meanwhile." in text
    after = changing + timedelta(weeks=1)
    assert f"{after:%a} {after.day} {after:%b} {year} 18:00 CET" in text
    assert text.count("The clock changes meanwhile.") == 1
    assert answer["Location"] == f"{LIST}?state=draft"
    assert "3 drafts are made." in page(admin, answer["Location"])


def test_what_changed_since_it_was_shown_is_shown_again_and_not_done(admin: Client, cup: Competition) -> None:
    _text, seal = shown(admin, act(cup, "make-series"), series())
    Competition.objects.filter(pk=cup.pk).update(attempts=3)

    answer = admin.post(act(cup, "make-series"), series(shown=seal, confirmed="1"))

    assert "Nothing was done: the competition or what you typed has changed" in answer.content.decode()
    assert Competition.objects.count() == 1


def test_sent_twice_they_are_made_once(admin: Client, cup: Competition) -> None:
    _text, seal = shown(admin, act(cup, "make-series"), series())

    answers = [admin.post(act(cup, "make-series"), series(shown=seal, confirmed="1")) for _ in range(2)]

    assert [each.status_code for each in answers] == [302, 302]
    assert Competition.objects.count() == 4


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"number": "61"}, "less than or equal to 60"),
        ({"number": "0"}, "greater than or equal to 1"),
        ({"rhythm": "cron"}, "Write the expression"),
        ({"rhythm": "cron", "expression": "sometimes"}, "has five fields"),
        ({"expression": "0 18 * * 5"}, "Choose the rhythm by a cron expression"),
        ({"name": ""}, "This field is required"),
        ({"starts_at_0": ""}, "This field is required"),
        (moment("starts_at", START, "Europe/Berlin"), "would start in the past"),
        ({"name": "x" * 99 + "{date}"}, "at most 100 characters"),
        ({"name": "x" * 92 + "{date}"}, "at most 100 characters"),
    ],
)
def test_what_cannot_be_is_refused_at_its_field(
    admin: Client, cup: Competition, changed: dict[str, str], said: str
) -> None:
    text, seal = shown(admin, act(cup, "make-series"), series() | changed)

    assert said in text
    assert seal == ""
    assert Competition.objects.count() == 1


def test_by_cron_and_where_one_begins_before_the_other_ends(admin: Client, cup: Competition) -> None:
    Competition.objects.filter(pk=cup.pk).update(ends_at=START + 3 * DAY)

    text, seal = shown(admin, act(cup, "make-series"), series(rhythm="cron", expression="0 12 * * *", number="2"))

    assert "It begins before the one before ends." in text
    assert seal


def test_who_may_not_add_competitions_is_refused_and_who_may_not_add_rewards_copies_none(cup: Competition) -> None:
    RewardTierFactory.create(competition=cup)
    looks = staff("competitions.view_competition", name="looks")
    adds = staff("competitions.view_competition", "competitions.add_competition", name="adds")

    assert looks.get(act(cup, "duplicate")).status_code == 403
    assert act(cup, "duplicate") not in page(looks, change(cup))
    text, seal = shown(adds, act(cup, "duplicate"), sent())
    adds.post(act(cup, "duplicate"), sent(confirmed="1", shown=seal))

    assert "Rewards are left out, since you may not add any." in text
    assert not Competition.objects.get(name="Cup 2").reward_tiers.exists()


def test_of_one_that_is_over_the_next_start_lies_ahead(admin: Client) -> None:
    old = CompetitionFactory.create(board=make_board(), name="Old", starts_at=START, ends_at=START + HOUR)
    Competition.objects.filter(pk=old.pk).update(starts_at=START - 40 * DAY, ends_at=START - 39 * DAY)

    form = page(admin, act(old, "duplicate"))

    offered = re.search(r'name="starts_at_0" value="([0-9-]+)"', form)
    assert offered is not None
    assert datetime.fromisoformat(offered[1]).date() > (clock.now() - DAY).date()
