"""Reports of comments: once for each player, settled by hiding or dismissing, and erased with who made them."""

import pytest

from competitions.errors import BadCompetition, OwnComment, UnknownComment
from competitions.models import Change, ChangeKind, Comment, CommentReport, Competition, ReportOutcome
from competitions.selectors.comments import ANYBODY, NO_REPORTS, Reader, open_reports, reports_of
from competitions.services.comments import comment as services
from competitions.services.comments import moderate
from competitions.services.comments.reports import dismiss, report
from foundation import clock
from foundation.audit.models import AuditEntry
from leaderboards.errors import Banned
from leaderboards.services.players.erase import erase_player
from tests.competitions.factories import CompetitionFactory
from tests.competitions.site import player
from tests.competitions.talking import say
from tests.leaderboards.factories import AdminFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


@pytest.fixture
def cup() -> Competition:
    return CompetitionFactory.create()


@pytest.fixture
def insult(cup: Competition) -> Comment:
    """What ann said."""
    return say(cup, "ann", "You all cheat.")


def test_a_player_reports_a_comment_once_and_a_second_time_changes_nothing(insult: Comment) -> None:
    at = clock.now()

    first = report(insult.pk, player("bob"), " An insult. ", at)
    again = report(insult.pk, player("bob"), "Really.", clock.now())
    report(insult.pk, player("cleo"), "Rude.", clock.now())

    assert (first.pk, again.reason, first.created_at) == (again.pk, "An insult.", at)
    assert [each.reason for each in open_reports()] == ["An insult.", "Rude."]


@pytest.mark.parametrize(
    ("who", "reason", "error"),
    [("ann", "Mine.", OwnComment), ("bob", " ", BadCompetition), ("bob", "x" * 301, BadCompetition)],
)
def test_ones_own_and_one_without_a_reason_are_refused(
    insult: Comment, who: str, reason: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        report(insult.pk, player(who), reason, clock.now())
    assert not CommentReport.objects.exists()


def test_the_banned_report_nothing_and_what_nobody_sees_is_not_reported(insult: Comment) -> None:
    bob = player("bob")
    bob.banned_at = clock.now()
    bob.save()
    with pytest.raises(Banned):
        report(insult.pk, bob, "Rude.", clock.now())
    moderate.hide(insult.pk, "Rude.", clock.now(), None)
    with pytest.raises(UnknownComment):
        report(insult.pk, player("cleo"), "Rude.", clock.now())
    services.delete(insult.pk, player("ann"), clock.now())
    with pytest.raises(UnknownComment):
        report(insult.pk, player("cleo"), "Rude.", clock.now())


def test_dismissing_settles_them_with_a_record_and_they_are_not_made_again(insult: Comment) -> None:
    chief = AdminFactory.create()
    report(insult.pk, player("bob"), "Rude.", clock.now())

    numbers = [dismiss(insult.pk, clock.now(), chief) for _ in range(2)]
    report(insult.pk, player("bob"), "Rude again.", clock.now())

    row = CommentReport.objects.get()
    assert numbers == [1, 0]
    assert (row.outcome, row.settled_by, row.reason) == (ReportOutcome.DISMISSED, chief, "Rude.")
    assert not open_reports().exists()
    assert Change.objects.get(kind=ChangeKind.DISMISSED).details == {"comment": insult.pk, "reports": 1}
    assert AuditEntry.objects.filter(act="competition.dismissed").count() == 1
    assert insult.competition.comments.filter(hidden_at=None).exists()


def test_hiding_settles_them_and_showing_it_again_opens_none(insult: Comment) -> None:
    report(insult.pk, player("bob"), "Rude.", clock.now())

    moderate.hide(insult.pk, "It is.", clock.now(), None)
    moderate.show(insult.pk, clock.now(), None)

    assert CommentReport.objects.get().outcome == ReportOutcome.HIDDEN
    assert not open_reports().exists()


def test_a_comment_that_its_author_deletes_waits_for_nobody(insult: Comment) -> None:
    report(insult.pk, player("bob"), "Rude.", clock.now())

    services.delete(insult.pk, player("ann"), clock.now())

    assert not open_reports().exists()


def test_reasons_are_for_moderators_and_players_know_their_own_alone(insult: Comment) -> None:
    bob = player("bob")
    report(insult.pk, bob, "Rude.", clock.now())
    seen = {
        who: reports_of([insult.pk], reader).get(insult.pk, NO_REPORTS)
        for who, reader in {
            "anybody": ANYBODY,
            "bob": Reader(bob),
            "ann": Reader(player("ann")),
            "moderator": Reader(None, sees_hidden=True),
        }.items()
    }

    assert {who: (each.reasons, each.is_own) for who, each in seen.items()} == {
        "anybody": ((), False),
        "bob": ((), True),
        "ann": ((), False),
        "moderator": (("Rude.",), False),
    }


@pytest.mark.parametrize("who", ["ann", "bob"])
def test_an_erasure_deletes_reports_by_the_player_and_of_their_comments(insult: Comment, who: str) -> None:
    report(insult.pk, player("bob"), "Ann is rude.", clock.now())

    erase_player(who, clock.now())

    assert not CommentReport.objects.exists()
