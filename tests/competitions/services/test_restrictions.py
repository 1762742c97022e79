"""Who is hidden, shadowed or banned on a competition's board wins nothing while so, and has it back afterwards."""

import pytest
from django.test import Client

from competitions.models import Participant, Revision, SeriesTotal, SnapshotRow
from competitions.selectors.participants.participants import not_started, participant_of
from competitions.selectors.participants.player_competitions import competitions_of
from competitions.selectors.rewards.rewards import grants_of
from competitions.selectors.series.series import totals_due
from competitions.services.lifecycle.snapshots import take_snapshot
from competitions.services.participants.join import join
from competitions.services.preview_ban import preview_ban
from competitions.services.results.revisions import publish_due_revisions
from competitions.services.series.count_results import count_due_series
from foundation import clock
from leaderboards.errors import Banned
from leaderboards.models import RestrictionKind
from leaderboards.services.events import BanPreview
from tests.competitions.factories import END, HOUR, MINUTE, SeriesFactory
from tests.competitions.published import places, revisions
from tests.competitions.services.winning import granted, settle, won_by_ann
from tests.competitions.site import SOON, STORAGES, joined, make_board, open_competition, player, race, ranks, reloaded
from tests.leaderboards.admin.conftest import admin
from tests.leaderboards.services.restricting import EVERY_WAY, keep_out, let_back

__all__ = ["admin"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

OVER = END + MINUTE
WITH_ANN = [("Gold", "ann", 1), ("Medal", "ann", 1), ("Medal", "bob", 2)]
WITHOUT = [("Gold", "bob", 1), ("Medal", "bob", 1), ("Medal", "cleo", 2)]


def follow() -> None:
    """What the schedule does, ten seconds later."""
    later = clock.now() + MINUTE
    publish_due_revisions(later)
    settle(later)


@pytest.mark.parametrize("how", EVERY_WAY)
def test_rewards_and_the_result_follow_a_restriction_and_its_end(how: str) -> None:
    competition = won_by_ann()
    board = competition.board
    assert granted() == WITH_ANN
    told = preview_ban([player("ann").pk], banned=True, board=board.seq)

    keep_out(how, board, "ann")
    assert grants_of(competition, "ann", clock.now()) == []  # at once
    follow()
    without = sorted(granted()), places(revisions(competition)[-1])
    let_back()
    follow()

    assert without[0] == WITHOUT
    assert without[1] == [(1, "bob"), (2, "cleo")]
    assert sorted(granted()) == WITH_ANN
    assert Revision.objects.count() == 3
    assert told == BanPreview(0, 1, 2, 2)


@pytest.mark.parametrize("kind", ["hidden", "shadowed"])
def test_of_a_final_result_a_stranger_reads_who_is_shown_no_more_and_the_page_that_shadows_says_so(
    admin: Client, kind: str
) -> None:
    competition = won_by_ann()
    board, ann = competition.board, player("ann")
    sent = {"confirmed": "1", "kind": kind, "board": str(board.seq), "look": "1"}
    page = admin.post(f"/admin/leaderboards/player/{ann.pk}/restrict/", sent).content.decode()
    running = make_board("sql")
    elsewhere = admin.post(f"/admin/leaderboards/player/{ann.pk}/restrict/", sent | {"board": str(running.seq)})

    keep_out(kind, board, "ann")
    follow()
    address = f"/api/v1/competitions/{competition.pk}"
    listed = Client().get(f"{address}/revisions").json()["rows"]
    before, after = (Client().get(f"{address}/result.json?revision={number}").getvalue() for number in (1, 2))

    assert [each["reason"] for each in listed] == ["", "Who is shown in the result has changed."]
    assert (b'"ann"' in before, b'"ann"' in after) == (True, False)
    assert ("So the shadowed can find out." in page) is (kind == "shadowed")
    assert "So the shadowed can find out." not in elsewhere.content.decode()


def test_a_restriction_on_another_board_changes_no_result_and_the_preview_says_so() -> None:
    competition = won_by_ann()
    other = make_board("sql")

    for kind in RestrictionKind:
        keep_out(kind, other, "ann")
    follow()

    assert Revision.objects.count() == 1
    assert granted() == WITH_ANN
    assert preview_ban([player("ann").pk], banned=True, board=other.seq) == BanPreview()
    assert [each.competition for each in competitions_of(player("ann"), clock.now())] == [competition]


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("how", ["hidden", "shadowed", "banned", "hidden everywhere"])
def test_a_running_competition_shows_them_nowhere_and_the_others_close_up(storage: str, how: str) -> None:
    competition = race({"ann": 9, "bob": 7}, make_board(storage))
    joined(competition, "dan")
    before = ranks(competition)

    keep_out(how, competition.board, "ann", "dan")
    take_snapshot(competition, SOON, SOON)
    found = reloaded(competition)

    assert ranks(competition) == [("bob", 1, 7)]
    assert participant_of(found, "ann") is None
    assert not_started(found, SOON).total == 0
    assert competitions_of(player("ann"), SOON) == []
    assert list(SnapshotRow.objects.values_list("player__external_id", "rank")) == [("bob", 1)]
    let_back()
    assert ranks(competition) == before
    assert not_started(found, SOON).total == 1


def test_who_is_banned_from_its_board_joins_no_competition_and_who_is_hidden_may() -> None:
    competition = open_competition()
    ann, bob = player("ann"), player("bob")
    keep_out("banned", competition.board, "ann")
    keep_out("shadowed", competition.board, "bob")

    with pytest.raises(Banned):
        join(competition, ann, SOON)
    join(competition, bob, SOON)

    assert list(Participant.objects.values_list("player__external_id", flat=True)) == ["bob"]


def test_the_total_of_a_series_waits_for_who_may_not_score_on_its_board_alone() -> None:
    competition = won_by_ann()
    series = SeriesFactory.create(competitions=[competition])
    keep_out("banned", series.board, "ann")
    keep_out("hidden", series.board, "bob")

    count_due_series(OVER + HOUR)

    assert set(SeriesTotal.objects.filter(due=True).values_list("player__external_id", flat=True)) == {"ann"}
    assert not totals_due().exists()
    let_back()
    assert [total.player.external_id for total in totals_due()] == ["ann"]
