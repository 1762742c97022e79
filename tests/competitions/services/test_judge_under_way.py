"""A jury's act that dies, or meets a confirmation or an erasure: it is done whole or not at all."""

import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection

from competitions.models import Change, Revision
from competitions.services.lifecycle.confirm import confirm
from competitions.services.results import judge, late_scores
from competitions.services.results.judge import void
from competitions.services.results.late_scores import accept_late
from leaderboards.models import FinalStanding, Standing, Submission
from leaderboards.services.moderation import correct_closed
from leaderboards.services.players.erase import ErasureResult, erase_player
from tests.at_once import at_once
from tests.competitions.services.mishaps import dying_at
from tests.competitions.services.results.test_judge import JUDGED, is_whole, late, of, provisional
from tests.competitions.site import period_of, ranks
from tests.locked import only_postgresql

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.mark.parametrize(
    ("module", "module_of_late", "step"),
    [
        (correct_closed, correct_closed, "correct.after_standing"),
        (correct_closed, correct_closed, "correct.before_commit"),
        (judge, late_scores, "judge.before_commit"),
    ],
)
def test_whoever_dies_at_an_act_has_done_nothing_of_it(module: Any, module_of_late: Any, step: str) -> None:
    competition = provisional()
    before = (ranks(competition, JUDGED), period_of(competition).content_hash)

    with dying_at(module, step):
        void(competition, of("ann", 9), "Came by car.", JUDGED, None)
    with dying_at(module_of_late, step):
        accept_late(competition, late("bob", 30), "The network was down.", JUDGED, None)

    assert (ranks(competition, JUDGED), period_of(competition).content_hash) == before
    assert is_whole(competition)
    assert not Submission.objects.exclude(voided_at=None).exists()
    assert not Submission.objects.filter(service="jury").exists()
    assert not Change.objects.filter(kind__in=("voided", "accepted")).exists()


def test_judged_and_confirmed_at_once_each_is_done_once_and_the_result_is_whole() -> None:
    competition = provisional()
    score_of_ann = of("ann", 9)

    at_once(
        [
            lambda: bool(void(competition, score_of_ann, "Came by car.", JUDGED, None)),
            lambda: bool(void(competition, score_of_ann, "Came by car.", JUDGED, None)),
            lambda: bool(accept_late(competition, late("bob", 30), "The network was down.", JUDGED, None)),
            lambda: bool(confirm(competition, JUDGED, None)),
        ]
    )

    assert ranks(competition, JUDGED) == [("bob", 1, 30), ("cleo", 2, 7), ("ann", 3, 4)]
    assert is_whole(competition)
    kinds = list(Change.objects.exclude(kind="published").order_by("pk").values_list("kind", flat=True))
    assert sorted(kinds) == ["accepted", "confirmed", "voided"]
    revised = [each.change.kind for each in Revision.objects.order_by("number") if each.change]
    assert revised == kinds[kinds.index("confirmed") :]


def test_erased_while_a_score_is_judged_nobody_finds_the_old_name() -> None:
    competition = provisional()

    at_once(
        [
            lambda: bool(void(competition, of("bob", 5), "Came by car.", JUDGED, None)),
            lambda: bool(erase_player("cleo", JUDGED)),
            lambda: bool(accept_late(competition, late("ann", 30), "The network was down.", JUDGED, None)),
        ]
    )

    assert not FinalStanding.objects.filter(member__contains="cleo").exists()
    assert not Standing.objects.filter(member__contains="cleo").exists()
    assert is_whole(competition)


@only_postgresql
def test_who_is_erased_while_places_are_written_anew_is_in_none_of_them_by_the_old_name() -> None:
    """Void reads cleo's name, and commits only once the erasure has come as far as it can."""
    competition, erasing = provisional(), ThreadPoolExecutor(1)
    erased: list[Future[list[object]]] = []

    def meanwhile(step: str) -> None:
        if step == "correct.before_commit":
            erased.append(erasing.submit(at_once, [lambda: erase_player("cleo", JUDGED)]))
            _until_somebody_waits()

    with patch.object(correct_closed, "failpoint", meanwhile):
        void(competition, of("bob", 5), "Came by car.", JUDGED, None)
    [done] = erased[0].result()
    erasing.shutdown()

    assert isinstance(done, ErasureResult)
    names = FinalStanding.objects.filter(period=period_of(competition)).values_list("member", flat=True)
    assert not [name for name in names if "cleo" in name]
    assert is_whole(competition)


def _until_somebody_waits() -> None:
    """For a lock of SQL; there is one who does."""
    give_up = time.monotonic() + 10
    with connection.cursor() as cursor:
        while time.monotonic() < give_up:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
            time.sleep(0.01)
    raise AssertionError("Nobody waits.")
