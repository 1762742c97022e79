"""One fixed example for each order, policy, tie rule and form, on each storage, against the oracle."""

import pytest

from leaderboards.core.rules import Order
from tests.contracts.arena import Arena, Sent, mixed
from tests.contracts.forms import FORMS, Form

pytestmark = [pytest.mark.contract, pytest.mark.django_db(transaction=True)]

STORAGES = ("sql", "hybrid", "redis")
# Ids that look like members, cases and scripts whose order differs between bytes, code points and collations.
PLAYERS = ("zoe", "Ann", "a_b", "0000001505202213287_zepinos", "김", "émile", "𝔘ni", "~_")


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_boards_of_every_policy_and_tie_rule_are_what_the_oracle_says(
    links: None, subtests: pytest.Subtests, form: Form, order: Order, storage: str
) -> None:
    for update in form.updates:
        for ties in form.ties:
            with subtests.test(update=update.value, ties=ties.value):
                arena = Arena.open(form, storage, order, update, ties)
                assert form.in_member in (None, arena.period.layout.in_member)
                play(arena)


def play(arena: Arena) -> None:
    """Three requests, a removal, and a return; then SQL is looked into."""
    for request in mixed(PLAYERS):
        arena.send(*request, ranks=True)
        arena.agree_on_the_list()
    arena.remove("zoe")
    arena.remove("nobody")
    arena.agree_on_the_list()
    arena.send(Sent("zoe", 6, 700), Sent("Ann", 1, 100))
    arena.agree()
    arena.mirror()
    arena.agree_in_sql()
