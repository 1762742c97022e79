"""Publishing a final result: a revision for each change of what it shows, chained, once, whatever comes between."""

import hashlib
from datetime import datetime, timedelta
from unittest.mock import patch

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from competitions.models import Change, Competition, Revision, RevisionPart
from competitions.notice_texts import EXCLUSIONS_CHANGED
from competitions.services.lifecycle.finish import finish_due
from competitions.services.locks import lock_competition
from competitions.services.participants.disqualify import disqualify, reinstate
from competitions.services.results import revisions as revising
from competitions.services.results.revisions import publish_due_revisions, publish_revision
from leaderboards.models import FinalStanding, Player
from tests.at_once import at_once
from tests.competitions.factories import END, MINUTE
from tests.competitions.published import document, places, revisions, told
from tests.competitions.services.mishaps import dying_at
from tests.competitions.site import STORAGES, make_board, open_competition, period_of, player, race, raced, reloaded

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

OVER = END + MINUTE
SECOND = timedelta(seconds=1)


def final(points: dict[str, int], **settings: object) -> Competition:
    competition = race(points, **settings)  # type: ignore[arg-type]  # settings of competitions, each of its own type
    assert finish_due(OVER) == 1
    return reloaded(competition)


def ban(name: str, at: datetime | None) -> None:
    Player.objects.filter(external_id=name).update(banned_at=at)


def revised(competition: Competition, change: Change | None = None, reason: str = "") -> Revision:
    with transaction.atomic():
        return publish_revision(lock_competition(competition), OVER, change, reason)


@pytest.mark.parametrize("storage", STORAGES)
def test_a_final_result_is_published_with_every_row_and_the_hash_of_its_bytes(storage: str) -> None:
    competition = final({"ann": 9, "bob": 5, "cleo": 5}, board=make_board(storage, ties="shared"))

    (revision,) = revisions(competition)
    found, content = told(revision), document(revision)

    assert places(revision) == [(1, "ann"), *((2, row["player"]) for row in found["rows"][1:])]
    assert [(row["points"], row["tied"]) for row in found["rows"]] == [(9, 1), (5, 2), (5, 2)]
    assert (found["revision"], found["previous_hash"], found["reason"], found["total"]) == (1, "", "", 3)
    assert found["competition"]["id"] == competition.pk
    assert found["made_at"] == found["final_at"] == f"{OVER:%Y-%m-%dT%H:%M:%S}Z"
    assert hashlib.sha256(content[:17] + content[81:]).hexdigest() == found["content_hash"] == revision.content_hash
    assert (revision.made_at, revision.total, revision.excluded_players) == (OVER, 3, [])


def test_each_change_makes_the_next_one_which_names_the_one_before_and_those_stay_as_they_are() -> None:
    competition = final({"ann": 9, "bob": 5})
    first = document(revisions(competition)[0])
    disqualify(competition, player("ann"), "Two accounts.", OVER, None)
    second = revised(competition, Change.objects.get(kind="disqualified"))
    reinstate(competition, player("ann"), "One account.", OVER, None)
    third = revised(competition, reason="Nothing is other than it was.")

    one, two, three = revisions(competition)

    assert [places(each) for each in (one, two, three)] == [
        [(1, "ann"), (2, "bob")],
        [(1, "bob")],
        [(1, "ann"), (2, "bob")],
    ]
    assert (two, three) == (second, third)
    assert document(one) == first
    assert [each.previous_hash for each in (one, two, three)] == ["", one.content_hash, two.content_hash]
    assert [told(each)["previous_hash"] for each in (two, three)] == [one.content_hash, two.content_hash]
    assert [each.reason for each in (two, three)] == ["Two accounts.", "One account."]
    assert [told(each)["reason"] for each in (two, three)] == ["Two accounts.", "One account."]
    assert (two.excluded_players, two.change) == ([player("ann").pk], Change.objects.get(kind="disqualified"))


def test_where_nothing_that_is_shown_has_changed_there_is_no_other() -> None:
    competition = final({"ann": 9, "bob": 5})
    parts = RevisionPart.objects.count()

    again = revised(competition, reason="A score was voided that was not the best.")

    assert revisions(competition) == [again]
    assert RevisionPart.objects.count() == parts
    Player.objects.filter(external_id="bob").update(name="Bob")
    assert revised(competition).number == 2


def test_it_is_stored_in_parts_that_are_one_document_together() -> None:
    with patch.object(revising, "ROWS_A_PART", 2):
        competition = final({f"p{number}": number for number in range(1, 6)})

    (revision,) = revisions(competition)

    assert revision.parts.count() == 1 + 3 + 1
    assert places(revision) == [(6 - number, f"p{number}") for number in range(5, 0, -1)]


def test_one_without_any_score_is_published_too() -> None:
    competition = open_competition()
    finish_due(OVER)

    (revision,) = revisions(competition)

    assert (told(revision)["rows"], told(revision)["total"]) == ([], 0)


def test_what_became_final_before_there_were_revisions_is_published_by_the_schedule_once() -> None:
    competition = final({"ann": 9, "bob": 5})
    Revision.objects.all().delete()

    made = publish_due_revisions(OVER + MINUTE), publish_due_revisions(OVER + MINUTE)

    assert made == (1, 0)
    assert [(each.number, each.reason, each.made_at) for each in revisions(competition)] == [(1, "", OVER + MINUTE)]


def test_a_ban_and_its_end_make_a_revision_each_in_final_competitions_alone() -> None:
    running = race({"ann": 9})
    Competition.objects.filter(pk=running.pk).update(ends_at=END + END.resolution + timedelta(days=1))
    competition = final({"ann": 9, "bob": 5})

    ban("ann", OVER)
    made = [publish_due_revisions(OVER + 20 * SECOND), publish_due_revisions(OVER + 25 * SECOND)]
    ban("ann", None)
    made += [publish_due_revisions(OVER + 30 * SECOND), publish_due_revisions(OVER + 35 * SECOND)]

    assert made == [1, 0, 1, 0]
    assert [places(each) for each in revisions(competition)[1:]] == [[(1, "bob")], [(1, "ann"), (2, "bob")]]
    assert [each.reason for each in revisions(competition)] == ["", EXCLUSIONS_CHANGED, EXCLUSIONS_CHANGED]
    assert revisions(running) == []


def test_a_ban_of_a_moment_which_erasing_begins_with_changes_no_result() -> None:
    competition = final({"ann": 9, "bob": 5})

    ban("ann", OVER)
    made = publish_due_revisions(OVER + 9 * SECOND)

    assert (made, len(revisions(competition))) == (0, 1)
    assert publish_due_revisions(OVER + 10 * SECOND) == 1


def test_a_disqualification_that_nobody_published_is_noticed_by_the_schedule() -> None:
    competition = final({"ann": 9, "bob": 5})
    competition.participants.filter(player=player("ann")).update(disqualified_at=OVER)

    assert (publish_due_revisions(OVER), publish_due_revisions(OVER)) == (1, 0)
    assert places(revisions(competition)[1]) == [(1, "bob")]


def test_who_is_left_out_and_loses_the_standing_too_makes_no_revision_again_and_again() -> None:
    competition = final({"ann": 9, "bob": 5})
    disqualify(competition, player("ann"), "Two accounts.", OVER, None)
    publish_due_revisions(OVER)
    period = period_of(competition)
    FinalStanding.objects.filter(period=period, player=player("ann")).delete()
    period.players = 1
    period.save(update_fields=["players"])

    assert publish_due_revisions(OVER) == 0
    assert len(revisions(competition)) == 2
    assert revisions(competition)[1].excluded_players == []


def test_several_workers_at_once_make_one_revision() -> None:
    competition = final({"ann": 9, "bob": 5})
    ban("ann", OVER)

    made = at_once([lambda: publish_due_revisions(OVER + MINUTE)] * 3)

    assert sorted(made) == [0, 0, 1]
    assert len(revisions(competition)) == 2


def test_one_that_cannot_be_published_keeps_no_other_waiting() -> None:
    board = make_board()
    broken, other = (race({"ann": 1}, board) for _ in range(2))
    finish_due(OVER)
    Revision.objects.all().delete()
    publish = revising.publish_revision

    def break_one(competition: Competition, at: datetime, reason: str) -> Revision:
        if competition == broken:
            raise ValueError("broken")
        return publish(competition, at, reason=reason)

    with patch.object(revising, "publish_revision", break_one), pytest.raises(ExceptionGroup) as failure:
        publish_due_revisions(OVER)

    assert [str(each) for each in failure.value.exceptions] == ["broken"]
    assert (len(revisions(broken)), len(revisions(other))) == (0, 1)


def test_whoever_dies_while_publishing_leaves_nothing_and_the_next_run_publishes() -> None:
    competition = final({"ann": 9, "bob": 5})
    ban("ann", OVER)

    with dying_at(revising, "revise.before_hash"):
        publish_due_revisions(OVER + MINUTE)

    assert len(revisions(competition)) == 1
    assert publish_due_revisions(OVER + MINUTE) == 1
    assert places(revisions(competition)[1]) == [(1, "bob")]


def test_a_result_is_not_final_without_its_first_revision() -> None:
    competition = race({"ann": 9})

    with dying_at(revising, "revise.before_hash"):
        finish_due(OVER)

    assert (reloaded(competition).final_at, revisions(competition)) == (None, [])
    assert (finish_due(OVER), len(revisions(competition))) == (1, 1)


def test_how_often_sql_is_asked_whether_something_is_due_does_not_grow_with_competitions() -> None:
    board = make_board()

    def asked() -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert publish_due_revisions(OVER + MINUTE) == 0
        return len(queries)

    raced(open_competition(board), {"ann": 9, "bob": 5})
    finish_due(OVER)
    ban("ann", OVER)
    publish_due_revisions(OVER + MINUTE)
    few = asked()
    for _ in range(4):
        raced(open_competition(board), {"bob": 5, "cleo": 1})
    finish_due(OVER)

    assert asked() == few <= 4


def test_a_run_ends_in_time_and_the_next_goes_on() -> None:
    board = make_board()
    for _ in range(3):
        raced(open_competition(board), {"ann": 1})
    finish_due(OVER)
    Revision.objects.all().delete()

    with patch.object(revising, "BUDGET_SECONDS", 0.0):
        assert publish_due_revisions(OVER) == 1
    assert publish_due_revisions(OVER) == 2
