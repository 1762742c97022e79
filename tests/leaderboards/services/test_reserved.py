"""Boards that hold the totals of a series: nobody else changes their standings, through whichever door."""

from datetime import timedelta

import pytest
from django.test import Client

from competitions.models import Competition, Series
from competitions.services.series.count_results import count_due_series
from foundation import clock
from foundation.audit.models import AuditEntry
from leaderboards import selectors
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller, Outcome
from leaderboards.errors import BoardReserved
from leaderboards.models import Player, Submission
from leaderboards.selectors.catalog.reserved import clear_reserved_cache, reserved_for
from leaderboards.selectors.moderation.purges import PurgeRange, UnaffectedCounts
from leaderboards.services.moderation.purge import PURGED, checked_purge_preview, kept_submissions, request_purge
from leaderboards.services.moderation.remove import remove_player
from leaderboards.services.moderation.run_purge import run_due
from leaderboards.services.moderation.unvoid import unvoid_submission
from leaderboards.services.moderation.void import void_submission
from leaderboards.services.submit.pipeline import backfill, submit
from tests.competitions.factories import SeriesFactory
from tests.competitions.services.series.test_count_results import OVER, final
from tests.leaderboards.factories import AdminFactory, BoardFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.fixture
def series() -> Series:
    """One in which ann has ten points."""
    clear_reserved_cache()
    made = SeriesFactory.create(competitions=[final({"ann": 9})])
    count_due_series(OVER)
    return made


def sent(board: int, caller: Caller = Caller("tests")) -> Outcome:  # noqa: B008 - a frozen value, so sharing it is safe
    [outcome] = submit([read_entry({"board": board, "player": "ann", "points": 99}, 0)], caller, clock.now())
    return outcome


def standing(series: Series) -> dict[str, object]:
    return {row.player: row.points for row in selectors.standings(series.board).rows}


def test_scores_are_refused_by_the_api_and_the_import_and_say_whose_board_it_is(series: Series) -> None:
    entry = read_entry({"board": series.board_id, "player": "ann", "points": 99}, 0)

    outcomes = [sent(series.board_id), *backfill([entry], Caller("import"), clock.now())]

    assert [outcome.code for outcome in outcomes] == ["board_reserved"] * 2
    assert f"series {series.pk}" in str(outcomes[0].detail)
    assert standing(series) == {"ann": 10}


def test_a_key_that_does_not_reach_the_board_hears_nothing_of_it(series: Series) -> None:
    assert sent(series.board_id, Caller("tests", frozenset({0}))).code == "forbidden"


def test_nobody_is_taken_out_and_no_submission_is_voided_or_restored(series: Series) -> None:
    with pytest.raises(BoardReserved):
        remove_player(series.board, "ann", clock.now())
    with pytest.raises(BoardReserved):
        void_submission(Submission.objects.get(board=series.board), clock.now())
    with pytest.raises(BoardReserved):
        unvoid_submission(Submission.objects.get(board=series.board), clock.now())

    assert standing(series) == {"ann": 10}


@pytest.mark.parametrize("storage", ["hybrid", "sql"])
def test_any_other_board_takes_scores_also_one_that_could_be_reserved(storage: str) -> None:
    board = BoardFactory.create(period="all_time", storage=storage)

    assert sent(board.seq).code is None
    assert reserved_for(board) == ""


def test_the_board_in_the_admin_says_that_it_is_reserved(series: Series, client: Client) -> None:
    client.force_login(AdminFactory.create())

    page = client.get(f"/admin/leaderboards/board/{series.board_id}/change/").content.decode()
    other = client.get(f"/admin/leaderboards/board/{BoardFactory.create().seq}/change/").content.decode()

    assert f"holds the totals of series {series.pk}" in page
    assert "holds the totals" not in other


def test_a_purge_is_told_before_and_after_what_it_leaves_of_a_series_and_of_a_cancelled_competition(
    series: Series,
) -> None:
    now, ann = clock.now(), Player.objects.get(external_id="ann")
    running = BoardFactory.create(name="Other")
    submit([read_entry({"board": running.seq, "player": "ann", "points": 9}, 0)], Caller("tests"), now)
    Submission.objects.update(created_at=now - timedelta(minutes=5))
    Competition.objects.update(cancelled_at=now)
    chosen = PurgeRange(now - timedelta(minutes=9), now - timedelta(minutes=2), ann.pk)

    foreseen = checked_purge_preview(chosen, now)
    with pytest.raises(BoardReserved):
        checked_purge_preview(chosen._replace(player=None, board=series.board_id), now)
    made = request_purge(chosen, "A cheat.", now, None)
    run_due(now, 60.0)
    made.refresh_from_db()

    assert (foreseen.submissions, foreseen.kept) == (1, UnaffectedCounts(reserved=1, events=1))
    assert (made.voided, made.kept) == (1, 2)
    assert kept_submissions(made, now) == foreseen.kept
    assert made.finished_at == now


def test_the_form_of_a_purge_offers_no_such_board_and_its_page_says_what_stays(series: Series) -> None:
    admin, now = Client(), clock.now()
    admin.force_login(AdminFactory.create())
    Submission.objects.update(created_at=now - timedelta(minutes=5))
    form = admin.get("/admin/leaderboards/purge/add/").content.decode()
    ann = Player.objects.get(external_id="ann")
    made = request_purge(
        PurgeRange(now - timedelta(minutes=9), now - timedelta(minutes=2), ann.pk), "A cheat.", now, None
    )
    address = f"/admin/leaderboards/purge/{made.pk}/change/"

    moving = admin.get(address)
    run_due(now, 60.0)
    over = admin.get(address).content.decode()

    assert f'<option value="{series.board_id}">' not in form
    assert 'data-live="2"' in moving.content.decode()
    part = admin.get(f"{address}?fragment=1")
    assert 'data-part="purge"' in part.content.decode()
    assert admin.get(f"{address}?fragment=1", headers={"if-none-match": part["ETag"]}).status_code == 304
    assert "data-live" not in over
    assert "1 stay: they lie on a board of a series, whose totals follow its competitions." in over
    entry = AuditEntry.objects.get(act=PURGED)
    assert f'href="/admin/foundation/auditentry/{entry.pk}/undo/"' in over
