"""Rewards that are given back while another act of taking back stands in the way."""

import pytest
from django.utils.translation import override

from competitions.errors import NotEarned, PassedOver
from competitions.models import Change
from competitions.refusals import translated
from competitions.services.take_back import Instead, give_back
from tests.competitions.services.test_take_back import BEFORE, LATER, rewarded, take, won
from tests.competitions.services.winning import out, settle

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def test_whoever_is_passed_over_by_another_act_is_refused_with_its_name_and_nothing_changes() -> None:
    rewarded()
    [gold] = take(("Gold", "a"), instead=Instead.NOBODY)
    [half] = take(("Half", "a"))
    held = won()

    with pytest.raises(
        PassedOver, match=r"^a is passed over for all rewards, since .*: “Half”\. Give that back"
    ) as refused:
        give_back([gold], "It was right.", LATER)
    with override("ko"):
        said = translated(refused.value.detail)

    assert (won(), Change.objects.filter(kind="given_back").exists()) == (held, False)
    assert "“Half”" in said
    assert "passed over" not in said
    give_back([half], "It was right.", LATER)
    give_back([gold], "It was right.", LATER)
    assert won() == BEFORE


def test_both_are_given_back_together() -> None:
    rewarded()
    [gold] = take(("Gold", "a"), instead=Instead.NOBODY)
    [half] = take(("Half", "a"))

    give_back([gold, half], "It was right.", LATER)

    assert won() == BEFORE


def test_where_the_result_stands_in_the_way_too_it_is_the_result_that_is_named() -> None:
    competition = rewarded()
    [gold] = take(("Gold", "a"), instead=Instead.NOBODY)
    take(("Half", "a"))
    out(competition, "a")
    settle(LATER)

    with pytest.raises(NotEarned, match="by the result as it is now"):
        give_back([gold], "It was right.", LATER)
