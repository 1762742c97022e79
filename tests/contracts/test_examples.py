"""One fixed example for each order, policy, tie rule and form, on each storage, against the oracle.

A quarter of them is quick: every fourth of each form on each storage, each combination with some form.
"""

from itertools import product

import pytest

from leaderboards.core.rules import Order, Ties, Update
from tests.contracts.arena import STORAGES, Arena, mixed
from tests.contracts.forms import FORMS, Form

pytestmark = [pytest.mark.contract, pytest.mark.django_db(transaction=True)]

# Ids that look like members, cases and scripts whose order differs between bytes, code points and collations.
PLAYERS = ("zoe", "Ann", "a_b", "0000001505202213287_zepinos", "김", "émile", "𝔘ni", "~_")


@pytest.mark.parametrize("quarter", [0, *(pytest.param(nth, marks=pytest.mark.long) for nth in (1, 2, 3))])
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_boards_of_every_policy_and_tie_rule_are_what_the_oracle_says(
    links: None, subtests: pytest.Subtests, form: Form, storage: str, quarter: int
) -> None:
    for order, update, ties in every_fourth(form, STORAGES.index(storage) + quarter):
        with subtests.test(order=order.value, update=update.value, ties=ties.value):
            arena = Arena.open(form, storage, order, update, ties)
            assert form.in_member in (None, arena.period.layout.in_member)
            play(arena)


def every_fourth(form: Form, first: int) -> list[tuple[Order, Update, Ties]]:
    """Along the diagonals, as a chessboard of four colours has them: the neighbouring storage begins one further."""
    squares = product(enumerate(Order), enumerate(form.updates), enumerate(form.ties))
    shift = first + FORMS.index(form) // 2
    return [(order, update, ties) for (x, order), (y, update), (z, ties) in squares if (x + y + z + shift) % 4 == 0]


@pytest.mark.parametrize("storage", STORAGES)
def test_the_quick_quarter_has_every_order_policy_and_tie_rule_on_each_storage(storage: str) -> None:
    found = {squares for form in FORMS for squares in every_fourth(form, STORAGES.index(storage))}

    assert found == {*product(Order, Update, Ties)}


def play(arena: Arena) -> None:
    """Two requests, a removal, and a third with a return; then everything is read, and SQL is looked into."""
    first, second, third = mixed(PLAYERS)
    for request in (first, second):
        arena.send(*request)
        arena.agree_on_the_list()
    arena.remove("zoe")
    arena.agree_on_the_list()
    arena.send(*third, ranks=True)
    arena.agree()
    arena.mirror()
    arena.agree_in_sql()
