"""Cancelling: nobody scores or joins any more, everybody is told why, and it happens once."""

import pytest

from competitions import errors
from competitions.models import Notice
from competitions.services.cancel import cancel
from competitions.services.finish import finish_due
from competitions.services.join import join
from foundation.webhooks.models import WebhookDelivery, WebhookEndpoint
from tests.competitions.site import (
    END,
    MINUTE,
    SOON,
    STORAGES,
    draft,
    joined,
    make_board,
    open_competition,
    player,
    points_of,
    raced,
    reloaded,
    score,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("storage", STORAGES)
def test_after_it_nothing_counts_and_what_counted_stays(links: None, storage: str) -> None:
    competition = open_competition(make_board(storage))
    raced(competition, {"ann": 9})

    cancelled = cancel(competition, "the hall is closed", SOON, None)

    assert cancelled.phase(SOON) == "cancelled"
    assert [outcome.code for outcome in score(competition, {"ann": 10})] == ["period_closed"]
    assert points_of(competition) == {"ann": 9}
    with pytest.raises(errors.CompetitionOver):
        join(competition, player("bob"), SOON)


def test_the_participants_and_the_sites_own_systems_are_told_once(links: None) -> None:
    WebhookEndpoint.objects.create(name="game", url="https://game.example/hooks", kinds=["competition.cancelled"])
    competition = open_competition()
    joined(competition, "ann", "bob")

    cancel(competition, "the hall is closed", SOON, None)
    with pytest.raises(errors.CompetitionOver):
        cancel(competition, "again", SOON, None)

    told = Notice.objects.values_list("player__external_id", "kind", "change__reason")
    assert sorted(told) == [(name, "cancelled", "the hall is closed") for name in ("ann", "bob")]
    assert '"reason":"the hall is closed"' in WebhookDelivery.objects.get().body


def test_drafts_final_ones_and_no_reason_are_refused(links: None) -> None:
    board = make_board()
    over = open_competition(board)
    finish_due(END + MINUTE)

    with pytest.raises(errors.NotOpenYet):
        cancel(draft(board), "why not", SOON, None)
    with pytest.raises(errors.CompetitionOver):
        cancel(over, "why not", END + MINUTE, None)
    with pytest.raises(errors.BadCompetition):
        cancel(over, "", END + MINUTE, None)
    assert reloaded(over).cancelled_at is None
