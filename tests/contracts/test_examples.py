"""One fixed example for each order, policy, tie rule and form, on each storage, against the oracle.

Half of them are quick: of each form and storage all policies with all tie rules, and both orders with each of these.
"""

from itertools import product

import pytest

from leaderboards.core.rules import Order, Ties, Update
from tests.contracts.arena import STORAGES, Arena, mixed
from tests.contracts.forms import FORMS, Form

pytestmark = [pytest.mark.contract, pytest.mark.django_db(transaction=True)]

# Ids that look like members, cases and scripts whose order differs between bytes, code points and collations.
PLAYERS = ("zoe", "Ann", "a_b", "0000001505202213287_zepinos", "김", "émile", "𝔘ni", "~_")


@pytest.mark.parametrize("half", [0, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_boards_of_every_policy_and_tie_rule_are_what_the_oracle_says(
    links: None, subtests: pytest.Subtests, form: Form, storage: str, half: int
) -> None:
    for order, update, ties in every_second(form, STORAGES.index(storage) + half):
        with subtests.test(order=order.value, update=update.value, ties=ties.value):
            arena = Arena.open(form, storage, order, update, ties)
            assert form.in_member in (None, arena.period.layout.in_member)
            play(arena)


def every_second(form: Form, first: int) -> list[tuple[Order, Update, Ties]]:
    """Like the squares of one colour on a chessboard: the neighbouring storage, and the other half, have the others."""
    squares = product(enumerate(Order), enumerate(form.updates), enumerate(form.ties))
    return [(order, update, ties) for (x, order), (y, update), (z, ties) in squares if (x + y + z + first) % 2]


def play(arena: Arena) -> None:
    """Two requests, a removal, and a third with a return; then everything is read, and SQL is looked into."""
    first, second, third = mixed(PLAYERS)
    arena.send(*first, ranks=True)
    arena.send(*second, ranks=True)
    arena.agree_on_the_list()
    arena.remove("zoe")
    arena.agree_on_the_list()
    arena.send(*third, ranks=True)
    arena.agree()
    arena.mirror()
    arena.agree_in_sql()
