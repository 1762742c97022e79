"""The rehearsal: it comes out exactly, finds what is wrong, leaves others in peace, and cancels what was cut off."""

import json
import random
import zlib
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.management.base import CommandError
from django.db import transaction

from competitions.management.jury_scenario import FAST_BY_CAR, OUTRAGEOUS
from competitions.management.record import PRIZES
from competitions.management.rehearsal import Rehearsal
from competitions.management.verdict import Verdict, judge
from competitions.models import Competition, Notice, NoticeKind, RevisionPart, RewardGrant, Snapshot
from foundation import clock
from leaderboards.models import FinalStanding, Period, PeriodState
from tests.competitions import site
from tests.competitions.services.telling import contest, noticed, snapshot
from tests.leaderboards.commands.calls import run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

HOUR = timedelta(hours=1)


def rehearsed(meanwhile: Callable[[int], None] = lambda _: None) -> Rehearsal:
    rehearsal = Rehearsal(8, lambda _: None, random.Random(7))
    rehearsal.run(0, meanwhile)
    return rehearsal


@pytest.mark.long
def test_it_prints_a_timeline_and_at_last_one_line_of_json_in_which_nothing_is_wrong() -> None:
    printed = run("competition_rehearse", "--participants", 20, "--seconds", 0, "--seed", 3)

    *timeline, last = printed.out.splitlines()
    told = json.loads(last)
    assert told.keys() == set(Verdict.__slots__)
    assert (told["participants"], told["rank_mismatches"], told["duplicates"], told["missing"]) == (20, 0, 0, 0)
    assert told["submissions"] > 140
    assert told["rewards"] >= len(PRIZES)
    assert told["notifications"]["extended"] == 20
    assert told["notifications"].keys() >= {"first_taken", "first_lost", "top10_entered", "summary", "disqualified"}
    assert told["notifications"].keys() >= {"result", "result_changed", "rewarded", "reward_revoked", "reinstated"}
    assert (told["revisions"], told["broken_hashes"]) == (2, 0)
    assert told["revoked"] >= 1  # whoever was first before the appeal has no gold any more
    for step in ("joined", "end is moved", "disqualified", "frozen", "voids", "accepts", "revealed", "rewards"):
        assert any(step in line for line in timeline), step


@pytest.mark.long
def test_what_each_party_sees_is_told_at_each_moment_in_lines_of_a_hundred_columns() -> None:
    said: list[str] = []
    rehearsal = Rehearsal(8, said.append, random.Random(7))

    rehearsal.run(0, lambda _: None)

    assert max(len(line) for line in said) <= 100
    public = [line.split(":", 1)[1].split(", hash")[0].strip() for line in said if line.strip().startswith("public:")]
    frozen = "frozen since"
    assert [each[: len(frozen)] if each.startswith(frozen) else each for each in public] == [
        *[frozen] * 4, "provisional, no result yet", "final, revision 1", "final, revision 2",
    ]  # fmt: skip  # as a table
    first, second = rehearsal.competition.revisions.order_by("number")
    for revision in (first, second):
        assert any(f"revision {revision.number}, hash {revision.content_hash[:8]}" in line for line in said)
    [cheat] = [line.split()[2] for line in said if f"posts {OUTRAGEOUS} points" in line]
    own = [line for line in said if line.strip().startswith(f"{cheat}:")]
    assert f"{OUTRAGEOUS} points of their own" in own[0]
    assert "no place" in own[-1]
    assert any("place 1 of" in line and f"{FAST_BY_CAR} points" in line for line in said)


@pytest.mark.long
def test_whatever_goes_wrong_in_a_jurys_evening_is_noticed() -> None:
    rehearsal = rehearsed()
    cup, record = rehearsal.competition, rehearsal.record
    assert judge(cup, record).is_good

    for spoil, fault in FAULTS:
        with transaction.atomic():
            spoil(cup)
            verdict = judge(cup, record)
            transaction.set_rollback(True)
        found = {name: getattr(verdict, name) for name in ("rank_mismatches", "broken_hashes", "duplicates", "missing")}
        assert {name: count for name, count in found.items() if count} == fault, spoil.__name__
        assert not verdict.is_good

    shown, expected = record.seen[0]
    record.seen[0] = ({**shown, "somebody-hidden": 1}, expected)
    assert judge(cup, record).rank_mismatches == 1


def _grant_too_many(cup: Competition) -> None:
    gold = RewardGrant.objects.get(RewardGrant.ACTIVE, competition=cup, name="Gold")
    gold.pk, gold.tier = None, None
    gold.save()


def _revoking_undone(cup: Competition) -> None:
    revoked = RewardGrant.objects.filter(competition=cup, revoked_at__isnull=False, name="Gold")
    assert revoked.update(revoked_at=None) == 1


def _without_one(kind: NoticeKind) -> Callable[[Competition], None]:
    def spoil(cup: Competition) -> None:
        Notice.objects.filter(pk=Notice.objects.filter(competition=cup, kind=kind)[0].pk).delete()

    spoil.__name__ = f"no {kind}"
    return spoil


def _another_place_told(cup: Competition) -> None:
    [first, *_] = Notice.objects.filter(competition=cup, kind=NoticeKind.RESULT)
    Notice.objects.filter(pk=first.pk).update(rank=99)


def _a_hash_that_is_off(cup: Competition) -> None:
    part = RevisionPart.objects.get(revision__competition=cup, revision__number=2, nth=0)
    signed = zlib.decompress(bytes(part.content))
    RevisionPart.objects.filter(pk=part.pk).update(content=zlib.compress(signed[:17] + b"0" * 64 + signed[81:]))


FAULTS: list[tuple[Callable[[Competition], None], dict[str, int]]] = [
    (_grant_too_many, {"duplicates": 1}),
    (_revoking_undone, {"duplicates": 1, "missing": 1}),
    *((_without_one(kind), {"missing": 1}) for kind in (
        NoticeKind.RESULT, NoticeKind.RESULT_CHANGED, NoticeKind.REWARDED, NoticeKind.REWARD_REVOKED,
        NoticeKind.DISQUALIFIED, NoticeKind.REINSTATED,
    )),
    (_another_place_told, {"duplicates": 1, "missing": 1}),
    (_a_hash_that_is_off, {"broken_hashes": 1}),
]  # fmt: skip  # as a table


@pytest.mark.long
def test_a_seed_repeats_a_rehearsal() -> None:
    one, other = (run("competition_rehearse", "--participants", 8, "--seconds", 0, "--seed", 3) for _ in range(2))

    assert one.out.splitlines()[-1] == other.out.splitlines()[-1]


@pytest.mark.long
def test_it_leaves_others_as_they_are_and_finds_what_is_missing_there_twice_or_wrong() -> None:
    now = clock.now()
    running = contest("ann", "bob", starts_at=now - 9 * HOUR, ends_at=now + HOUR)
    compared_by_others = snapshot(running, now - HOUR, "ann", "bob")
    noticed(running, "ann", "first_taken", at=now.replace(hour=2))
    ended = site.open_competition(site.make_board(name="Ended"))
    Period.objects.filter(label=ended.label).update(state=PeriodState.FINAL, closed_at=now)
    Competition.objects.filter(pk=ended.pk).update(final_at=now)

    rehearsal = rehearsed()

    cup, record = rehearsal.competition, rehearsal.record
    assert judge(cup, record).is_good
    assert Notice.objects.get(competition=running).held_until is not None
    assert Snapshot.objects.get(pk=compared_by_others.pk).compared_at is None
    assert site.reloaded(running).final_at is None
    period = Period.objects.get(label=ended.label)
    assert not period.reward_grants.exists()
    assert not hasattr(period, "reward_run")

    lost = Notice.objects.filter(competition=cup, kind=NoticeKind.FIRST_TAKEN)[0]
    lost.delete()
    Notice.objects.create(competition=cup, player=lost.player, kind="extended", created_at=now)
    RewardGrant.objects.filter(competition=cup, name="Gold").delete()
    last, before_last = FinalStanding.objects.filter(period__label=cup.label).order_by("-place")[:2]
    FinalStanding.objects.filter(period=last.period_id, place=last.place).update(rank=before_last.rank)
    verdict = judge(cup, record)
    # The place taken; and two grants of gold, of which one was revoked, with their three notices.
    assert (verdict.missing, verdict.duplicates, verdict.rank_mismatches) == (6, 1, 1)
    assert not verdict.is_good


def test_what_is_cut_off_is_cancelled_and_the_clock_is_right_again() -> None:
    def interrupt(half_hour: int) -> None:
        if half_hour == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rehearsed(interrupt)

    assert Competition.objects.get().cancelled_at is not None
    assert not clock.is_fast()


def test_so_few_or_many_cannot_be_rehearsed() -> None:
    for count in ("3", "5001", "many"):
        with pytest.raises(CommandError):
            run("competition_rehearse", "--participants", count)

    assert not Competition.objects.exists()
