"""Packing, for drawn rules, windows and standings: exact ways back, and the order of the tuples."""

import struct

from hypothesis import assume, given
from hypothesis import strategies as st

from leaderboards.core.packing.layout import choose_layout
from leaderboards.core.ranking.rules import Order, Rules
from leaderboards.errors import OutOfRange
from tests.leaderboards.core.samples import ALL_TIME, layouts, lua_layouts, standings
from tests.oracle import OracleBoard


@given(st.data())
def test_whatever_is_packed_comes_back_exactly(data: st.DataObject) -> None:
    chosen = data.draw(layouts())
    value, at_ms, player = data.draw(standings(chosen, chosen.window))

    try:
        packed = chosen.pack(value, at_ms, player)
    except OutOfRange as refused:
        assert "63 bits" in refused.detail  # noqa: PT017 - the one thing within the limits that may be refused
        return

    kept = chosen.quantize(at_ms) if chosen.shows_time else None
    assert chosen.unpack(packed.score, packed.member) == (value, kept, player)
    assert chosen.player_of(packed.member) == player
    assert chosen.pack(value, chosen.quantize(at_ms), player) == packed
    assert float(repr(packed.score)) == packed.score
    assert float(f"{packed.score:.17g}") == packed.score
    assert struct.pack(">d", packed.score)[0] < 0x80


@given(st.data())
def test_the_order_of_scores_and_members_is_the_order_of_the_tuples(data: st.DataObject) -> None:
    chosen = data.draw(layouts())
    oracle, packed = OracleBoard(chosen.rules, chosen.window), []
    drawn = data.draw(st.lists(standings(chosen, chosen.window), max_size=8, unique_by=lambda each: each[2]))
    for value, at_ms, player in drawn:
        try:
            packed.append(chosen.pack(value, at_ms, player))
        except OutOfRange:
            continue
        oracle.submit(player, value, chosen.quantize(at_ms))

    best_first = sorted(
        ((score, member.encode()) for score, member in packed), reverse=chosen.rules.order is Order.DESC
    )

    listed = [chosen.player_of(member.decode()) for _, member in best_first]
    assert listed == [row.player for row in oracle.rows()]


@given(st.data())
def test_on_shared_boards_equal_scores_are_equal_values(data: st.DataObject) -> None:
    chosen = data.draw(layouts(by_time=False).filter(lambda each: not each.shows_time))
    one, other = data.draw(standings(chosen, chosen.window)), data.draw(standings(chosen, chosen.window))

    try:
        scores = chosen.pack(*one).score, chosen.pack(*other).score
    except OutOfRange:
        return

    assert (scores[0] == scores[1]) == (one[0] == other[0])


@given(st.data())
def test_lua_can_make_and_take_apart_the_scores_that_say_so(data: st.DataObject) -> None:
    chosen = data.draw(lua_layouts())
    (points,), at_ms, player = data.draw(standings(chosen, chosen.window))

    score = chosen.pack((points,), at_ms, player).score

    assert chosen.decodes_in_lua
    base, field = points - chosen.rules.minimum, chosen.time_field(at_ms)
    assert score == base * 2.0**chosen.time_bits + field
    assert divmod(score, 2.0**chosen.time_bits) == (base, field)


@given(st.data())
def test_fields_and_texts_of_times_grow_or_fall_as_the_layout_says(data: st.DataObject) -> None:
    chosen = data.draw(st.one_of(layouts(of_points=True, by_time=True), lua_layouts()))
    times = data.draw(st.tuples(*[standings(chosen, chosen.window).map(lambda each: each[1])] * 2))
    earlier, later = sorted(chosen.quantize(at_ms) for at_ms in times)
    assume(earlier < later)

    texts = chosen.time_text(earlier), chosen.time_text(later)
    numbers = chosen.time_field(earlier), chosen.time_field(later)

    assert (texts[0] < texts[1]) == chosen.time_grows
    assert [len(text) for text in texts] == [19, 19]
    if chosen.in_member:
        assert numbers == (0, 0)
    else:
        assert numbers[0] != numbers[1]
        assert (numbers[0] < numbers[1]) == chosen.time_grows


@given(st.data())
def test_the_greater_text_is_the_better_value_on_boards_with_criteria(data: st.DataObject) -> None:
    chosen = data.draw(layouts(of_points=False))
    one, other = (data.draw(standings(chosen, chosen.window))[0] for _ in range(2))

    texts = chosen.sortable_text(one), chosen.sortable_text(other)

    assert len(texts[0]) == len(texts[1])
    assert (texts[0] > texts[1]) == chosen.rules.is_better(one, other)
    assert (texts[0] == texts[1]) == (one == other)
    assert choose_layout(Rules(minimum=-10), ALL_TIME).sortable_text((-7,)) == "-7"  # of points, they themselves
