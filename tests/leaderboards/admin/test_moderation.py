"""Pages that purge, edit, set and erase: each shows what it comes to, wants a reason, and asks for a right."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission
from django.test import Client

from foundation import clock
from foundation.audit.models import AuditEntry
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.errors import StandingChanged
from leaderboards.models import Board, Period, Player, Purge, Standing, Submission
from leaderboards.selectors.moderation.purges import IN_FLIGHT_MARGIN
from leaderboards.services.moderation.edit import EditedValue, edit_submission
from leaderboards.services.moderation.run_purge import run_due
from leaderboards.services.submit.pipeline import submit
from leaderboards.services.sync.mirror import mirror
from tests.leaderboards.admin.typed import act, make_board, page
from tests.staff import staff

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

PURGE = "/admin/leaderboards/purge/add/"
SET = "/admin/leaderboards/standing/set/"


def scored(board: Board, points: dict[str, int]) -> None:
    rows = [{"board": board.seq, "player": name, "points": number} for name, number in points.items()]
    submit([read_entry(row, place) for place, row in enumerate(rows)], Caller("game"), clock.now())


def shown(client: Client, address: str, **typed: Any) -> tuple[str, dict[str, str]]:
    """What comes of it, and what the page would send with a reason."""
    answer = client.post(address, typed)
    context = answer.context
    if context is None:
        return answer.content.decode(), {}
    hidden = {name: str(context["form"].data.get(name, "")) for name in context["form"].fields}
    return answer.content.decode(), {**hidden, "shown": context["shown"], "confirmed": "1", "reason": "A cheat."}


def a_minute() -> dict[str, str]:
    """The minutes around now, as the browser sends them."""
    now = clock.now()
    around = {"from_at": now - timedelta(minutes=2), "until_at": now - timedelta(milliseconds=1)}
    return {name: f"{moment:%Y-%m-%dT%H:%M:%S}" for name, moment in around.items()}


@pytest.fixture
def ann(db: None) -> Player:
    """First of four, received a minute ago."""
    board = make_board()
    scored(board, {"ann": 9, "bob": 8, "cleo": 7, "dan": 1})
    Submission.objects.update(created_at=clock.now() - timedelta(minutes=1))
    return Player.objects.get(external_id="ann")


def test_a_purge_of_nobody_and_a_wrong_range_is_told_both_each_beside_its_field(admin: Client, ann: Player) -> None:
    typed = a_minute()
    backwards = {"from_at": typed["until_at"], "until_at": typed["from_at"]}

    form = admin.post(PURGE, {"player": "nobody", "look": "1", **backwards}).context["form"]

    assert form.errors == {
        "player": ["There is no player nobody."],
        "until_at": ["The range ends before it begins."],
    }
    labels = [field.label for field in form]
    assert labels == ["Player", "Board", "Service key", "Received from", "Received before"]


def test_a_purge_is_shown_then_asked_for_with_a_reason_and_its_page_says_how_far_it_is(
    admin: Client, ann: Player
) -> None:
    asked, typed = shown(admin, PURGE, player="ann", **a_minute())

    assert "1 submission is voided, of 1 player." in asked
    assert "1 first place moves, 4 ranks change." in asked  # ann has none any more, all others move up
    assert not Purge.objects.exists()
    missing = admin.post(PURGE, typed | {"reason": " "}).content.decode()
    assert "Give a reason of 1 to 300 characters." in missing
    assert not Purge.objects.exists()
    done = admin.post(PURGE, typed, follow=True).content.decode()
    assert "0 % looked at" in done
    run_due(clock.now(), 60.0)
    made = Purge.objects.get()
    assert "follows once it is in" in page(admin, f"/admin/leaderboards/purge/{made.pk}/change/")
    run_due(made.until_at + IN_FLIGHT_MARGIN, 60.0)
    assert '<div class="readonly">done</div>' in page(admin, f"/admin/leaderboards/purge/{made.pk}/change/")
    made.refresh_from_db()
    assert (made.voided, made.reason, made.by and made.by.username) == (1, "A cheat.", "admin")
    assert "A cheat." not in page(admin, "/admin/leaderboards/purge/")


def test_from_a_players_page_the_range_holds_all_that_the_player_sent(admin: Client, ann: Player) -> None:
    Player.objects.filter(pk=ann.pk).update(created_at=clock.now() - timedelta(days=3))
    form = admin.get(PURGE, {"player": "ann"}).context["form"]
    typed = {name: str(form[name].value() or "") for name in ("player", "from_at", "until_at")}
    typed = {name: value.removesuffix("+00:00").replace(" ", "T") for name, value in typed.items()}

    asked, _ = shown(admin, PURGE, look="1", **typed)

    assert "1 submission is voided, of 1 player." in asked
    assert not admin.get(PURGE, {"player": "nobody"}).context["form"]["from_at"].value()


def test_what_is_typed_anew_after_it_was_shown_is_shown_again_and_not_done(admin: Client, ann: Player) -> None:
    _, typed = shown(admin, PURGE, player="ann", **a_minute())

    again = admin.post(PURGE, typed | {"player": "bob"}).content.decode()

    assert "1 submission is voided, of 1 player." in again
    assert not Purge.objects.exists()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({}, "name a player, a board or a service key"),
        ({"player": "nobody"}, "There is no player nobody."),
        ({"player": "ann", "until_at": "2099-01-01T00:00"}, "ends in the future"),
    ],
)
def test_a_range_that_cannot_be_is_refused_in_words(
    admin: Client, ann: Player, typed: dict[str, str], said: str
) -> None:
    assert said in shown(admin, PURGE, **(a_minute() | typed))[0]


def test_a_submission_is_edited_after_a_look_at_what_follows(admin: Client, ann: Player) -> None:
    row = Submission.objects.get(player=ann)
    address = f"/admin/leaderboards/submission/{row.pk}/edit/"
    assert f'href="{address}"' in page(admin, f"/admin/leaderboards/submission/{row.pk}/change/")

    asked, typed = shown(admin, address, worth="7.0")
    done = admin.post(address, typed, follow=True).content.decode()

    assert (
        "Now: rank 1 with 9 points. Then: rank 2 with 7 points." in asked or "Then: rank 3 with 7 points." in asked
    )  # in one second
    assert "1 first place moves, " in asked
    assert "It has the new value." in done
    assert Standing.objects.get(player=ann).points == 7
    assert AuditEntry.objects.get(act="submission.edited").by_name == "admin"
    assert "this board" in shown(admin, address, worth="99999999999")[0]


def test_a_submission_that_somebody_else_edits_meanwhile_is_not_overwritten(admin: Client, ann: Player) -> None:
    row = Submission.objects.get(player=ann)
    address = f"/admin/leaderboards/submission/{row.pk}/edit/"
    _, mine = shown(admin, address, worth="3")
    _, theirs = shown(admin, address, worth="6")
    admin.post(address, theirs)

    answer = admin.post(address, mine, follow=True)

    assert "Nothing was done: it changed meanwhile." in answer.content.decode()
    assert "Now: rank 3 with 6 points. Then: rank 3 with 3 points." in answer.content.decode()
    assert Submission.objects.get(pk=row.pk).points == 6
    with pytest.raises(StandingChanged, match="edited meanwhile"):
        edit_submission(row, EditedValue(points=3), "A slip.", clock.now(), None)
    again = answer.context["shown"]
    assert "It has the new value." in admin.post(address, mine | {"shown": again}, follow=True).content.decode()
    assert Submission.objects.get(pk=row.pk).points == 3


def test_a_standing_without_submissions_is_set_and_taken_out(admin: Client) -> None:
    board = make_board(storage="redis", name="In Redis")
    scored(board, {"ann": 9, "bob": 8})
    for period in Period.objects.filter(board=board):
        mirror(period)

    for worth, expected, said in (("7", 7, "Then: rank 2 with 7 points."), ("", None, "Then: not ranked.")):
        asked, typed = shown(admin, SET, board=str(board.seq), player="ann", worth=worth)
        assert said in asked
        assert "The standing is set." in admin.post(SET, typed, follow=True).content.decode()
        for period in Period.objects.filter(board=board):
            mirror(period)
        assert Standing.objects.get(player__external_id="ann").points == expected


def test_a_standing_that_moved_since_it_was_shown_is_not_overwritten(admin: Client) -> None:
    board = make_board(storage="redis", name="In Redis")
    scored(board, {"ann": 9})
    for period in Period.objects.filter(board=board):
        mirror(period)
    _, typed = shown(admin, SET, board=str(board.seq), player="ann", worth="7")
    scored(board, {"ann": 10})

    assert "scored meanwhile" in admin.post(SET, typed).content.decode()


def test_a_player_is_erased_once_the_id_was_typed_and_not_before(admin: Client, ann: Player) -> None:
    address = f"/admin/leaderboards/player/{ann.pk}/erase/"
    assert f'href="{address}"' in page(admin, f"/admin/leaderboards/player/{ann.pk}/change/")

    wrong, _ = shown(admin, address, how="erase", typed="Ann")
    asked, typed = shown(admin, address, how="erase", typed="ann")

    assert "This is not the id of the player" in wrong
    assert "They are taken out of 1 open period." in asked
    assert "1 first place moves, 4 ranks change." in asked
    assert Player.objects.filter(external_id="ann").exists()
    done = admin.post(address, typed, follow=True).content.decode()
    assert f"erased-{ann.pk} from now on" in done
    entry = AuditEntry.objects.get(act="player.erased")
    assert (entry.by_name, entry.reason) == ("admin", "A cheat.")


def test_a_player_with_a_running_score_is_not_anonymised_and_keeps_all_of_it(admin: Client, ann: Player) -> None:
    address = f"/admin/leaderboards/player/{ann.pk}/erase/"

    asked, typed = shown(admin, address, how="anonymise", typed="ann")
    refused = admin.post(address, typed).content.decode()

    assert "They have a score in 1 open period: until that is final, this is refused." in asked
    assert "The player has a score in 1 periods that are not final" in refused
    ann.refresh_from_db()
    assert (ann.external_id, ann.banned_at) == ("ann", None)
    assert Standing.objects.filter(player=ann, score__isnull=False).count() == 1


def test_voiding_says_what_all_ranks_do(admin: Client, ann: Player) -> None:
    asked = act(admin, "/admin/leaderboards/submission/", "void", Submission.objects.get(player=ann))

    assert "1 first place moves, 4 ranks change." in asked


RIGHTS = {
    "purge": ("add_purge", PURGE),
    "edit": ("change_submission", "/admin/leaderboards/submission/{submission}/edit/"),
    "set": ("change_standing", SET),
    "erase": ("erase_player", "/admin/leaderboards/player/{player}/erase/"),
}


@pytest.mark.parametrize("what", RIGHTS)
def test_each_asks_for_a_right_of_its_own_and_staff_without_it_are_refused(what: str, ann: Player) -> None:
    right, template = RIGHTS[what]
    address = template.format(player=ann.pk, submission=Submission.objects.get(player=ann).pk)
    client = staff(*Permission.objects.exclude(codename=right))
    for answer in (client.get(address), client.post(address, {"confirmed": "1", "reason": "Because."})):
        assert answer.status_code == 403
    assert staff(right).get(address).status_code == 200


def test_moderators_purge_edit_and_set_and_only_admins_erase() -> None:
    held = {name: set(Group.objects.get(name=name).permissions.values_list("codename", flat=True)) for name in GROUPS}

    assert {"add_purge", "change_standing", "change_submission"} <= held["moderator"]
    assert [name for name in GROUPS if "erase_player" in held[name]] == ["admin"]
    assert [name for name in GROUPS if "add_purge" in held[name]] == ["moderator", "admin"]


GROUPS = ("viewer", "judge", "operator", "moderator", "admin")
