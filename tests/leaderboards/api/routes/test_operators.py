"""Entries that name an operator: what is refused, what is answered, and what a repetition gets."""

import pytest

from leaderboards.errors import BadBoard
from leaderboards.models import Board, QuarantinedEntry, Submission
from leaderboards.services.boards import check_board
from tests.leaderboards.api.conftest import Caller, Make

STORAGES = ("hybrid", "sql", "redis")
ALL = ["set", "best", "increment", "decrement"]


def told(answer: dict[str, list[dict[str, object]]]) -> list[tuple[object, object]]:
    return [(each["status"], each.get("points", each.get("code"))) for each in answer["results"]]


@pytest.mark.parametrize("storage", STORAGES)
def test_each_operator_replaces_the_policy_for_its_entry_alone(make_board: Make, game: Caller, storage: str) -> None:
    entry = {"board": make_board(storage=storage, operators=ALL), "player": "ann"}

    answer = game.submit(
        entry | {"points": 10},
        entry | {"points": 5, "operator": "increment"},
        entry | {"points": 7, "operator": "decrement"},
        entry | {"points": 6},
        entry | {"points": 3, "operator": "set"},
        entry | {"points": 4, "operator": "best"},
        entry | {"points": 9, "operator": "decrement"},
    )

    assert told(answer) == [
        *(("updated", 10), ("updated", 15), ("updated", 8), ("unchanged", 8), ("updated", 3), ("updated", 4)),
        ("rejected", "out_of_range"),
    ]


@pytest.mark.parametrize("storage", STORAGES)
def test_an_operator_is_part_of_what_an_id_stands_for(make_board: Make, game: Caller, storage: str) -> None:
    entry = {"board": make_board(storage=storage, operators=ALL), "player": "ann", "points": 5, "id": "a"}
    taken = entry | {"operator": "increment"}

    first = game.submit(taken, taken, entry)
    later = game.submit(taken, entry, taken | {"operator": "decrement"})

    assert told(first) == [("updated", 5), ("duplicate", 5), ("rejected", "id_reused")]
    assert told(later) == [("duplicate", 5), ("rejected", "id_reused"), ("rejected", "id_reused")]


@pytest.mark.parametrize("storage", STORAGES)
def test_a_decrement_sent_again_is_a_duplicate(make_board: Make, game: Caller, storage: str) -> None:
    entry = {"board": make_board(storage=storage, operators=ALL, update="increment"), "player": "ann"}
    less = entry | {"points": "2.0", "operator": "decrement", "id": "b"}
    game.submit(entry | {"points": 10})

    answers = [told(game.submit(less)), told(game.submit(less)), told(game.submit(less, query="?dry_run=true"))]

    assert answers == [[("updated", 8)], [("duplicate", 8)], [("duplicate", 8)]]


@pytest.mark.parametrize("storage", STORAGES)
def test_an_operator_that_the_board_does_not_take_is_refused_with_what_it_takes(
    make_board: Make, game: Caller, storage: str
) -> None:
    closed = {"board": make_board(storage=storage), "player": "ann", "points": 5}
    open_to_one = closed | {"board": make_board("Other", storage=storage, operators=["set"])}

    answer = game.submit(*(each | {"operator": "best"} for each in (closed, open_to_one)), closed, open_to_one)

    none, one, *without = answer["results"]
    assert [none["code"], one["code"]] == ["bad_entry", "bad_entry"]
    assert "it takes none" in none["detail"]
    assert "it takes set" in one["detail"]
    assert [each["status"] for each in without] == ["updated", "updated"]


@pytest.mark.parametrize("operator", ["INCREMENT", "incr", "", None, 1, ["set"], {"set": 1}])
def test_what_is_no_operator_is_refused(make_board: Make, game: Caller, operator: object) -> None:
    entry = {"board": make_board(operators=ALL), "player": "ann", "points": 5, "operator": operator}

    [result] = game.submit(entry)["results"]

    assert (result["status"], result["code"]) == ("rejected", "bad_entry")
    assert "set, best, increment, decrement" in result["detail"]


def test_a_decrement_is_not_negative_and_no_more_than_an_entry_may_be(make_board: Make, game: Caller) -> None:
    entry = {"board": make_board(minimum=-50, maximum=50, operators=ALL), "player": "ann", "operator": "decrement"}

    answer = game.submit(*(entry | {"points": points} for points in (-1, 51, 0, 50)))

    assert told(answer) == [("rejected", "out_of_range")] * 2 + [("updated", 0), ("updated", -50)]


@pytest.mark.parametrize("storage", STORAGES)
def test_a_sum_made_by_increments_is_held_against_the_first_place(make_board: Make, game: Caller, storage: str) -> None:
    limits = {"field_jump": 2, "field_jump_players": 1}
    entry = {"board": make_board(storage=storage, operators=ALL, **limits), "player": "ann"}
    game.submit(entry | {"player": "bob", "points": 10})
    ann = [entry | {"points": 10, "operator": "increment"} for _ in range(3)]

    answer = game.submit(*ann)

    assert [each["status"] for each in answer["results"]] == ["updated", "updated", "quarantined"]
    assert QuarantinedEntry.objects.get().operator == "increment"


def test_the_api_shows_which_operators_a_board_takes(make_board: Make, game: Caller) -> None:
    board = game.get(f"/boards/{make_board(operators=['set', 'increment'])}").json()

    assert board["operators"] == board["settings"]["operators"] == ["set", "increment"]


def test_a_submission_keeps_its_operator_and_a_plain_one_has_none(make_board: Make, game: Caller) -> None:
    entry = {"board": make_board(operators=ALL), "player": "ann", "points": 5}

    game.submit(entry, entry | {"points": 2, "operator": "decrement"})

    assert list(Submission.objects.order_by("pk").values_list("points", "operator")) == [(5, None), (-2, "decrement")]


CRITERIA = [{"name": "kills", "max": 99, "order": "desc"}, {"name": "deaths", "max": 99, "order": "asc"}]


@pytest.mark.parametrize("storage", ["hybrid", "sql"])
def test_single_criteria_are_added_to_without_sending_the_others(make_board: Make, game: Caller, storage: str) -> None:
    entry = {"board": make_board(storage=storage, criteria=CRITERIA, operators=["increment", "decrement"])}
    entry |= {"player": "ann"}
    more, less = entry | {"operator": "increment"}, entry | {"operator": "decrement"}

    answer = game.submit(
        entry | {"fields": {"kills": 5, "deaths": 2}},
        more | {"fields": {"kills": 2}, "id": "a"},
        less | {"fields": {"deaths": 1, "kills": 3}},
        more | {"fields": {"kills": 96}},
        less | {"fields": {"deaths": 2}},
        more | {"player": "bob", "fields": {"deaths": 4}},
        more | {"fields": {"kills": 2, "deaths": 0}, "id": "a"},
        more | {"fields": {"kills": 3}, "id": "a"},
    )
    later = game.submit(
        more | {"fields": {"kills": 2}, "id": "a"}, more | {"fields": {"kills": 2, "deaths": 1}, "id": "a"}
    )

    found = [(each["status"], each.get("fields", each.get("code"))) for each in answer["results"]]
    assert found == [
        ("updated", {"kills": 5, "deaths": 2}),
        ("updated", {"kills": 7, "deaths": 2}),
        ("updated", {"kills": 4, "deaths": 1}),
        ("rejected", "out_of_range"),
        ("rejected", "out_of_range"),
        ("updated", {"kills": 0, "deaths": 4}),
        ("duplicate", {"kills": 4, "deaths": 1}),
        ("rejected", "id_reused"),
    ]
    assert "`kills` would be 100; this board keeps 0 to 99" in answer["results"][3]["detail"]
    assert [each["status"] for each in later["results"]] == ["duplicate", "rejected"]


@pytest.mark.parametrize(
    ("fields", "code"),
    [({}, "bad_entry"), ({"x": 1}, "bad_entry"), ({"kills": -1}, "out_of_range"), ({"kills": 1.5}, "bad_points")],
)
def test_what_cannot_be_added_to_criteria_is_refused(
    make_board: Make, game: Caller, fields: dict[str, object], code: str
) -> None:
    entry = {"board": make_board(criteria=CRITERIA, operators=["increment"]), "player": "ann", "operator": "increment"}

    [result] = game.submit(entry | {"fields": fields})["results"]

    assert (result["status"], result["code"]) == ("rejected", code)


def test_boards_that_could_not_add_up_are_refused(db: None) -> None:
    full = [{"name": "stage", "bits": 15, "order": "desc"}, {"name": "left", "bits": 48, "order": "desc"}]
    for settings, why in (
        ({"storage": "redis", "criteria": CRITERIA}, "Redis does not add to criteria"),
        ({"storage": "sql", "criteria": full, "ties": "shared"}, "every value must fit"),
        ({"storage": "sql", "operators": ["add"]}, "may have: set, best, increment, decrement"),
        ({"storage": "sql", "operators": "set"}, "is a list"),
    ):
        board = Board(name="Odd", **({"operators": ["increment"]} | settings))
        with pytest.raises(BadBoard, match=why):
            check_board(board)
