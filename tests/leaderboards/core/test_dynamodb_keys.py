"""Keys of boards in DynamoDB: places sort as scores and members do, and shards share players evenly."""

import math
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from leaderboards.core import dynamodb_keys as keys
from leaderboards.core.dynamodb_keys import ItemKey

SCORES = st.floats(min_value=0, allow_nan=False, allow_infinity=False).map(abs)  # -0.0 is no score
MEMBERS = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
MADE = datetime(2026, 11, 24, 9, 30, 0, 123456, UTC)
LATER = MADE + timedelta(milliseconds=1)
CELLS = st.tuples(SCORES, MEMBERS)


@given(CELLS, CELLS)
def test_places_sort_by_the_score_and_then_by_the_members_bytes(
    one: tuple[float, str], other: tuple[float, str]
) -> None:
    by_place = keys.place(*one).encode() < keys.place(*other).encode()

    assert by_place == ((one[0], one[1].encode()) < (other[0], other[1].encode()))


@given(CELLS)
def test_a_place_tells_what_it_was_made_of(cell: tuple[float, str]) -> None:
    assert keys.score_and_member(keys.place(*cell)) == cell


@given(CELLS, CELLS)
def test_all_places_of_a_score_and_no_others_lie_within_its_bounds(
    one: tuple[float, str], other: tuple[float, str]
) -> None:
    least, most = keys.places_of_score(one[0])

    assert least <= keys.place(*one) <= most
    assert (least <= keys.place(*other) <= most) == (other[0] == one[0])


def test_the_largest_score_and_the_longest_member_fit_a_sort_key() -> None:
    longest = keys.place(math.nextafter(math.inf, 0), "_".join([*["9223372036854775807"] * 3, "🏆" * 64]))

    assert len(longest.encode()) <= 1024


def test_players_are_shared_out_evenly_and_each_stays_where_they_are() -> None:
    players = [f"player-{nth}" for nth in range(8000)]
    shards = keys.shards(7, "2026-47", 8)

    found = [keys.standing(7, "2026-47", 8, player) for player in players]

    assert {key.partition for key in found} == set(shards)
    assert all(900 < [key.partition for key in found].count(shard) < 1100 for shard in shards)
    assert found == [keys.standing(7, "2026-47", 8, player) for player in players]
    counters = {keys.counter(7, "2026-47", player) for player in players}
    assert counters == {ItemKey(keys.counters(7, "2026-47"), str(nth)) for nth in range(keys.COUNTERS)}


def test_the_keys_are_spelt_as_the_documents_say() -> None:
    assert keys.standing(7, "2026-47", 1, "ann") == ItemKey("7#2026-47#p0", "ann")
    assert keys.counters(7, "all") == "7#all#n"
    assert keys.entry_id(7, MADE, "game", "x").partition.startswith("7#id#")
    assert len({keys.entry_id(7, at, name, "x") for at in (MADE, LATER) for name in ("game", "other")}) == 4
