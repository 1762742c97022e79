"""Late scores in the admin: the form, its refusals, and a form that is sent twice."""

import re
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client

from competitions.models import Change, Competition
from competitions.services.lifecycle.finish import finish
from foundation import clock
from tests.competitions.admin.judging import PLAYED, judge, provisional
from tests.competitions.admin.typed import ZONE, act, change, moment, page, recorded, refusals, sealed
from tests.competitions.factories import DAY, HOUR, START
from tests.competitions.site import (
    joined,
    make_board,
    open_competition,
    player,
    ranks,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


def late(client: Client, competition: Competition, **typed: str) -> Any:
    happened = moment("happened_at", PLAYED.replace(microsecond=0), ZONE)
    fields = {"player": "bob", "points": "40", "reason": "The network was down.", "token": "t", **happened}
    return sealed(client, act(competition, "accept-late"), fields | typed)


@pytest.mark.parametrize("storage", ["hybrid", "redis"])
def test_a_late_score_is_shown_with_its_place_first_and_counts_then(db: None, storage: str) -> None:
    competition, client = provisional(storage), judge()

    asked = late(client, competition).content.decode()
    before = ranks(competition, clock.now())
    done = late(client, competition, confirmed="1")

    assert "Now: rank 2 with 20 points. Then: rank 1 with 40 points." in asked
    assert before == [("alice", 1, 30), ("bob", 2, 20)]
    assert done.status_code == 302, refusals(done)
    assert ranks(competition, clock.now()) == [("bob", 1, 40), ("alice", 2, 30)]
    assert recorded(client, competition)[1::3] == ["late score accepted", "The network was down."]
    assert "score: 40" in recorded(client, competition)[3]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"player": "nobody"}, "no player of this id"),
        ({"points": "much"}, "Enter a number"),
        ({"points": "-1"}, "must be 0 to"),
        ({"reason": " "}, "required"),
        ({"token": ""}, "is not whole: open it anew"),
        (moment("happened_at", START + 2 * HOUR, ZONE), "must have happened in the competition"),
    ],
)
def test_a_late_score_that_cannot_be_is_refused_in_its_form(admin: Client, typed: dict[str, str], said: str) -> None:
    competition = provisional()

    assert said in refusals(late(admin, competition, confirmed="1", **typed))
    assert ranks(competition, clock.now()) == [("alice", 1, 30), ("bob", 2, 20)]


def test_a_score_outside_the_competition_is_refused_before_anything_is_foreseen_on_the_forms_clock(
    admin: Client,
) -> None:
    competition = provisional()
    start, end = (f"{at.astimezone(ZoneInfo(ZONE)):%Y-%m-%d %H:%M:%S}" for at in window(competition))
    outside = moment("happened_at", START + 2 * HOUR, ZONE)

    asked = late(admin, competition, **outside)
    stranger = late(admin, competition, player=player("stranger").external_id)
    competition.participants.update(joined_at=START)
    before_joining = late(admin, competition)

    assert f"from {start} to before {end} ({ZONE})." in refusals(asked)
    assert f"bob takes part since {START.astimezone(ZoneInfo(ZONE)):%Y-%m-%d %H:%M:%S} ({ZONE})" in refusals(
        before_joining
    )
    assert "stranger does not take part in this competition." in refusals(stranger)
    for page_shown in (asked, stranger, before_joining):
        assert 'name="confirmed"' not in page_shown.content.decode()
        assert "Then: " not in page_shown.content.decode()


def window(competition: Competition) -> tuple[datetime, datetime]:
    """From when to when it ran."""
    return competition.starts_at, competition.ends_at


def test_criteria_have_a_field_each(admin: Client) -> None:
    criteria = [{"name": "kills", "max": 100, "order": "desc"}, {"name": "deaths", "max": 100, "order": "asc"}]
    board = make_board(name="Criteria", criteria=criteria)
    competition = open_competition(board, starts_at=START - DAY, ends_at=START + HOUR, timezone=ZONE, review_hours=48)
    joined(competition, "bob")
    competition.participants.update(joined_at=START - DAY)
    finish(competition, clock.now())

    done = late(admin, competition, field_kills="3", field_deaths="1", confirmed="1")

    assert done.status_code == 302, refusals(done)
    assert Change.objects.get(kind="accepted").details["score"] == "kills 3, deaths 1"


def token_of(client: Client, competition: Competition) -> str:
    """What the form draws when it is shown."""
    [token] = re.findall(r'name="token" value="([^"]+)"', page(client, act(competition, "accept-late")))
    return str(token)


@pytest.mark.parametrize("storage", ["hybrid", "redis"])
def test_a_late_score_that_is_sent_twice_counts_once_and_one_of_another_form_is_warned_of(
    db: None, storage: str
) -> None:
    competition, client = provisional(storage, board={"update": "increment"}), judge()
    token = token_of(client, competition)

    asked = late(client, competition, token=token, points="6").content.decode()
    sent = [late(client, competition, token=token, points="6", confirmed="1") for _ in range(2)]
    other = late(client, competition, token=token, points="7", confirmed="1")
    once = ranks(competition, clock.now())
    anew = late(client, competition, token=token_of(client, competition), points="6").content.decode()

    assert f'name="token" value="{token}"' in asked
    assert [answer.status_code for answer in sent] == [302, 302]
    assert "This form has been used for another score" in refusals(other)
    assert once == [("alice", 1, 30), ("bob", 2, 26)]
    assert Change.objects.filter(kind="accepted").count() == 1
    assert token not in page(client, change(competition))
    assert ("accepted before" in asked, "accepted before" in anew) == (False, True)
