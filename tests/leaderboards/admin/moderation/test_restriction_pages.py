"""Restrictions in the admin: one page for all kinds, with a choice of board, that says what comes of the very choice
before it is done; and one for the end of it."""

import re

import pytest
from django.test import Client

from foundation import clock
from foundation.audit.models import AuditEntry
from leaderboards.models import Board, Player, Restriction
from leaderboards.services.moderation.ban import ban
from tests.leaderboards.admin.moderation.test_ban_pages import PLAYERS, of, scored
from tests.leaderboards.admin.typed import act, make_board, page
from tests.leaderboards.services.restricting import keep_out
from tests.staff import staff

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.fixture
def boards(db: None) -> tuple[Board, Board]:
    """Ann is first of three on One and third of four on Two."""
    one, two = make_board(name="One"), make_board(name="Two")
    scored(one, {"ann": 9, "bob": 7, "cleo": 5})
    scored(two, {"ann": 3, "bob": 7, "cleo": 5, "dan": 1})
    return one, two


def asked(kind: str, board: Board | None = None, **more: str) -> dict[str, str]:
    """What the form sends, having shown what comes of the very choice."""
    number = str(board.seq) if board else ""
    sent = {"confirmed": "1", "kind": kind, "board": number or "all", "seen": f"{kind}:{number}", "reason": "A bot."}
    return sent | more


def ann() -> Player:
    return Player.objects.get(external_id="ann")


def post(client: Client, slug: str, sent: dict[str, str]) -> str:
    return client.post(of(ann(), slug), sent, follow=True).content.decode()


def test_the_page_tells_of_each_choice_what_it_moves_and_does_nothing_yet(
    admin: Client, boards: tuple[Board, Board]
) -> None:
    first = post(admin, "restrict", {**asked("hidden"), "look": "1"})
    on_two = post(admin, "restrict", {**asked("shadowed", boards[1]), "look": "1"})
    other = post(admin, "restrict", {**asked("banned", boards[0]), "seen": "hidden:"})
    missing = post(admin, "restrict", asked("hidden", boards[0], reason=" "))

    assert "On 2 running boards they hold places 1 and 3;" in first
    assert "1 first place moves, 5 ranks change." in first
    assert "On 1 running board they hold place 3;" in on_two
    assert "0 first places move, 2 ranks change." in on_two
    assert "see what changes by that" in other
    assert "1 first place moves, 3 ranks change." in other
    assert "Give a reason of 1 to 300 characters." in missing
    assert not Restriction.objects.exists()
    assert ann().banned_at is None


def test_nothing_is_chosen_by_itself_and_no_look_shows_what_nobody_asked_for(
    admin: Client, boards: tuple[Board, Board]
) -> None:
    first = page(admin, of(ann(), "restrict"))
    half = post(admin, "restrict", {**asked("banned"), "board": ""})

    for told in (first, half):
        assert "What changes:" not in told
        assert "Yes:" not in told
        assert f'<option value="{boards[0].seq}">One ({boards[0].seq})</option>' in told
    assert "Nothing was done." in half
    assert not Restriction.objects.exists()


@pytest.mark.parametrize(
    ("kind", "everywhere", "asks", "told"),
    [
        ("hidden", False, "Hide ann on One", "Hidden on One: ann."),
        ("shadowed", True, "Shadow ann on all boards", "Shadowed on all boards: ann."),
        ("banned", False, "Ban ann from One", "Banned from One: ann."),
        ("banned", True, "Ban ann from all boards", "Banned from all boards: ann."),
    ],
)
def test_the_look_the_button_and_what_is_said_then_name_the_very_choice(
    admin: Client, boards: tuple[Board, Board], kind: str, everywhere: bool, asks: str, told: str
) -> None:
    sent = asked(kind, None if everywhere else boards[0])

    shown = post(admin, "restrict", {**sent, "look": "1"})
    done = post(admin, "restrict", sent)

    assert f"What changes: {asks}</h2>" in shown
    assert f'class="confirm-yes">Yes: {asks}</button>' in shown
    assert told in done


def test_the_one_restriction_that_is_lifted_is_named_and_of_several_one_is_chosen(
    admin: Client, boards: tuple[Board, Board]
) -> None:
    keep_out("hidden", boards[0], "ann")
    one = page(admin, of(ann(), "lift"))
    keep_out("shadowed", boards[1], "ann")
    two = page(admin, of(ann(), "lift"))

    assert f"Yes: Lift “hidden: board {boards[0].seq}, One” of ann</button>" in one
    assert "Yes:" not in two
    assert "Choose…" in two


@pytest.mark.parametrize("kind", ["hidden", "shadowed", "banned"])
@pytest.mark.parametrize("everywhere", [True, False])
def test_what_is_done_and_its_end_stand_at_the_player_and_in_the_log(
    admin: Client, boards: tuple[Board, Board], kind: str, everywhere: bool
) -> None:
    if kind == "banned" and everywhere:
        assert "Banned from all boards: ann." in post(admin, "restrict", asked(kind))
        assert ann().banned_at is not None
        assert not Restriction.objects.exists()
        return
    board = None if everywhere else boards[0]
    where = "all boards" if everywhere else f"board {boards[0].seq}, One"

    done = post(admin, "restrict", asked(kind, board, reason="<b>A bot"))
    again = post(admin, "restrict", asked(kind, board))
    lifting = page(admin, of(ann(), "lift"))
    mark = f"{kind}:{board.seq if board else ''}"
    lifted = post(admin, "lift", {"confirmed": "1", "what_runs": mark, "seen": mark, "reason": "No bot."})

    row = Restriction.objects.get()
    assert (row.kind, row.board, row.by and row.by.get_username()) == (kind, board, "admin")
    assert "One: ann." in done or "all boards: ann." in done
    assert f": {where} · admin · &lt;b&gt;A bot" in done
    assert "nothing was done" in again
    assert "1 first place moves" in lifting
    assert f"{where}”: ann." in lifted
    assert "UTC · admin · No bot." in lifted
    entries = AuditEntry.objects.filter(
        act__in=[f"player.{kind}", "player.banned_from_board", "player.restriction_lifted"]
    )
    assert list(entries.order_by("pk").values_list("reason", flat=True)) == ["<b>A bot", "No bot."]


def test_several_are_restricted_at_once_and_let_go_of_one_restriction_at_once(
    admin: Client, boards: tuple[Board, Board]
) -> None:
    both = [ann(), Player.objects.get(external_id="bob")]

    shown = act(admin, PLAYERS, "restrict", *both, **(asked("hidden") | {"look": "1"}))
    act(admin, PLAYERS, "restrict", *both, **asked("hidden", boards[0]))
    keep_out("banned", boards[0], "bob")
    lifting = act(admin, PLAYERS, "lift", *both)
    mark = f"hidden:{boards[0].seq}"
    act(admin, PLAYERS, "lift", *both, confirmed="1", what_runs=mark, seen=mark, reason="Over.")

    assert "Yes: Hide 2 players on all boards" in shown
    assert "2 first places move, 7 ranks change." in shown
    assert "banned from the board: board" in lifting
    assert list(Restriction.objects.filter(lifted_at=None).values_list("kind", flat=True)) == ["banned"]


def test_a_ban_from_everything_is_called_so_where_it_is_lifted(admin: Client, boards: tuple[Board, Board]) -> None:
    keep_out("banned", boards[0], "ann")
    ban([ann().pk], "A bot.", clock.now(), None)

    lifting = act(admin, PLAYERS, "lift", ann())

    assert "banned from everything" in lifting
    assert "banned from the board: all boards" not in lifting


def test_a_board_that_is_none_is_refused_with_its_number(admin: Client, boards: tuple[Board, Board]) -> None:
    refused = post(admin, "restrict", {**asked("hidden"), "board": "999", "seen": "hidden:999"})

    assert "There is no board 999." in refused
    assert not Restriction.objects.exists()


def test_who_is_kept_out_by_something_else_too_moves_nothing(admin: Client, boards: tuple[Board, Board]) -> None:
    keep_out("hidden", boards[0], "ann")
    keep_out("banned", boards[0], "ann")

    shadow = post(admin, "restrict", {**asked("shadowed", boards[0]), "look": "1"})
    mark = f"hidden:{boards[0].seq}"
    lifting = post(admin, "lift", {"confirmed": "1", "what_runs": mark, "look": "1"})

    for told in (shadow, lifting):
        assert "Something else keeps them out already: no ranking changes." in told


def test_a_ban_from_everything_ends_by_the_same_page_as_it_began(admin: Client, boards: tuple[Board, Board]) -> None:
    post(admin, "restrict", {**asked("banned"), "seen": "banned:"})
    assert ann().banned_at is not None

    shown = admin.get(of(ann(), "lift")).content.decode()
    post(admin, "lift", {"confirmed": "1", "what_runs": "banned:", "seen": "banned:", "reason": "It was another one."})

    assert "Something else keeps them out already" not in shown
    assert ann().banned_at is None


def test_without_a_restriction_there_is_nothing_to_lift(admin: Client, boards: tuple[Board, Board]) -> None:
    address = f"/admin/leaderboards/player/{ann().pk}/change/"
    assert "Lift a restriction" not in admin.get(address).content.decode()
    keep_out("hidden", boards[0], "ann")
    assert "Lift a restriction" in admin.get(address).content.decode()
    Restriction.objects.update(lifted_at=clock.now())
    assert "None of the selected is restricted like this" in admin.get(of(ann(), "lift"), follow=True).content.decode()


@pytest.mark.parametrize(("right", "status"), [("view_player", 403), ("change_player", 200)])
def test_only_who_may_change_players_restricts(
    stranger: Client, boards: tuple[Board, Board], right: str, status: int
) -> None:
    viewer = staff(right)

    assert stranger.get(of(ann(), "restrict")).status_code == 403
    assert viewer.get(of(ann(), "restrict")).status_code == status
    viewer.post(of(ann(), "restrict"), asked("hidden"))
    assert Restriction.objects.exists() is (status == 200)
    viewer.post(of(ann(), "lift"), {"confirmed": "1", "what_runs": "hidden:", "seen": "hidden:", "reason": "Over."})
    assert Restriction.objects.filter(lifted_at__isnull=False).exists() is (status == 200)
    assert viewer.get(f"{PLAYERS}999999/restrict/").status_code == 404


def test_the_list_is_filtered_by_width_and_by_moderator_and_leads_to_the_log_and_to_the_bans(
    admin: Client, boards: tuple[Board, Board]
) -> None:
    keep_out("hidden standing", boards[0], "ann")
    keep_out("hidden", boards[1], "bob")
    keep_out("hidden everywhere", boards[1], "cleo")
    keep_out("banned everywhere", boards[1], "dan")
    post(admin, "restrict", asked("shadowed", boards[1]))
    moderator = Restriction.objects.get(kind="shadowed").by_id

    def whose(asked: str) -> set[str]:
        listed = page(admin, f"/admin/leaderboards/restriction/?{asked}")
        return set(re.findall(r'class="field-whose"><a[^>]*>(\w+)</a>', listed))

    assert whose("") == {"ann", "bob", "cleo"}
    assert [whose(f"where={width}") for width in ("standing", "board", "everywhere")] == [
        {"ann"},
        {"ann", "bob"},
        {"cleo"},
    ]
    assert whose(f"by__id__exact={moderator}") == {"ann"}
    everything = page(admin, "/admin/leaderboards/restriction/")
    assert "Players banned from everything (1)" in everything
    for row in Restriction.objects.all():
        entry = AuditEntry.objects.get(note__restriction=row.pk)
        assert f'<a href="/admin/foundation/auditentry/{entry.pk}/change/">Entry</a>' in everything
    unread = page(staff("view_player"), "/admin/leaderboards/restriction/")
    assert "/admin/foundation/auditentry/" not in unread
