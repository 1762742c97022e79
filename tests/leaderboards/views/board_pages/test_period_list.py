"""What is over stays readable page by page: a board's periods with their winners, a player's final ranks."""

import re
from importlib import import_module

import pytest
from django.test import Client

from foundation import clock
from leaderboards.models import Period, PeriodState, Player
from leaderboards.selectors.history import final_ranks
from leaderboards.services.moderation.restrict import hidden_in_period, restrict
from leaderboards.views.board_pages import period_list, shared_page
from leaderboards.views.http import micro_cache
from leaderboards.views.player_pages import player
from tests.leaderboards.views.pages import WEEK, close_all_past, text
from tests.playing import make_board, name, score

pytestmark = pytest.mark.django_db(transaction=True)


def played(board: int, weeks: int) -> list[str]:
    """So many weeks that are over, the last one lost by robin; their labels, the latest first."""
    for ago in range(weeks, 0, -1):
        score(board, {"robin": 9, "mina": 5 if ago > 1 else 12}, clock.now() - ago * WEEK)
    close_all_past(board)
    over = Period.objects.filter(board=board, state=PeriodState.FINAL).order_by("-starts_at")
    return list(over.values_list("label", flat=True))


def test_a_boards_periods_and_a_players_final_ranks_come_a_page_at_a_time_the_latest_first(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(period_list, "PERIODS_A_PAGE", 4)
    monkeypatch.setattr(player, "FINALS_A_PAGE", 4)
    board = make_board()
    labels = played(board, 6)
    score(board, {"robin": 1})
    name("mina", "Mina")

    first, second = (client.get(f"/boards/{board}/periods/?page={number}") for number in (1, 2))
    addresses = [f"/players/robin/?page={number}" for number in (1, 2)]
    pages = [client.get(each).content.decode().partition("finals-heading")[2] for each in addresses]

    assert "running" in text(first)
    assert "Mina 12 points 2" in text(first)
    assert f"?period={labels[0]}" in first.content.decode()
    assert text(second).count("robin 9 points 2") == 3
    assert "Page 2 of 2" in text(second)
    assert f'href="/boards/{board}/periods/"' in client.get(f"/boards/{board}/").content.decode()
    shown = [[f"?period={label}&amp;player=robin#me" in page for label in labels] for page in pages]
    assert shown == [[True] * 4 + [False] * 2, [False] * 4 + [True] * 2]


def test_a_hidden_standing_is_neither_named_nor_counted_in_its_period(client: Client) -> None:
    board = make_board()
    label, *_ = played(board, 1)
    period = Period.objects.get(label=label)
    mina = Player.objects.get(external_id="mina")
    restrict([mina.pk], hidden_in_period(period), "False.", clock.now(), None)

    page = client.get(f"/boards/{board}/periods/")

    assert "robin 9 points 1" in text(page)


@pytest.mark.parametrize(
    ("first", "named"),
    [
        ({"ann": 5, "bob": 5}, "= bob , = ann 5 points 3"),
        ({"ann": 5, "bob": 5, "cat": 5}, "= cat , = bob , = ann 5 points 4"),
        (dict.fromkeys(("ann", "bob", "cat", "dan"), 5), "= dan , = cat , = bob and others 5 points 5"),
    ],
)
def test_all_who_share_the_first_place_are_its_winners(client: Client, first: dict[str, int], named: str) -> None:
    board = make_board(ties="shared")
    score(board, {**first, "zoe": 1}, clock.now() - WEEK)
    close_all_past(board)

    assert named in text(client.get(f"/boards/{board}/periods/"))


def test_final_ranks_are_a_line_and_a_table_also_when_the_keys_of_their_period_are_gone(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = make_board(name="Weekly wins")
    labels = played(board, 3)
    Period.objects.filter(board=board, state=PeriodState.FINAL).update(state=PeriodState.EXPIRED)
    score(board, {"robin": 3, "mina": 1})

    page = "".join(text(client.get(f"/boards/{board}/?player=robin{more}")) for more in ("", "&tables=1"))
    micro_cache.forget()
    monkeypatch.setattr(final_ranks, "MOST_PERIODS", 2)
    latest = text(client.get(f"/boards/{board}/?player=robin&tables=1"))

    assert f"Period Rank {labels[0]} 2 {labels[1]} 1" in latest
    assert f"{labels[1]} 1 {labels[2]} 1" not in latest
    assert "best of 3 final ranks" in text(client.get("/players/robin/"))
    assert "up 1 robin" in page
    assert "Final ranks so far" in page
    assert f"Period Rank {labels[0]} 2 {labels[1]} 1 {labels[2]} 1" in page
    assert "From place 1 to place 2; the best was 1." in page


def test_a_board_marks_the_period_that_is_shown_and_leads_to_those_beside_it_and_to_the_running_one(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_module("leaderboards.views.components.period_labels"), "PERIODS_LISTED", 5)
    board = make_board()
    labels = played(board, 8)  # and nobody has scored this week: its row may not be there

    for nth, label in enumerate(labels):
        page = client.get(f"/boards/{board}/?period={label}").content.decode()
        stepper = page.partition('class="stepper"')[2].partition("</nav>")[0]
        steps = dict(re.findall(r'class="step is-\w+" rel="(\w+)" href="([^"]*)"', stepper))

        assert f'translate="no">{label}</span>' in stepper
        assert 'class="stepper-way is-running" href="?"' in stepper
        assert (stepper.count('<a class="step '), stepper.count('<span class="step ')) == (len(steps), 2 - len(steps))
        assert steps.get("next") == (f"?period={labels[nth - 1]}" if nth else "?")
        assert steps.get("prev") == (f"?period={labels[nth + 1]}" if nth < 7 else None)


def test_while_nobody_has_scored_the_winners_of_the_last_period_are_told_and_no_longer_than_that(
    client: Client,
) -> None:
    board = make_board(ties="shared")
    score(board, {"ann": 5, "bob": 5, "zoe": 1}, clock.now() - 2 * WEEK)
    score(board, {"cat": 1}, clock.now() - 3 * WEEK)
    close_all_past(board)
    name("bob", "Bob <b>")

    empty = text(client.get(f"/boards/{board}/"))
    part = client.get(f"/boards/{board}/?fragment=1")
    Player.objects.filter(external_id="bob").update(banned_at=clock.now())
    micro_cache.forget()
    shared_page.forget()
    alone = client.get(f"/boards/{board}/?fragment=1")
    score(board, {"dan": 2})
    micro_cache.forget()
    shared_page.forget()

    assert re.search(r"Nobody has scored yet\. .* Won last .* = Bob <b> , = ann 5 points Final standings", empty)
    assert re.search(r"Won last [^=]* ann 5 points", text(alone))
    assert alone["ETag"] != part["ETag"]
    assert "Won last" not in text(client.get(f"/boards/{board}/"))
    assert "Won last" not in text(client.get(f"/boards/{make_board(name='New')}/"))
