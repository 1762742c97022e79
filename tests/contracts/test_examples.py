"""One fixed example for each order, policy, tie rule and form, on each storage, against the oracle.

The quick run plays one for each form on each storage: together they have every combination. The deep run adds each
combination of each form on one storage, by turns: a third of them on each. DynamoDB, which cannot do all of them, plays
a third of those that it can, of each third form. Divided and compact boards play a third of a form's combinations, each
with another number of partitions, and each other divided board has score ranges. Of boards with tables of their own
each form is played on one storage.
"""

from itertools import product

import pytest
from django.db import connection

from leaderboards.core.ranking.rules import Order, Ties, Update
from leaderboards.errors import BadBoard
from leaderboards.models import Board
from tests.contracts.arena import Arena, Sent, mixed
from tests.contracts.forms import FORMS, Form
from tests.contracts.storages import COMPLETE, STORAGES, can, storages_of

pytestmark = [pytest.mark.contract, pytest.mark.django_db(transaction=True)]

# Ids that look like members, cases and scripts whose order differs between bytes, code points and collations; and
# ids that look like keys, scripts, patterns, numbers and SQL. Each example has eight of them.
PLAYERS = [
    *("zoe", "Ann", "a_b", "0000001505202213287_zepinos", "김", "émile", "𝔘ni", "~_"),
    *("'; DROP TABLE leaderboards_standing; --", "%s %(x)s {0} {x}", "{LeaderBoard_1_all}:gen", "KEYS[1]", "*", "_"),
    *("[a-z]", "<script>alert(1)", "\\", '"', "`", "$(reboot)", ":", "nil", "null", "None", "NaN", "-1", "1e400", "0"),
    *("가나다", "🏆" * 16, "é" * 64, "__proto__"),
]

Rules = tuple[Order, Update, Ties]


def every(form: Form, storage: str = "sql") -> list[Rules]:
    return [rules for rules in product(Order, form.updates, form.ties) if can(storage, rules[2])]


def chosen(form: Form, storage: str) -> Rules:
    """Steps of seven and eleven lead through all combinations."""
    found = every(form, storage)
    return found[(7 * FORMS.index(form) + 11 * STORAGES.index(storage)) % len(found)]


def by_turns(form: Form, storage: str) -> list[Rules]:
    first = FORMS.index(form) + STORAGES.index(storage)
    return [rules for nth, rules in enumerate(every(form, storage)) if (nth + first) % len(COMPLETE) == 0]


@pytest.mark.parametrize(
    "quick", [True, pytest.param(False, marks=[pytest.mark.long, pytest.mark.deep])], ids=["chosen", "by turns"]
)
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_boards_of_every_policy_and_tie_rule_are_what_the_oracle_says(
    links: None, subtests: pytest.Subtests, form: Form, quick: bool
) -> None:
    for storage in storages_of(FORMS.index(form)):
        first = 8 * (3 * FORMS.index(form) + STORAGES.index(storage)) % len(PLAYERS)
        for rules in [chosen(form, storage)] if quick else by_turns(form, storage):
            with subtests.test(storage=storage, rules=rules):
                arena = Arena.open(form, storage, *rules)
                assert form.in_member in (None, arena.period.layout.in_member)
                play(arena, PLAYERS[first : first + 8])


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_divided_boards_are_what_the_oracle_says(links: None, subtests: pytest.Subtests, form: Form) -> None:
    number = FORMS.index(form)
    for storage in ("hybrid", "redis"):
        first = 8 * (3 * number + STORAGES.index(storage)) % len(PLAYERS)
        for nth, rules in enumerate(by_turns(form, storage)[number % 3 :: 3]):
            if rules[2] is Ties.DENSE and not form.has_levels:
                continue
            partitions = (4, 16)[(number + nth) % 2]
            with subtests.test(storage=storage, rules=rules, partitions=partitions):
                has_ranges = rules[2] is not Ties.DENSE and nth % 2 == 0
                arena = Arena.open(form, storage, *rules, partitions=partitions, score_ranges=has_ranges)
                play(arena, PLAYERS[first : first + 8])


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_compact_boards_are_what_the_oracle_says(links: None, subtests: pytest.Subtests, form: Form) -> None:
    number = FORMS.index(form)
    first = 8 * number % len(PLAYERS)
    allowed = [rules for rules in every(form) if form.may_be_compact(rules[2])]
    for nth, rules in enumerate(allowed[number % 3 :: 3]):
        partitions = (1, 4, 16)[(number + nth) % 3]
        with subtests.test(rules=rules, partitions=partitions):
            arena = Arena.open(form, "hybrid", *rules, partitions=partitions, encoding="compact")
            assert arena.period.is_compact
            play(arena, PLAYERS[first : first + 8])


@pytest.mark.skipif(connection.vendor != "postgresql", reason="only PostgreSQL has tables for each period")
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_boards_with_tables_of_their_own_are_what_the_oracle_says(links: None, form: Form) -> None:
    number = FORMS.index(form)
    storage = COMPLETE[number % len(COMPLETE)]
    first = 8 * number % len(PLAYERS)
    arena = Arena.open(form, storage, *chosen(form, storage), own_tables=True)
    assert arena.period.has_own_tables

    play(arena, PLAYERS[first : first + 8])


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_what_a_compact_board_cannot_do_is_refused_on_saving(
    links: None, subtests: pytest.Subtests, form: Form
) -> None:
    others = [(storage, form.ties[0]) for storage in STORAGES if storage != "hybrid"]
    for storage, ties in [*others, *(("hybrid", ties) for ties in form.ties if not form.may_be_compact(ties))]:
        with subtests.test(storage=storage, ties=ties), pytest.raises(BadBoard) as refusal:
            Arena.open(form, storage, Order.DESC, form.updates[0], ties, encoding="compact")
        assert refusal.value.field in ("encoding", "criteria")
        assert not Board.objects.exists()


def test_the_quick_run_has_every_combination_and_the_deep_run_every_one_of_each_form() -> None:
    found = {storage: {chosen(form, storage) for form in FORMS} for storage in COMPLETE}

    assert set().union(*found.values()) == {*product(Order, Update, Ties)}
    assert all({rule for rules in each for rule in rules} == {*Order, *Update, *Ties} for each in found.values())
    for form in FORMS:
        assert sorted(rules for storage in COMPLETE for rules in by_turns(form, storage)) == sorted(every(form))


def play(arena: Arena, players: list[str]) -> None:
    """Two requests, a removal, and a third with a return; then everything is read, and SQL is looked into."""
    first, second, third = mixed(players)
    arena.send(*first)
    arena.send(*second)
    arena.agree_on_the_list()
    arena.remove(players[0])
    arena.send(*third, ranks=True)
    arena.agree()
    arena.bring_to_sql()
    arena.agree_in_sql()


def test_what_a_storage_cannot_do_is_refused_on_saving(links: None) -> None:
    form = next(form for form in FORMS if form.name == "plain")

    with pytest.raises(BadBoard, match="does not count distinct scores") as refusal:
        Arena.open(form, "dynamodb", Order.DESC, Update.BEST, Ties.DENSE)

    assert refusal.value.field == "ties"


@pytest.mark.parametrize("storage", STORAGES)
def test_a_repetition_tells_the_standing_that_those_before_it_made(links: None, storage: str) -> None:
    form = next(form for form in FORMS if form.name == "member")
    arena = Arena.open(form, storage, Order.DESC, Update.BEST, Ties.FIRST_COME)
    arena.send(Sent("b", 5, 60_000, "y"))

    arena.send(Sent("b", 9, 1001), Sent("b", 5, 60_000, "y"), Sent("b", 12, 0))
