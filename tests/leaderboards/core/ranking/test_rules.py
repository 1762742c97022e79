"""Rules: what can not work is refused with what would; what works is stored and read back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboards.core.ranking.criteria import read_criteria
from leaderboards.core.ranking.rules import Criterion, Order, Rules, TieBreak, Ties, Update
from leaderboards.errors import BadBoard
from tests.leaderboards.core.samples import MEMBERS, STAGE, WHEN

SEVENTEEN = tuple(Criterion(f"c{n}", 1, Order.DESC) for n in range(17))


class TestRefusals:
    @pytest.mark.parametrize(
        ("settings", "field", "said"),
        [
            ({"criteria": (STAGE,), "update": Update.INCREMENT}, "update", "choose `best` or `latest`"),
            ({"criteria": (STAGE,), "decimals": 2}, "decimals", ""),
            ({"decimals": -1}, "decimals", ""),
            ({"decimals": 7}, "decimals", ""),
            ({"minimum": 1_500, "maximum": 1_000, "decimals": 2}, "minimum", "`minimum` 15 lies above `maximum` 10"),
            ({"maximum": 6_000, "total_maximum": 5_050, "decimals": 2}, "maximum", "to `total_maximum`, 50.5"),
            ({"minimum": -(2**53)}, "minimum", ""),
            ({"minimum": 1, "total_maximum": 2**53}, "total_maximum", ""),
            ({"minimum": -1, "total_maximum": 2**53 - 1}, "total_maximum", f"`total_maximum` to {2**53 - 2:,}"),
            ({"criteria": (STAGE, MEMBERS, STAGE)}, "criteria", "`stage` is listed twice"),
            ({"criteria": (WHEN,)}, "criteria", "alone ranks nothing"),
            ({"criteria": SEVENTEEN}, "criteria", "16 are the most"),
        ],
    )
    def test_what_cannot_work_names_its_field_and_what_would(
        self, settings: dict[str, object], field: str, said: str
    ) -> None:
        with pytest.raises(BadBoard) as caught:
            Rules(**settings)  # type: ignore[arg-type]  # hypothesis drew the settings

        assert caught.value.field == field
        assert said in caught.value.detail

    def test_the_most_points_and_criteria_that_a_score_holds_are_taken(self) -> None:
        assert Rules(minimum=-1, total_maximum=2**53 - 2).total_maximum == 2**53 - 2
        assert Rules(criteria=SEVENTEEN[:16]).criteria == SEVENTEEN[:16]


class TestCriteria:
    def test_bits_and_max_are_two_ways_to_say_it(self) -> None:
        read = read_criteria(
            [
                {"name": "stage", "bits": 15, "order": "desc"},
                {"name": "members", "max": 65535, "order": "asc"},
                {"name": "achieved_at", "order": "asc", "unit": "s"},
            ]
        )

        assert read == (STAGE, MEMBERS, WHEN)
        assert [each.bits for each in read] == [15, 16, 32]

    def test_the_time_has_its_usual_width_unless_one_is_given(self) -> None:
        for told, bits in (({"unit": "ms"}, 43), ({"unit": "s", "bits": 31}, 31), ({"unit": "ms", "max": 9}, 4)):
            (read,) = read_criteria([{"name": "achieved_at", "order": "asc"} | told])

            assert (read.bits, read.resolution_ms) == (bits, 1000 if told["unit"] == "s" else 1)

    @pytest.mark.parametrize(
        "raw",
        [
            *({"stage": 15}, "stage", ["stage"]),
            *([{"name": "stage", "order": "desc"}], [{"name": "stage", "bits": 15}], [{"bits": 15, "order": "desc"}]),
            *([{"name": "stage", "bits": 15, "order": order}] for order in ("up", ["desc"])),
            *([{"name": "stage", "bits": bits, "order": "desc"}] for bits in ("15", True, 54, 10**9, 0)),
            *([{"name": "stage", "max": most, "order": "desc"}] for most in (0, 2**53, 1.5)),
            *([{"name": "stage", "bits": 15, "order": "desc"} | {more: 9}] for more in ("max", "weight")),
            [{"name": "stage", "bits": 15, "order": "desc", "unit": "s"}],
            *([{"name": name, "bits": 15, "order": "desc"}] for name in ("", "1st", "스테이지", "a" * 41, 5)),
            [{"name": "achieved_at", "order": "asc"}],
            *([{"name": "achieved_at", "order": "asc", "unit": unit}] for unit in ("min", 5)),
        ],
    )
    def test_what_is_no_criterion_is_refused_with_a_sentence(self, raw: object) -> None:
        with pytest.raises(BadBoard) as caught:
            read_criteria(raw)

        assert caught.value.field == "criteria"
        assert caught.value.detail.endswith(".")


def test_points_are_compared_by_the_boards_order_and_criteria_each_by_its_own() -> None:
    rules = Rules(order=Order.ASC, criteria=(STAGE, WHEN, MEMBERS))

    ranked = sorted([(1, 5), (2, 7), (2, 6), (0, 0)], key=rules.sort_key)

    assert ranked == [(2, 6), (2, 7), (1, 5), (0, 0)]
    assert [each.name for each in rules.fields] == ["stage", "members"]
    assert rules.achieved_at == WHEN
    with pytest.raises(ValueError, match="zip"):
        rules.sort_key((1, 2, 3))
    assert Rules().is_better((2,), (1,))
    assert Rules(order=Order.ASC).is_better((1,), (2,))
    assert not Rules().is_better((1,), (1,))


points_rules = st.builds(
    Rules,
    order=st.sampled_from(Order),
    update=st.sampled_from(Update),
    ties=st.sampled_from(Ties),
    tie_break=st.sampled_from(TieBreak),
    decimals=st.integers(0, 6),
    minimum=st.integers(-1000, 1000),
    maximum=st.integers(1000, 10**6),
    total_maximum=st.integers(10**6, 10**9),
)
criteria_rules = st.builds(
    Rules,
    order=st.sampled_from(Order),
    update=st.sampled_from([Update.BEST, Update.LATEST]),
    criteria=st.permutations([STAGE, MEMBERS, WHEN]).map(tuple),
)


@given(st.one_of(points_rules, criteria_rules))
def test_rules_come_back_from_json_as_they_were(rules: Rules) -> None:
    assert Rules.from_json(json.loads(json.dumps(rules.to_json()))) == rules
