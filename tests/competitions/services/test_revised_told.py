"""The webhook ``competition.revised``: each later revision once, without a word of whom it was about."""

from datetime import timedelta
from typing import Any

import orjson
import pytest
from django.db import transaction

from competitions.models import Competition
from competitions.services.lifecycle.confirm import confirm
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.freeze import reveal
from competitions.services.participants.disqualify import disqualify, reinstate
from competitions.services.results import revisions as revise
from competitions.services.results.revisions import announce_revision, publish_due_revisions
from foundation.webhooks.models import WebhookDelivery
from tests.at_once import at_once
from tests.competitions.factories import END, HOUR, MINUTE
from tests.competitions.published import revisions
from tests.competitions.services.mishaps import dying_at
from tests.competitions.services.results.test_revisions import ban, final
from tests.competitions.services.telling import hooks, listening
from tests.competitions.site import player, race, reloaded

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

OVER = END + MINUTE
SECOND = timedelta(seconds=1)


def told() -> list[dict[str, Any]]:
    """What was said of revisions, in the order of the outbox."""
    said = WebhookDelivery.objects.filter(kind="competition.revised").order_by("pk").values_list("body", flat=True)
    return [orjson.loads(body)["data"] for body in said]


def heard() -> list[tuple[str, str]]:
    """All messages after that of the publication."""
    return [each for each in hooks() if each[0] != "competition.published"]


def ids(competition: Competition, *numbers: int) -> list[tuple[str, str]]:
    return [("competition.revised", f"competition-{competition.pk}-revision-{number}") for number in numbers]


def test_each_later_revision_is_told_with_its_hashes_and_its_cause_and_without_the_reason() -> None:
    listening()
    competition = final({"ann": 9, "bob": 5})
    assert heard() == [("competition.final", f"competition-{competition.pk}-final")]

    disqualify(competition, player("ann"), "Ann of Main Street 5 paid for it.", OVER, None)
    reinstate(competition, player("ann"), "It was another Ann.", OVER, None)
    ban("bob", OVER)
    publish_due_revisions(OVER + 20 * SECOND)

    _, two, three, four = revisions(competition)
    assert heard()[1:] == ids(competition, 2, 3, 4)
    assert [(each["revision"], each["content_hash"], each["previous_hash"], each["cause"]) for each in told()] == [
        (2, two.content_hash, two.previous_hash, "disqualified"),
        (3, three.content_hash, three.previous_hash, "reinstated"),
        (4, four.content_hash, four.previous_hash, "ban"),
    ]
    assert told()[0]["competition"] == {"id": competition.pk, "name": competition.name, "board": competition.board_id}
    said = str(told()).lower()
    assert not [word for word in ("ann", "bob", "main street", "reason") if word in said]


def test_several_workers_and_an_act_that_is_repeated_tell_of_it_once() -> None:
    listening()
    competition = final({"ann": 9, "bob": 5})
    ban("ann", OVER)

    at_once([lambda: publish_due_revisions(OVER + MINUTE)] * 3)
    publish_due_revisions(OVER + 2 * MINUTE)
    for revision in revisions(competition):
        with transaction.atomic():
            announce_revision(revision, OVER + 3 * MINUTE)

    assert heard()[1:] == ids(competition, 2)


def test_whoever_dies_before_a_revision_is_there_tells_nobody_of_it() -> None:
    listening()
    competition = final({"ann": 9, "bob": 5})

    with dying_at(revise, "revise.before_hash"):
        disqualify(competition, player("ann"), "Two accounts.", OVER, None)
    assert (len(revisions(competition)), told()) == (1, [])
    disqualify(competition, player("ann"), "Two accounts.", OVER, None)

    assert heard()[1:] == ids(competition, 2)


def test_what_is_revised_behind_a_freeze_is_told_with_the_reveal_once() -> None:
    listening()
    competition = race({"ann": 9, "bob": 5}, freeze_minutes=60, review_hours=24)
    finish_due(OVER)
    confirm(competition, OVER, None)
    disqualify(reloaded(competition), player("ann"), "Two accounts.", OVER + MINUTE, None)
    assert (len(revisions(competition)), told()) == (2, [])

    reveal(reloaded(competition), OVER + HOUR, None)
    reveal(reloaded(competition), OVER + HOUR, None)
    assert [kind for kind, _ in heard()[1:]] == ["competition.revealed", "competition.revised"]
    reinstate(reloaded(competition), player("ann"), "One account.", OVER + 2 * HOUR, None)

    assert heard()[2:] == ids(competition, 2, 3)


def test_revealed_before_it_is_final_each_revision_is_told_at_once() -> None:
    listening()
    competition = race({"ann": 9, "bob": 5}, freeze_minutes=60, review_hours=24)
    finish_due(OVER)
    reveal(reloaded(competition), OVER, None)
    confirm(competition, OVER, None)

    disqualify(reloaded(competition), player("ann"), "Two accounts.", OVER + MINUTE, None)

    assert [kind for kind, _ in heard()] == ["competition.revealed", "competition.final", "competition.revised"]
