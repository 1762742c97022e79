"""One standing is hidden from its page, by the page of all restrictions: what changes first, a reason, and the end."""

import pytest
from django.test import Client

from foundation import clock
from foundation.audit.models import AuditEntry
from leaderboards import formats
from leaderboards.admin.wording.periods import period_in_words
from leaderboards.models import Board, Period, Player, Restriction, Standing
from leaderboards.selectors.catalog.periods import period_info
from tests.competitions.site import race
from tests.leaderboards.admin.moderation.test_ban_pages import of, scored
from tests.leaderboards.admin.typed import make_board, page
from tests.leaderboards.services.restricting import HIDDEN_STANDING, WAYS_ON_A_BOARD, keep_out
from tests.leaderboards.views.pages import WEEK, close_all_past
from tests.playing import score
from tests.staff import staff

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.fixture
def board(db: None) -> Board:
    """Ann won last week, which is final, and is first of three this week too."""
    board = make_board(name="One", period="week")
    score(board.seq, {"ann": 9, "bob": 7}, clock.now() - WEEK)
    close_all_past(board.seq)
    scored(board, {"ann": 9, "bob": 7, "cleo": 5})
    return board


def final() -> Period:
    return Period.objects.order_by("starts_at")[0]


def ann() -> Player:
    return Player.objects.get(external_id="ann")


def standing_page(period: Period) -> str:
    row = Standing.objects.get(period=period, player=ann())
    return f"/admin/leaderboards/standing/{row.pk}/change/"


def there(period: Period) -> str:
    return f"{of(ann(), 'restrict')}?period={period.pk}"


def test_from_the_standing_to_the_look_the_yes_the_list_and_the_end(admin: Client, board: Board) -> None:
    period = final()
    where = f"one standing hidden: board {board.seq}, One, {period_in_words(period)}"
    assert there(period) in page(admin, standing_page(period))

    first = page(admin, there(period))
    mark = f"hidden:{board.seq}:{period.pk}"
    assert "This one standing is shown to nobody" in first
    assert f"Yes: Hide ann on One ({period.label})</button>" in first
    assert "1 final period shows them no more, and the others move up there too: 1 first place moves, 2 ranks" in first
    assert "running board" not in first
    assert "Where" not in first
    missing = admin.post(there(period), {"confirmed": "1", "seen": mark, "reason": ""}).content.decode()
    assert "Give a reason of 1 to 300 characters." in missing
    unseen = admin.post(there(period), {"confirmed": "1", "seen": f"hidden:{board.seq}", "reason": "A bot."})
    assert "see what changes by that" in unseen.content.decode()
    assert not Restriction.objects.exists()

    sent = {"confirmed": "1", "seen": mark, "reason": "A bot."}
    done = admin.post(there(period), sent, follow=True).content.decode()
    again = admin.post(there(period), sent, follow=True).content.decode()

    row = Restriction.objects.get()
    assert (row.kind, row.board, row.period, row.reason) == ("hidden", board, period, "A bot.")
    assert f"Hidden on One ({period.label}): ann." in done
    assert f"{where} · admin · A bot." in done
    assert "nothing was done" in again
    for address in ("/admin/leaderboards/restriction/", "/admin/leaderboards/player/?kept_out=hidden"):
        assert where in page(admin, address)
    hidden = page(admin, standing_page(period))
    assert there(period) not in hidden
    assert of(ann(), "lift") in hidden

    lifting = page(admin, of(ann(), "lift"))
    lifted = admin.post(of(ann(), "lift"), {"confirmed": "1", "what_runs": mark, "seen": mark, "reason": "No bot."})

    assert "1 final period shows them again: 1 first place moves, 2 ranks change." in lifting
    assert lifted.status_code == 302
    assert Restriction.objects.get().lift_reason == "No bot."
    assert there(period) in page(admin, standing_page(period))


def test_the_log_says_before_what_its_undoing_moves(admin: Client, board: Board) -> None:
    keep_out(HIDDEN_STANDING, board, "ann")
    entry = AuditEntry.objects.get(act="player.standing_hidden")

    shown = page(admin, "/admin/foundation/auditentry/")
    undoing = page(admin, f"/admin/foundation/auditentry/{entry.pk}/undo/")

    assert "standing hidden" in shown
    assert "On 1 running board they hold place 1 again." in undoing
    assert "1 first place moves, 3 ranks change." in undoing


@pytest.mark.parametrize("number", ["", "x", "²", "999999", "-1", "9" * 30, "9" * 5000])
def test_a_period_that_is_none_or_has_no_standing_of_theirs_has_no_page(
    admin: Client, board: Board, number: str
) -> None:
    assert admin.get(f"{of(ann(), 'restrict')}?period={number}").status_code == 404
    cleo = Player.objects.get(external_id="cleo")
    assert admin.get(f"{of(cleo, 'restrict')}?period={final().pk}").status_code == 404


@pytest.mark.parametrize(("right", "status"), [("view_player", 403), ("change_player", 200)])
def test_only_who_may_change_players_hides_standings(board: Board, right: str, status: int) -> None:
    client = staff(right, "view_player", "view_standing")

    assert client.get(there(final())).status_code == status
    assert ("Hide this standing" in page(client, standing_page(final()))) is (status == 200)


def test_the_page_of_a_standing_says_whose_where_which_rank_and_leads_there(board: Board) -> None:
    Player.objects.filter(external_id="ann").update(name="Ann")
    looking = staff("view_standing", "view_player")

    last, running = page(looking, standing_page(final())), page(looking, standing_page(Period.objects.latest("pk")))

    days = formats.period_dates(board, period_info(final()), clock.now().date())
    assert f"<h1>Standing of Ann (ann): One, {days}</h1>" in last
    assert f"{days} ({final().label})" in last
    assert "rank 1 with 9 points" in last
    assert f'<a href="/admin/leaderboards/player/{ann().pk}/change/">Ann (ann)</a>' in last
    assert 'href="/players/ann/"' in last
    assert f'href="/boards/{board.seq}/?period={final().label}"' in last
    assert "Others do not see" not in last + running
    assert Standing.objects.get(period=final(), player=ann()).member not in last.split("<h1>")[1].split("</h1>")[0]


@pytest.mark.parametrize("how", WAYS_ON_A_BOARD)
def test_a_hidden_standing_says_so_with_who_and_why_to_who_may_look_at_players(board: Board, how: str) -> None:
    keep_out(how, board, "ann")
    there = standing_page(Period.objects.get(starts_at__lte=clock.now(), ends_at__gt=clock.now()))
    looking, without = staff("view_standing", "view_player"), staff("view_standing")

    told, hint = page(looking, there), page(without, there)

    assert "Others do not see this standing." in told
    assert ("A test." in told) is (how != "banned everywhere")
    row = Restriction.objects.first()
    link = f"/admin/leaderboards/{f'restriction/{row.pk}' if row else f'player/{ann().pk}'}/change/"
    assert f'<li><a href="{link}">' in told
    assert "not shown" in told
    assert "Moderators keep the player out here." in hint
    assert "A test." not in hint


def test_hiding_one_has_a_title_of_its_own_nothing_to_choose_and_a_way_back(admin: Client, board: Board) -> None:
    asked = page(admin, there(final()))
    blind = page(staff("change_player"), there(final()))

    assert "<h1>Hide one standing of ann</h1>" in asked
    assert "Show what changes" not in asked
    assert f'<a href="{standing_page(final())}" class="closelink">' in asked
    assert f'<a href="/admin/leaderboards/player/{ann().pk}/change/" class="closelink">' in blind


def test_of_a_competition_it_is_said_what_is_done_there_instead(admin: Client) -> None:
    competition = race({"ann": 9})
    row = Standing.objects.get(period__label=f"c{competition.pk}", player__external_id="ann")
    address = f"/admin/leaderboards/standing/{row.pk}/change/"
    link = f"/admin/competitions/participant/?competition__id__exact={competition.pk}&amp;q=ann"

    told, without = page(admin, address), page(staff("view_standing"), address)

    assert f"This standing is of the competition {competition.name}, so it is not hidden here" in told
    assert f'href="{link}"' in told
    assert "ann" in page(admin, link.replace("&amp;", "&"))
    assert "so it is not hidden here" in without
    assert link not in without
    assert "Hide this standing" not in told
