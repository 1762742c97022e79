"""Entries that name an operator: each form, policy and tie rule on each storage, against the oracle."""

from itertools import product
from random import Random

import pytest

from leaderboards.core.ranking.rules import Operator, Order, Update
from leaderboards.models import Standing, Submission
from leaderboards.selectors.moderation.replay import replayed_states
from tests.contracts.arena import Arena, Sent
from tests.contracts.forms import FORMS, Form
from tests.contracts.storages import STORAGES, can, storages_of

pytestmark = [pytest.mark.contract, pytest.mark.django_db(transaction=True)]

PLAYERS = ("ann", "bob", "김", "a_b")
OF_POINTS = [form for form in FORMS if Update.INCREMENT in form.updates]
OF_CRITERIA = [form for form in FORMS if "criteria" in form.settings]


def any_entries(form: Form, operators: list[str], seed: int) -> list[list[Sent]]:
    """Three requests with ties, out of order, in which some entries name an operator and some come twice."""
    chance, requests = Random(seed), []
    for nth in range(3):
        sent = [
            Sent(
                chance.choice(PLAYERS),
                chance.randrange(10),
                chance.choice((0, 1000, 2500, 60_000, 60_001)),
                chance.choice((None, None, f"{nth}-{place}")),
                chance.choice((None, *operators)),
            )
            for place in range(20)
        ]
        again = [each for each in sent if each.id is not None]
        requests.append([*sent, *again[:3], *(each._replace(operator=None) for each in again[3:5])])
    return requests


@pytest.mark.parametrize("form", OF_POINTS, ids=str)
def test_entries_with_operators_make_what_the_oracle_says(links: None, subtests: pytest.Subtests, form: Form) -> None:
    rules = list(product(Order, form.updates, form.ties))
    for storage in storages_of(OF_POINTS.index(form)):
        nth = 7 * OF_POINTS.index(form) + 5 * STORAGES.index(storage)
        for order, update, ties in (rules[nth % len(rules)], rules[(nth + 3) % len(rules)]):
            if not can(storage, ties):
                continue
            with subtests.test(storage=storage, rules=(order, update, ties)):
                arena = _played(Arena.open(form, storage, order, update, ties, list(Operator)), form, nth)
                arena.bring_to_sql()
                arena.agree_in_sql()
                if storage in ("sql", "hybrid"):
                    _replaying_gives_the_same(arena)


@pytest.mark.parametrize("form", OF_CRITERIA, ids=str)
def test_criteria_are_added_up_one_by_one(links: None, subtests: pytest.Subtests, form: Form) -> None:
    rules = list(product(Order, form.updates, form.ties))
    for storage in storages_of(OF_CRITERIA.index(form)):
        if storage == "redis":
            continue
        nth = 7 * OF_CRITERIA.index(form) + 5 * STORAGES.index(storage)
        order, update, ties = rules[nth % len(rules)]
        if not can(storage, ties):
            continue
        with subtests.test(storage=storage, rules=(order, update, ties)):
            arena = _played(Arena.open(form, storage, order, update, ties, list(Operator)), form, nth)
            arena.bring_to_sql()
            arena.agree_in_sql()
            if storage != "dynamodb":
                _replaying_gives_the_same(arena)


def _played(arena: Arena, form: Form, seed: int) -> Arena:
    """The board after some requests with operators, each compared with the oracle."""
    for request in any_entries(form, list(Operator), seed):
        arena.send(*request)
        arena.agree_on_the_list()
    arena.agree()
    return arena


def _replaying_gives_the_same(arena: Arena) -> None:
    """The standings follow from the submissions, with their operators."""
    counting = Submission.objects.filter(period=arena.period, voided_at=None)
    found = replayed_states(arena.period, counting)
    ranked = Standing.objects.filter(period=arena.period, score__isnull=False).select_related("player")
    assert {row.player_id: arena.oracle.state(row.player.external_id) for row in ranked} == found
