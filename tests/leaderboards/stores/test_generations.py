"""Generations only grow, whatever is rolled back or restored."""

import pytest
from django.db import transaction

from leaderboards.models import DrawnGeneration
from leaderboards.stores import generations

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_number_is_not_drawn_again_after_a_rollback() -> None:
    with transaction.atomic():
        lost = generations.draw()
        transaction.set_rollback(True)

    # SQLite rolls its sequence back, which is why settling draws in a transaction of its own.
    assert generations.draw() >= lost


def test_numbers_grow_and_leave_one_row() -> None:
    numbers = [generations.draw() for _ in range(5)]

    assert numbers == sorted(set(numbers))
    assert DrawnGeneration.objects.count() == 1


def test_numbers_can_be_lifted_above_what_redis_remembers_and_never_fall() -> None:
    before = generations.draw()

    generations.lift(before + 1000)
    lifted = generations.draw()
    generations.lift(before)

    assert lifted > before + 1000
    assert generations.draw() > lifted
