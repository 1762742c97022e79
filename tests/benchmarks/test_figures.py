"""How a figure comes about from what both sides did, and what is said of it."""

from benchmarks.figures import Bound, Figure, Sample, at_least, in_turns, over, spend, under


def test_a_figure_is_the_median_of_the_ratios_of_its_passes() -> None:
    ours = [Sample(10, 1), Sample(90, 1), Sample(30, 1)]

    assert over(ours, [Sample(10, 1)] * 3).value == 3.0


def test_a_figure_below_its_bound_or_that_only_rounds_to_it_says_short() -> None:
    said = [str(Figure(value, at_least(0.7))) for value in (0.69, 0.69999, 0.7)]
    said += [str(Figure(value, under(3))) for value in (2.99, 3.0)]

    assert said == ["0.69 short", "0.7 short", "0.7", "2.99", "3.0 short"]


def test_what_could_not_be_measured_says_why_and_is_not_short() -> None:
    figure = Figure(None, at_least(4), why="pip: no such package")

    assert str(figure) == "not measured: pip: no such package"
    assert figure.to_json() == {
        "value": None,
        "bound": {"at_least": 4},
        "short": False,
        "ours": [],
        "theirs": [],
        "not_measured": "pip: no such package",
    }


def test_the_json_keeps_what_both_sides_did() -> None:
    told = over([Sample(4, 2.0, {"p99_ms": 3})], [Sample(8, 2.0)], Bound(under=1)).to_json()

    assert told["ours"] == [{"count": 4, "seconds": 2.0, "p99_ms": 3}]
    assert told["theirs"] == [{"count": 8, "seconds": 2.0}]


def test_both_sides_take_turns() -> None:
    turns: list[str] = []

    def turn(name: str) -> Sample:
        turns.append(name)
        return Sample(1, 1)

    in_turns(2, lambda: turn("ours"), lambda: turn("theirs"))

    assert turns == ["ours", "theirs", "ours", "theirs"]


def test_each_piece_of_work_gets_fresh_values() -> None:
    made = iter(range(1_000_000))
    seen: list[int] = []

    sample = spend(0.001, lambda: (2, next(made)), seen.append)

    assert seen == list(range(len(seen)))
    assert sample.count == 2 * len(seen)
