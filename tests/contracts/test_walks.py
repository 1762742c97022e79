"""Walks by cursors: forward and back over every form of board, at rest and while rows move."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboards.core.input.cursors import Cursor, cursor_text, read_cursor
from leaderboards.core.ranking.gaps import Gap
from leaderboards.core.ranking.rules import Order
from leaderboards.models import Board, PeriodState
from leaderboards.selectors import Standings
from leaderboards.selectors.rankings.cursor_pages import CursorPage
from leaderboards.selectors.rankings.standings import around, standings_page
from leaderboards.services.periods.close import close_period
from leaderboards.stores.base import Page
from tests.contracts.arena import NOW, Arena, Sent, mixed
from tests.contracts.forms import FORMS, Form
from tests.contracts.storages import STORAGES, storages_of
from tests.contracts.test_examples import PLAYERS, chosen
from tests.leaderboards.services.restricting import keep_out

pytestmark = [pytest.mark.contract, pytest.mark.django_db(transaction=True)]

CROWD = tuple(f"{letter}{nth}" for letter in ("a", "B_", "ä") for nth in range(6))
MOVES = st.lists(
    st.builds(Sent, st.sampled_from(CROWD), st.integers(0, 9), st.integers(0, 3), st.none(), st.none()), max_size=4
)


def read(arena: Arena, page: Page | CursorPage) -> Standings:
    return standings_page(arena.board, arena.period.label, page)


def neighbour(gap: Gap, size: int, is_backward: bool) -> CursorPage:
    """The page by the gap, which went through a cursor's text."""
    sent = read_cursor(cursor_text(Cursor("b1", "2026-47", gap, is_backward)))
    assert (sent.gap, sent.is_backward) == (gap, is_backward)
    return CursorPage(sent.gap, sent.is_backward, size)


def walk(
    arena: Arena,
    start: Page | CursorPage,
    size: int,
    is_backward: bool = False,
    between: Callable[[], None] | None = None,
) -> list[Standings]:
    """The pages from ``start`` on until there is none in this direction; never more than could be."""
    pages = [read(arena, start)]
    for _ in range(10 * len(CROWD)):
        gap = pages[-1].ends.before if is_backward else pages[-1].ends.behind
        if gap is None:
            return pages
        if between is not None:
            between()
        pages.append(read(arena, neighbour(gap, size, is_backward)))
    raise AssertionError("the walk has no end")


def names(pages: list[Standings]) -> list[list[str]]:
    return [[row.player for row in page.rows] for page in pages]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_forward_and_back_are_the_same_pages_and_both_end(links: None, subtests: pytest.Subtests, form: Form) -> None:
    for nth, storage in enumerate(storages_of(FORMS.index(form))):
        with subtests.test(storage=storage):
            arena = Arena.open(form, storage, *chosen(form, storage))
            first, second, _ = mixed(PLAYERS[8 * nth : 8 * nth + 8])
            arena.send(*first)
            arena.send(*second)
            agree_on_walks(arena)
            arena.mirror()
            keep_out("hidden", arena.board, PLAYERS[8 * nth])
            keep_out("shadowed", arena.board, PLAYERS[8 * nth + 5])
            agree_on_walks(arena)
            close_period(arena.period, (arena.period.ends_at or NOW) + timedelta(days=1))
            arena.period.refresh_from_db()
            if arena.period.state == PeriodState.FINAL:
                agree_on_walks(arena)


def agree_on_walks(arena: Arena) -> None:
    whole = read(arena, Page(0, 100)).rows
    for size in (3,) if arena.storage == "dynamodb" else (1, 3):
        forward = walk(arena, Page(0, size), size)
        assert [row for page in forward for row in page.rows] == whole
        assert all(len(page.rows) == size for page in forward[:-1])
        assert {page.total for page in forward} == {len(whole)}
        assert (forward[0].ends.before, forward[-1].ends.behind) == (None, None)
        if len(forward) > 1:
            gap = forward[-1].ends.before
            assert gap is not None
            back = walk(arena, neighbour(gap, size, is_backward=True), size, is_backward=True)
            assert names(back) == names(forward)[-2::-1]
            assert [page.rows for page in back] == [page.rows for page in forward[-2::-1]]


@pytest.mark.parametrize("storage", [each for each in STORAGES if each != "dynamodb"])
@settings(max_examples=settings().max_examples // 3)
@given(data=st.data())
def test_who_keeps_still_is_seen_once_however_others_move(storage: str, data: st.DataObject) -> None:
    see_once(storage, data)


@settings(max_examples=settings().max_examples // 12)  # each example asks its stand-in a thousand times
@given(data=st.data())
def test_so_they_are_in_dynamodb(data: st.DataObject) -> None:
    see_once("dynamodb", data)


def see_once(storage: str, data: st.DataObject) -> None:
    """Walk all pages while others move: who keeps still is on exactly one of them."""
    form = data.draw(st.sampled_from(FORMS))
    arena = Arena.open(form, storage, data.draw(st.sampled_from(Order)), *chosen(form, storage)[1:])
    Board.objects.filter(pk=arena.board.pk).update(name=f"Example {arena.board.pk}")  # the next one has its name
    arena.send(*(Sent(player, nth % 4, nth % 3) for nth, player in enumerate(CROWD)))
    before = {row.player: row for row in read(arena, Page(0, 100)).rows}
    size, is_backward = data.draw(st.integers(1, 7)), data.draw(st.booleans())
    moved = set[str]()

    def move() -> None:
        sent = data.draw(MOVES)
        if sent:
            arena.send(*sent)
        if gone := data.draw(st.none() | st.sampled_from(CROWD)):
            arena.remove(gone)
        moved.update(each.player for each in sent)
        moved.update([gone] if gone else [])

    start: Page | CursorPage = Page(0, size)
    if is_backward:
        last = read(arena, Page(len(CROWD) - 1, 1)).ends.before
        assert last is not None
        start = neighbour(last, size, is_backward=True)
    pages = walk(arena, start, size, is_backward, move)

    seen = [row.player for page in (pages[::-1] if is_backward else pages) for row in page.rows]
    still = [player for player in before if player not in moved]
    if is_backward:
        still = [player for player in still if player != list(before)[-1]]
    assert [player for player in seen if player in still] == still
    turned = (
        walk(arena, turn(pages[-1], size, is_backward), size, not is_backward) if turns(pages[-1], is_backward) else []
    )
    returned = [row.player for page in turned for row in page.rows]
    assert len(returned) == len({*returned})


def turns(page: Standings, is_backward: bool) -> bool:
    return (page.ends.behind if is_backward else page.ends.before) is not None


def turn(page: Standings, size: int, is_backward: bool) -> CursorPage:
    """The page on the other side."""
    gap = page.ends.behind if is_backward else page.ends.before
    assert gap is not None
    return neighbour(gap, size, not is_backward)


@pytest.mark.parametrize("storage", STORAGES)
def test_a_page_that_has_emptied_meanwhile_leads_back(links: None, storage: str) -> None:
    form = FORMS[0]
    arena = Arena.open(form, storage, *chosen(form, storage))
    arena.send(*(Sent(player, nth, 0) for nth, player in enumerate("abcd")))
    first = read(arena, Page(0, 2))
    assert first.ends.behind is not None
    second = neighbour(first.ends.behind, 2, is_backward=False)
    for row in read(arena, second).rows:
        arena.remove(row.player)

    empty = read(arena, second)

    assert (empty.rows, empty.ends.behind) == ([], None)
    assert empty.ends.before is not None
    assert read(arena, neighbour(empty.ends.before, 2, is_backward=True)).rows == first.rows
    for row in first.rows:
        arena.remove(row.player)
    assert (read(arena, second).ends.before, read(arena, second).ends.behind) == (None, None)


@pytest.mark.parametrize(
    ("storage", "form"), [(storage, form) for nth, form in enumerate(FORMS) for storage in storages_of(nth)], ids=str
)
def test_from_a_players_window_the_list_is_read_on_both_ways(links: None, storage: str, form: Form) -> None:
    arena = Arena.open(form, storage, *chosen(form, storage))
    arena.send(*(Sent(player, nth % 4, nth % 3) for nth, player in enumerate(CROWD)))
    arena.mirror()
    keep_out("hidden", arena.board, CROWD[3])
    keep_out("shadowed", arena.board, CROWD[7])
    whole = [row.player for row in read(arena, Page(0, 100)).rows]

    few = storage == "dynamodb"  # of whose stand-in each page takes some hundred times as long
    for place, player in list(enumerate(whole))[:: 7 if few else 1]:
        for radius in (4,) if few else (1, 4):
            near = around(arena.board, player, radius, arena.period.label)
            first, last = max(0, place - radius), place + radius + 1
            assert [row.player for row in near.rows] == whole[first:last]
            assert (near.ends.before is None, near.ends.behind is None) == (first == 0, last >= len(whole))
            above, below = list[str](), list[str]()
            if near.ends.before is not None:
                pages = walk(arena, neighbour(near.ends.before, 5, is_backward=True), 5, is_backward=True)
                above = [row.player for page in pages[::-1] for row in page.rows]
            if near.ends.behind is not None:
                pages = walk(arena, neighbour(near.ends.behind, 5, is_backward=False), 5)
                below = [row.player for page in pages for row in page.rows]
            assert above + [row.player for row in near.rows] + below == whole
