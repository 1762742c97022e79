"""Bans in the admin: a page between that says what comes of it and wants a reason, for one player and for several."""

import pytest
from django.test import Client

from foundation import clock
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.models import BanRecord, Board, Player
from leaderboards.services.moderation.ban import ban
from leaderboards.services.submit.pipeline import submit
from tests.leaderboards.admin.typed import act, make_board, page
from tests.leaderboards.factories import PlayerFactory
from tests.leaderboards.services.restricting import keep_out
from tests.staff import staff

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

PLAYERS = "/admin/leaderboards/player/"


def scored(board: Board, points: dict[str, int]) -> None:
    rows = [{"board": board.seq, "player": name, "points": number} for name, number in points.items()]
    submit([read_entry(row, place) for place, row in enumerate(rows)], Caller("game"), clock.now())


def of(player: Player, slug: str) -> str:
    return f"{PLAYERS}{player.pk}/{slug}/"


@pytest.fixture
def ann(db: None) -> Player:
    """First on one board and third on another; nobody is banned."""
    scored(make_board(name="One"), {"ann": 9, "bob": 7})
    scored(make_board(name="Two"), {"ann": 1, "bob": 7, "cleo": 5})
    return Player.objects.get(external_id="ann")


def test_the_page_says_what_a_ban_does_before_it_is_done_and_nothing_happens_without_a_reason(
    admin: Client, ann: Player
) -> None:
    asked = page(admin, of(ann, "ban"))
    missing = admin.post(of(ann, "ban"), {"confirmed": "1", "reason": "  "}).content.decode()

    assert "On 2 running boards they hold places 1 and 3;" in asked
    assert "Give a reason of 1 to 300 characters." in missing
    assert (Player.objects.get(pk=ann.pk).banned_at, BanRecord.objects.count()) == (None, 0)


def test_a_ban_and_its_end_stand_on_record_at_the_players_page(admin: Client, ann: Player) -> None:
    done = admin.post(of(ann, "ban"), {"confirmed": "1", "reason": "<b>A bot"}, follow=True).content.decode()
    asked = page(admin, of(ann, "unban"))
    lifted = admin.post(of(ann, "unban"), {"confirmed": "1", "reason": "No bot"}, follow=True).content.decode()

    assert "Banned: ann." in done
    assert f'href="{of(ann, "unban")}"' in done
    assert "On 2 running boards they hold places 1 and 3 again." in asked
    assert "Let in again: ann." in lifted
    for part in ("UTC · ban lifted · admin · No bot", "UTC · banned · admin · &lt;b&gt;A bot"):
        assert part in lifted
    assert f'href="{of(ann, "ban")}"' in lifted
    assert Player.objects.get(pk=ann.pk).banned_at is None


def test_several_are_banned_at_once_with_the_sum_of_it_and_one_reason(admin: Client, ann: Player) -> None:
    bob = Player.objects.get(external_id="bob")

    asked = act(admin, PLAYERS, "ban", ann, bob)
    done = act(admin, PLAYERS, "ban", ann, bob, confirmed="1", reason="A ring.")

    assert "On 2 running boards they hold places 1, 1, 2 and 3;" in asked
    assert "2 players" in asked
    assert "Banned: ann, bob." in done
    assert BanRecord.objects.filter(reason="A ring.").count() == 2


def test_whom_nothing_can_be_done_to_is_said_instead_of_asked(admin: Client, ann: Player) -> None:
    nobody = "None of the selected is banned: nothing was done."

    assert nobody in act(admin, PLAYERS, "unban", ann)
    assert nobody in admin.get(of(ann, "unban"), follow=True).content.decode()
    ban([ann.pk], "A bot.", clock.now(), None)
    assert (
        "banned already"
        in admin.post(of(ann, "ban"), {"confirmed": "1", "reason": "Again."}, follow=True).content.decode()
    )
    assert BanRecord.objects.count() == 1


def test_nobody_is_said_to_move_up_for_who_is_shadowed_there_already(admin: Client) -> None:
    board = make_board(name="One")
    scored(board, {"ann": 9, "bob": 7})
    keep_out("shadowed", board, "ann")

    ann, bob = (page(admin, of(Player.objects.get(external_id=name), "ban")) for name in ("ann", "bob"))

    assert "On 1 running board they are hidden already: no rank changes there." in ann
    assert "the others move up" not in ann
    assert "On 1 running board they hold place 1; they are hidden at once, and the others move up." in bob


def test_who_holds_no_place_is_said_to_hold_none(admin: Client) -> None:
    assert "They hold no place on a running board" in page(admin, of(PlayerFactory.create(), "ban"))


@pytest.mark.parametrize(("right", "status"), [("view_player", 403), ("change_player", 200)])
def test_only_who_may_change_players_bans(stranger: Client, ann: Player, right: str, status: int) -> None:
    viewer = staff(right)

    assert stranger.get(of(ann, "ban")).status_code == 403
    assert viewer.get(of(ann, "ban")).status_code == status
    assert (of(ann, "ban") in page(viewer, f"{PLAYERS}{ann.pk}/change/")) is (status == 200)
    viewer.post(of(ann, "ban"), {"confirmed": "1", "reason": "A bot."})
    assert BanRecord.objects.exists() is (status == 200)
    assert viewer.get(f"{PLAYERS}999999/ban/").status_code == 404
