"""One fixed example for each order, policy, tie rule and form, on each storage, against the oracle.

A third of them is quick: every combination once, on one storage; each storage has every form, order, policy and rule.
"""

from itertools import product

import pytest

from leaderboards.core.rules import Order, Ties, Update
from tests.contracts.arena import STORAGES, Arena, mixed
from tests.contracts.forms import FORMS, Form

pytestmark = [pytest.mark.contract, pytest.mark.django_db(transaction=True)]

# Ids that look like members, cases and scripts whose order differs between bytes, code points and collations.
PLAYERS = ("zoe", "Ann", "a_b", "0000001505202213287_zepinos", "김", "émile", "𝔘ni", "~_")


@pytest.mark.parametrize("third", [0, *(pytest.param(nth, marks=pytest.mark.long) for nth in (1, 2))])
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_boards_of_every_policy_and_tie_rule_are_what_the_oracle_says(
    links: None, subtests: pytest.Subtests, form: Form, storage: str, third: int
) -> None:
    for order, update, ties in every_third(form, STORAGES.index(storage) + third):
        with subtests.test(order=order.value, update=update.value, ties=ties.value):
            arena = Arena.open(form, storage, order, update, ties)
            assert form.in_member in (None, arena.period.layout.in_member)
            play(arena)


def every_third(form: Form, first: int) -> list[tuple[Order, Update, Ties]]:
    """Those on parallel diagonals: the other storages have the others, and so have the other thirds."""
    cells = product(enumerate(Order), enumerate(form.updates), enumerate(form.ties))
    return [(order, update, ties) for (x, order), (y, update), (z, ties) in cells if (x + y + z + first) % 3 == 0]


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
