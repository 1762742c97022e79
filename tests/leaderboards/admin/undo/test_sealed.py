"""Undoing settings of boards and standings shows the dry run of the act, and only what was shown is undone."""

import re

import pytest
from django.test import Client

from foundation import clock
from foundation.audit.models import AuditEntry
from foundation.audit.undo import undo
from leaderboards.admin.boards.preview_seal import SEAL_FIELD
from leaderboards.admin.undo import bulk as undo_several
from leaderboards.admin.undo import previews as undo_previews
from leaderboards.admin.undo.previews import UndoPreview, register_undo_preview
from leaderboards.core.ranking.policies import StandingState
from leaderboards.models import Board, Player
from leaderboards.selectors.catalog.periods import find_period_row
from leaderboards.services.board_files import apply_boards
from leaderboards.services.boards import save_board
from leaderboards.services.imports import actions as imports
from leaderboards.services.moderation.ban import ban
from leaderboards.services.moderation.set_standing import StandingChange, set_standing, standing_in_redis
from tests.leaderboards.admin.moderation.test_ban_pages import scored
from tests.leaderboards.admin.typed import act, make_board, page
from tests.leaderboards.imports.files import boards_file, moved, sent, table
from tests.leaderboards.services.site import follow

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

LOG = "/admin/foundation/auditentry/"
AGAIN = "has changed since you looked, or was not shown yet"


@pytest.fixture
def board(db: None) -> Board:
    made = make_board(name="One", period="week")
    scored(made, {"ann": 9, "bob": 7, "cleo": 5})
    return made


def changed(board: Board, **settings: object) -> AuditEntry:
    for name, value in settings.items():
        setattr(board, name, value)
    save_board(board, clock.now())
    return AuditEntry.objects.filter(act="board.changed").latest("pk")


def undoing(entry: AuditEntry) -> str:
    return f"{LOG}{entry.pk}/undo/"


def seal_in(body: str, field: str = SEAL_FIELD) -> str:
    found = re.search(rf'name="{field}" value="([^"]+)"', body)
    assert found
    return found[1]


def posted(client: Client, entry: AuditEntry, seal: str = "") -> str:
    return client.post(undoing(entry), {"reason": "No.", SEAL_FIELD: seal}, follow=True).content.decode()


def test_settings_of_a_board_are_given_back_as_they_were_shown_and_not_unseen(admin: Client, board: Board) -> None:
    entry = changed(board, order="asc")
    other = changed(make_board(name="Two"), unit="seconds")

    shown = page(admin, undoing(entry))
    unseen = posted(admin, entry)
    of_another = posted(admin, entry, seal_in(page(admin, undoing(other))))
    kept = Board.objects.get(name="One").order
    done = posted(admin, entry, seal_in(shown))

    assert "the next period ranks by the new rules; the 3 players of the running one keep their ranks." in shown
    assert AGAIN not in shown
    assert AGAIN in unseen
    assert AGAIN in of_another
    assert kept == "asc"
    assert "Undone: board changed." in done
    assert Board.objects.get(name="One").order == "desc"


def test_settings_that_changed_since_the_look_are_looked_at_again(admin: Client, board: Board) -> None:
    entry = changed(board, order="asc")
    seal = seal_in(page(admin, undoing(entry)))
    later = changed(board, order="desc")

    told = posted(admin, entry, seal)

    assert "It was changed again since" in told
    assert not AuditEntry.objects.filter(undoes__in=[entry, later]).exists()


def test_changes_of_one_board_among_several_are_shown_together_and_sealed(admin: Client, board: Board) -> None:
    entries = [changed(board, order="asc"), changed(board, unit="seconds")]
    field = f"seen-{entries[1].pk}"

    shown = act(admin, LOG, "undo_selected", *entries)
    unseen = act(admin, LOG, "undo_selected", *entries, confirmed="1", reason="No.")
    kept = Board.objects.get().order
    seal = seal_in(unseen, field)
    done = act(admin, LOG, "undo_selected", *entries, confirmed="1", reason="No.", **{field: seal})

    assert shown.count('class="compared"') == 1
    assert "the 3 players of the running one keep their ranks." in shown
    assert AGAIN not in shown
    assert AGAIN in unseen
    assert kept == "asc"
    assert "Undone: 2. Refused: 0." in done
    assert (Board.objects.get().order, Board.objects.get().unit) == ("desc", "points")


def test_one_that_cannot_be_shown_keeps_no_other_among_several_and_is_not_tried(
    admin: Client, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    stale = changed(board, order="asc")
    changed(board, order="desc")
    seen = changed(make_board(name="Two"), unit="seconds")
    ban([Player.objects.get(external_id="ann").pk], "A bot.", clock.now(), None)
    entries = [stale, seen, AuditEntry.objects.get(act="player.banned")]
    tried = []

    def noted(number: int, *args: object) -> object:
        tried.append(number)
        return undo(number, *args)  # type: ignore[arg-type]  # the arguments are passed on unchanged

    monkeypatch.setattr(undo_several, "undo", noted)
    shown = act(admin, LOG, "undo_selected", *entries)
    unseen = act(admin, LOG, "undo_selected", *entries, confirmed="1", reason="No.")
    field = f"seen-{seen.pk}"
    done = act(admin, LOG, "undo_selected", *entries, confirmed="1", reason="No.", **{field: seal_in(shown, field)})

    assert "It was changed again since" in shown
    assert AGAIN in unseen
    assert "Undone: 2. Refused: 1." in done
    assert "It was changed again since" in done
    assert set(tried) == {each.pk for each in entries[1:]}
    assert not stale.is_undone


def set_to(board: Board, points: int) -> AuditEntry:
    period = find_period_row(board, "current", clock.now())
    assert period is not None
    follow(period)  # nobody's row is in SQL before
    ann = Player.objects.get(external_id="ann")
    seen = standing_in_redis(period, "ann")
    assert seen.state is not None
    assert set_standing(
        StandingChange(period.pk, ann, StandingState((points,), seen.state.at_ms), seen.score),
        "A bug.",
        clock.now(),
        None,
    )
    follow(period)
    return AuditEntry.objects.filter(act="standing.set").latest("pk")


def test_a_standing_is_given_back_as_it_was_shown_with_places_and_what_moves(admin: Client) -> None:
    board = make_board(name="Fast", period="week", storage="redis")
    scored(board, {"ann": 9, "bob": 7, "cleo": 5})
    entry = set_to(board, 1)

    shown = page(admin, undoing(entry))
    unseen = posted(admin, entry)
    kept = entry.is_undone
    done = posted(admin, entry, seal_in(shown))

    assert "Now: rank 3 with 1 point" in shown
    assert "Then: rank 1 with 9 points" in shown
    assert "1 first place moves, 3 ranks change." in shown
    assert AGAIN in unseen
    assert not kept
    assert "Undone: standing set." in done


def test_a_standing_that_moved_since_is_said_to_have_and_stays(admin: Client) -> None:
    board = make_board(name="Fast", period="week", storage="redis")
    scored(board, {"ann": 9, "bob": 7})
    entry = set_to(board, 1)
    seal = seal_in(page(admin, undoing(entry)))
    scored(board, {"ann": 20})

    told = posted(admin, entry, seal)

    assert "It was changed again since" in told
    assert not entry.is_undone


def test_an_import_of_boards_is_set_back_as_it_was_shown(admin: Client, board: Board) -> None:
    at = clock.now()
    apply_boards([{"name": "One", "unit": "points"}], at)
    run = sent("boards", boards_file({"name": "One", "order": "asc"}), at=at)
    imports.confirm(run.pk, at, None)
    moved(run, at)
    entry = AuditEntry.objects.get(act="import.confirmed")

    shown = page(admin, undoing(entry))
    unseen = posted(admin, entry)
    kept = Board.objects.get().order
    posted(admin, entry, seal_in(shown))

    assert "the 3 players of the running one keep their ranks." in shown
    assert AGAIN in unseen
    assert (kept, Board.objects.get().order) == ("asc", "desc")


def test_an_import_of_scores_says_whom_its_undoing_moves(admin: Client, board: Board) -> None:
    at = clock.now()
    run = sent("scores", table("zoe", worth=50), board, at=at)
    imports.confirm(run.pk, at, None)
    moved(run, at)

    shown = page(admin, undoing(AuditEntry.objects.get(act="import.confirmed")))

    assert "Voids exactly the scores that this import made" in shown
    assert "1 first place moves, 4 ranks change." in shown


def test_another_app_says_of_its_own_acts_what_moves(
    admin: Client, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(undo_previews, "_previews", {})
    monkeypatch.setattr(undo_previews, "_sealed_actions", set())
    register_undo_preview("player.banned", lambda _entry: UndoPreview(("Gold goes to bob.",)))
    ban([Player.objects.get(external_id="ann").pk], "A bot.", clock.now(), None)
    entry = AuditEntry.objects.get(act="player.banned")

    shown = page(admin, undoing(entry))
    done = posted(admin, entry)

    assert "<li>Gold goes to bob.</li>" in shown
    assert "Undone: player banned." in done
