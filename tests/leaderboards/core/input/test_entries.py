"""Entries: what a game server may send, and the refusals that name field and reason."""

import unicodedata
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.errors import Invalid
from leaderboards.core.input.entries import Entry, read_entry, read_player, read_time, read_value
from leaderboards.core.input.names import display_name
from leaderboards.core.instants import from_milliseconds, milliseconds
from leaderboards.core.ranking.rules import Criterion, Order, Rules
from leaderboards.errors import BadEntry, BadId, BadPlayer, BadPoints, BadTime, OutOfRange

GOOD: dict[str, Any] = {"board": 1, "player": "alice", "points": 150}
RAID = Rules(
    criteria=(
        Criterion("stage", 32751, Order.DESC),
        Criterion("achieved_at", 2**32 - 1, Order.ASC, "s"),
        Criterion("members", 230, Order.ASC),
    )
)


def without(name: str, **more: object) -> dict[str, Any]:
    return {key: value for key, value in GOOD.items() if key != name} | more


def fields(**sent: object) -> dict[str, Any]:
    return without("points", fields=sent)


class TestEntries:
    def test_the_least_and_all_that_an_entry_may_say(self) -> None:
        raw = {
            "competition": 7,
            "player": "철수",
            "fields": {"stage": 23346, "members": Decimal("230.0")},
            "at": "2026-11-20T08:59:58Z",
            "id": "match-771:철수",
        }

        entry = read_entry(raw, 0)

        at = datetime(2026, 11, 20, 8, 59, 58, tzinfo=UTC)
        sent = (("stage", 23346), ("members", 230))
        assert read_entry(GOOD, 3) == Entry(3, 1, None, "alice", Decimal(150), None, None, None)
        assert entry == Entry(0, None, 7, "철수", None, sent, at, "match-771:철수")

    @pytest.mark.parametrize(
        ("raw", "reason"),
        [
            *((form, "is an object") for form in (None, 5, "alice", [], [GOOD], True, Decimal(1))),
            (GOOD | {"score": 5}, "no field 'score'"),
            (GOOD | {"\ud800\n" + "x" * 10_000: 5}, "no field"),
            *((raw, "`board` or `competition` is missing") for raw in ({}, without("board"))),
            (GOOD | {"competition": 7}, "not both"),
            (without("points"), "`points` or `fields` is missing"),
            (GOOD | {"fields": {}}, "not both"),
            (without("player"), "`player` is missing"),
        ],
    )
    def test_an_entry_is_an_object_with_exactly_one_of_each(self, raw: object, reason: str) -> None:
        with pytest.raises(BadEntry, match=reason) as caught:
            read_entry(raw, 0)

        assert len(caught.value.detail.encode()) < 300
        assert "\n" not in caught.value.detail

    @pytest.mark.parametrize("number", [0, -1, 2**63, True, "1", None, Decimal("1.0"), 1.0, [1], Decimal("1e30")])
    def test_a_target_is_a_whole_number_from_1(self, number: object) -> None:
        for target in ("board", "competition"):
            with pytest.raises(BadEntry, match=f"`{target}` must be"):
                read_entry(without("board") | {target: number}, 0)

    def test_an_id_is_a_text_of_1_to_128_characters_and_kept_as_it_is(self) -> None:
        for external_id in ("x", "x" * 128, "match 771", "경기-1"):
            assert read_entry(GOOD | {"id": external_id}, 0).external_id == external_id
        for wrong in ("", "x" * 129, "a\x00", "a\n", "\ud800", 5, None, True, ["x"]):
            with pytest.raises(BadId):
                read_entry(GOOD | {"id": wrong}, 0)

    plain = st.one_of(st.none(), st.booleans(), st.integers(), st.decimals(), st.text())
    json_like = st.one_of(plain, st.lists(plain, max_size=3), st.dictionaries(st.text(), plain, max_size=3))

    @given(st.dictionaries(st.sampled_from(["board", "player", "points", "fields", "at", "id"]), json_like))
    def test_no_entry_is_more_than_refused(self, raw: dict[str, object]) -> None:
        try:
            read_value(Rules(), read_entry({"board": 1} | raw, 0))
        except Invalid as refusal:
            assert refusal.detail.encode()  # noqa: PT017 - an entry may also be accepted, so `raises` does not fit


class TestPlayers:
    def test_the_games_own_id_is_taken_as_it_is(self) -> None:
        for player in (
            *("a", "x" * 64, "Alice", "김철수", "می\u200cخواهم", "שלום", "a b", "a_b", "a:b", "...", "é"),
            *("👩‍👩‍👧", "a'; DROP", "%2F", "0"),
        ):
            assert read_player(player) == player

    def test_a_name_of_which_nothing_is_seen_gives_way_to_the_id(self) -> None:
        for name in ("Robin", "김서연", "سلام", "🦊", "0", "-", "\u200bx", "e\u0301"):
            assert display_name(name, "robin") == name
        for name in ("", " ", "\u00a0\u2003", "\u200b\u200d", "\u3164", "\u2800\u2800", "\u0301", "\x07", "\ufeff"):
            assert display_name(name, "robin") == "robin"
        for name, shown in (("Robin Hood", "Robin Hood"), (" x\t", " x\t"), ("a\u202eb", "ab"), ("\u2066", "robin")):
            assert display_name(name, "robin") == shown

    @pytest.mark.parametrize(
        ("player", "reason"),
        [
            *((text, f"{len(text)} characters") for text in ("", "x" * 65)),
            *((f"a{control}b", "control character") for control in "\0\n\t\x1f\x7f\x85\u2028\u2029\ud800\udfff"),
            *((f"a{turn}b", "turns the writing") for turn in "\u061c\u200e\u200f\u202a\u202d\u202e\u2066\u2068\u2069"),
            *((text, "blank") for blank in " \u00a0\u3000\u2003" for text in (f"{blank}a", f"a{blank}")),
            *((text, "meaning in addresses") for text in ("a/b", "a,b", ".", "..")),
            *((text, "NFC") for text in ("e\u0301", unicodedata.normalize("NFD", "각"), "\u212b")),
            *((other, "must be a text") for other in (5, None, True, ["a"], b"a", Decimal(1))),
        ],
    )
    def test_what_no_player_is_called(self, player: object, reason: str) -> None:
        with pytest.raises(BadPlayer, match=reason) as caught:
            read_player(player)

        assert caught.value.detail.encode()

    @given(st.text(max_size=70))
    def test_whoever_is_taken_can_be_stored_and_found_again(self, text: str) -> None:
        try:
            player = read_player(text)
        except BadPlayer:
            return

        assert player == text == unicodedata.normalize("NFC", text) == text.strip()
        assert "\0" not in player.encode().decode()
        assert not set("/,") & set(player)


class TestTimes:
    @pytest.mark.parametrize(
        ("text", "at"),
        [
            ("2026-11-20T08:59:58+09:00", datetime(2026, 11, 19, 23, 59, 58, tzinfo=UTC)),
            ("2026-11-20t08:59:58z", datetime(2026, 11, 20, 8, 59, 58, tzinfo=UTC)),
            ("2026-11-20T08:59:58.5-00:00", datetime(2026, 11, 20, 8, 59, 58, 500_000, tzinfo=UTC)),
            ("2026-11-20T08:59:58.123456999Z", datetime(2026, 11, 20, 8, 59, 58, 123_456, tzinfo=UTC)),
            ("1970-01-01T00:00:00Z", datetime(1970, 1, 1, tzinfo=UTC)),
        ],
    )
    def test_rfc_3339_is_read_into_utc(self, text: str, at: datetime) -> None:
        assert read_time(text) == at
        assert read_time(text).tzinfo is UTC

    @pytest.mark.parametrize(
        ("raw", "reason"),
        [
            *((form, "RFC 3339") for form in ("2026-11-20T08:59:58", "2026-11-20", "08:59:58Z", "", "now")),
            *((form, "RFC 3339") for form in ("2026-11-20 08:59:58Z", "2026-11-20T08:59Z", "20261120T085958Z")),
            *((form, "RFC 3339") for form in ("2026-11-20T08:59:58+0900", "2026-11-20T08:59:58.Z")),
            *((form, "RFC 3339") for form in ("2026-11-20T24:00:00Z", "2026-11-20T08:59:58Z\n")),
            *((form, "RFC 3339") for form in ("２０２６-11-20T08:59:58Z", "2026-W47-5T08:59:58Z")),
            *((form, "RFC 3339") for form in (1_700_000_000, None, True, Decimal("1.5"), ["2026"])),
            ("2026-11-20T08:59:60Z", "leap second"),
            *((f"2026-{day}T08:59:58Z", "calendar") for day in ("02-29", "13-01", "00-10", "11-31")),
            *((f"2026-11-20T{clock}", "calendar") for clock in ("08:60:00Z", "08:00:61Z", "08:59:58+24:00")),
            *((form, "calendar") for form in ("9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59")),
            ("0000-01-01T00:00:00Z", "calendar"),
            *((form, "before 1970") for form in ("1969-12-31T23:59:59Z", "1970-01-01T00:00:00+09:00")),
        ],
    )
    def test_what_is_no_instant_is_refused(self, raw: object, reason: str) -> None:
        with pytest.raises(BadTime, match=reason):
            read_time(raw)

    @given(st.integers(0, 250_000_000_000_000), st.integers(-23 * 60, 23 * 60))
    def test_a_time_is_the_same_instant_in_every_offset(self, ms: int, minutes: int) -> None:
        at = from_milliseconds(ms)

        written = at.astimezone(timezone(timedelta(minutes=minutes))).isoformat()

        assert read_time(written) == at
        for within in (0, 999):  # parts of a millisecond are dropped
            assert milliseconds(read_time(written) + timedelta(microseconds=within)) == ms


class TestValues:
    def test_points_stay_within_the_limits_of_one_submission(self) -> None:
        rules = Rules(decimals=1, minimum=-50, maximum=1000)

        for points, value in {"12.5": 125, "100.0": 1000, -5: -50}.items():
            assert read_value(rules, read_entry(GOOD | {"points": points}, 0)) == (value,)
        for points, reason in (("100.1", "-5 to 100 on"), ("-5.1", "-5 to 100 on"), ("1.25", r"multiple of 0\.1")):
            with pytest.raises((OutOfRange, BadPoints), match=reason):
                read_value(rules, read_entry(GOOD | {"points": points}, 0))
        for points in (2**53, "9007199254740993", Decimal("1e400"), "-1e400"):  # which a float would round
            with pytest.raises(OutOfRange):
                read_value(Rules(total_maximum=2**53 - 1), read_entry(GOOD | {"points": points}, 0))

    @pytest.mark.parametrize(
        ("rules", "raw", "refusal", "reason"),
        [
            *((RAID, raw, BadEntry, "lacks 'members'") for raw in (fields(), fields(stage=5))),
            (RAID, fields(stage=5, members=6, coins=7), BadEntry, "'coins', which this board does not know"),
            (RAID, fields(stage=5, members=6, achieved_at=7), BadEntry, "entry's `at`"),
            (RAID, GOOD, BadEntry, "send `fields` with stage, members"),
            (Rules(), fields(stage=5), BadEntry, "send `points` instead"),
            *((RAID, fields(stage=5, members=number), OutOfRange, "members") for number in (-1, 231, 2**64)),
            *((RAID, fields(stage=5, members=Decimal(text)), OutOfRange, "members") for text in ("1e400", "1e999999")),
            *((RAID, fields(stage=number), BadPoints, "must be a whole") for number in (Decimal("1.5"), "5", True)),
            *((RAID, fields(stage=number), BadPoints, "must be a whole") for number in (None, [5], 5.0)),
            *((RAID, without("points", fields=form), BadPoints, "an object") for form in ("stage", None, 5)),
            (RAID, without("points", fields=[]), BadPoints, "an object"),
        ],
    )
    def test_fields_are_whole_numbers_within_the_boards_criteria_under_exactly_their_names(
        self, rules: Rules, raw: dict[str, Any], refusal: type[Invalid], reason: str
    ) -> None:
        assert read_value(RAID, read_entry(fields(members=230, stage=23346), 0)) == (23346, 230)
        with pytest.raises(refusal, match=reason):
            read_value(rules, read_entry(raw, 0))
