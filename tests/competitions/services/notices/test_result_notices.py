"""Outcomes: everybody is told their final place once it is shown, a changed one, and what they won or lost."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest

from competitions.models import Competition, Notice, NotificationProgress, Participant, Revision
from competitions.notice_texts import sentences
from competitions.selectors.results import moved_places as moved
from competitions.selectors.results.moved_places import PlaceChanges
from competitions.selectors.results.revisions import parts_of
from competitions.services.notices import notices as telling
from competitions.services.notices import result_notices as outcomes
from competitions.services.notices import reward_notices as tell_rewards
from competitions.services.notices.notices import release_deferred
from competitions.services.notices.result_notices import notify_results
from foundation import clock
from foundation.webhooks.models import WebhookDelivery
from leaderboards.models import FinalStanding, Player
from tests.at_once import at_once
from tests.competitions.factories import DAY, END, HOUR
from tests.competitions.services.mishaps import dying_at
from tests.competitions.services.telling import listening, mails, wants, who, with_address
from tests.competitions.services.winning import back, finished, out, published, settle, tier
from tests.competitions.site import make_board

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

AT = END + 4 * HOUR
POINTS = {"a": 9, "b": 7, "c": 5}


def awake(*names: str) -> None:
    """Nothing is held: tests go by any hour."""
    for name in names:
        wants(name, quiet_from=0, quiet_until=0)


def over(points: dict[str, int] = POINTS, **settings: Any) -> Competition:
    """A competition that is final, and its first revision."""
    awake(*points)
    competition = finished(points, **settings)
    published(competition)
    return competition


def told(*kinds: str) -> set[tuple[str, str, int | None, int | None]]:
    rows = Notice.objects.filter(kind__in=kinds or ("result", "result_changed"))
    return set(rows.values_list("player__external_id", "kind", "rank", "previous_rank"))


def words(name: str, kind: str) -> str:
    [notice] = Notice.objects.filter(player=who(name), kind=kind)
    return " ".join(sentences(notice, "UTC"))


def test_everybody_is_told_their_final_place_once_and_by_mail_and_no_webhook_goes_out() -> None:
    with_address("a")
    awake(*POINTS, "idle")
    competition = finished(POINTS)
    Participant.objects.create(competition=competition, player=who("idle"), joined_at=END - DAY)  # without a score
    published(competition)
    listening()

    assert [notify_results(AT), notify_results(AT)] == [3, 0]

    assert told() == {("a", "result", 1, None), ("b", "result", 2, None), ("c", "result", 3, None)}
    assert words("b", "result") == "The result is final: you are in place 2 of 3."
    assert mails() == ["a@example.com"]
    assert not WebhookDelivery.objects.exists()


def test_a_place_that_is_shared_is_told_with_the_sign_of_equals() -> None:
    board = make_board(ties="shared")
    awake(*POINTS)
    competition = finished({"a": 9, "b": 5, "c": 5}, board=board)
    published(competition)

    notify_results(AT)

    assert words("a", "result") == "The result is final: you are in place 1 of 3."
    assert words("c", "result") == "The result is final: you are in place =2 of 3."


def test_nobody_is_told_while_a_freeze_hides_it_and_the_reveal_lets_the_latest_go() -> None:
    competition = over(freeze_minutes=60)
    Competition.objects.filter(pk=competition.pk).update(frozen_at=END - HOUR)
    out(competition, "a")
    assert notify_results(AT) == 0
    Competition.objects.filter(pk=competition.pk).update(revealed_at=AT)

    assert notify_results(AT) == 2

    assert told() == {("b", "result", 1, None), ("c", "result", 2, None)}


def test_of_a_later_revision_those_hear_whose_place_is_another_with_both_places_and_the_reason() -> None:
    competition = over({**POINTS, "d": 3})
    notify_results(AT)
    Notice.objects.filter(kind="result").update(read_at=AT)

    out(competition, "b", "A car.")
    assert notify_results(AT) == 2

    changed = {("c", "result_changed", 2, 3), ("d", "result_changed", 3, 4)}
    assert told("result_changed") == changed
    assert words("c", "result_changed") == (
        "The result has changed: you are in place 2 now. Before, it was place 3. Reason: A car."
    )
    back(competition, "b")
    notify_results(AT)
    assert told("result_changed") == changed | {("c", "result_changed", 3, 2), ("d", "result_changed", 4, 3)}
    assert [notify_results(AT), NotificationProgress.objects.filter(notified_at=None).count()] == [0, 0]


def test_who_was_moved_by_an_earlier_revision_hears_its_reason_and_who_was_by_both_hears_both() -> None:
    competition = over({"a": 9, "b": 7, "c": 5, "d": 3, "e": 1})
    notify_results(AT)
    out(competition, "a", "A car.")
    out(competition, "d", "A bot.")
    assert notify_results(AT) == 3

    assert told("result_changed") == {
        ("b", "result_changed", 1, 2),
        ("c", "result_changed", 2, 3),
        ("e", "result_changed", 3, 5),
    }
    assert words("c", "result_changed").endswith("Before, it was place 3. Reason: A car.")
    assert words("e", "result_changed").endswith("Before, it was place 5. Reason: A car. Reason: A bot.")
    assert words("b", "result_changed").endswith("Before, it was place 2. Reason: A car.")


def test_who_heard_of_an_earlier_revision_hears_the_reason_of_the_later_one_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    competition = over({"a": 9, "b": 7, "c": 5, "d": 3})
    notify_results(AT)
    out(competition, "a", "A car.")
    back(competition, "a")  # "A mistake."
    out(competition, "b", "A bot.")
    monkeypatch.setattr(moved, "parts_of", read := Counted(parts_of))
    notify_results(AT)
    assert words("c", "result_changed").endswith("Reason: A bot.")
    assert read.times == 1  # the one before the latest says that nothing was another since they heard

    out(competition, "c", "A train.")
    notify_results(AT)

    [last] = Notice.objects.filter(player=who("d"), revision__number=5)
    assert " ".join(sentences(last, "UTC")).endswith("Reason: A train.")
    assert read.times == 1  # all had heard of the one before


class Counted:
    """A function that counts its calls."""

    def __init__(self, function: Callable[[Revision], Iterator[bytes]]) -> None:
        self.times, self._function = 0, function

    def __call__(self, revision: Revision) -> Iterator[bytes]:
        self.times += 1
        return self._function(revision)


def test_a_revision_that_comes_while_people_are_told_takes_the_place_of_the_one_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outcomes, "CHUNK", 1)
    competition = over()
    ranks = outcomes.Ranks({who(name).pk: rank for rank, name in enumerate("abc", start=1)})
    half = NotificationProgress.objects.create(revision=Revision.objects.get())
    outcomes._notify_chunk(half.pk, ranks, AT, PlaceChanges(half.revision).since_notified)
    [(first, _, _, _)] = told()
    out(competition, "a" if first != "a" else "b")

    notify_results(AT)

    assert outcomes._notify_chunk(half.pk, ranks, AT, PlaceChanges(half.revision).since_notified) is None
    kinds = {name: kind for name, kind, _, _ in told() if name != first}
    assert set(kinds.values()) == {"result"}


def test_it_goes_on_where_its_time_was_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "CHUNK", 2)
    over({f"p{number}": number for number in range(5)})
    hands, write = [0.0], telling.write_notices

    def slowly(written: list[Notice], at: datetime) -> None:
        hands[0] += 0.6 * outcomes.BUDGET_SECONDS
        write(written, at)

    monkeypatch.setattr(clock, "monotonic", lambda: hands[0])
    monkeypatch.setattr(telling, "write_notices", slowly)

    assert [notify_results(AT) for _ in range(3)] == [4, 1, 0]

    assert len(told()) == 5
    assert NotificationProgress.objects.get().notified_at == AT


def test_telling_again_or_at_once_or_after_one_that_died_tells_nobody_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "CHUNK", 1)
    with_address("a", "b")
    over()
    with dying_at(outcomes):
        notify_results(AT)
    assert (told(), mails()) == (set(), [])

    at_once([lambda: notify_results(AT)] * 4)
    notify_results(AT)

    assert (Notice.objects.count(), len(told()), sorted(mails())) == (3, 3, ["a@example.com", "b@example.com"])


def test_the_banned_the_disqualified_and_who_muted_it_are_told_no_place() -> None:
    competition = over({**POINTS, "d": 3})
    wants("a", muted=["result"])
    Player.objects.filter(external_id="b").update(banned_at=END)
    out(competition, "c")

    notify_results(AT)

    assert told() == {("d", "result", 2, None)}


def test_who_lost_their_scores_hears_that_they_have_no_place_any_more() -> None:
    competition = over()
    notify_results(AT)
    ranks = outcomes.Ranks({who(name).pk: rank for rank, name in enumerate("ab", start=1)})
    FinalStanding.objects.filter(player=who("c")).delete()
    latest = published(competition, "A score was voided.", AT)

    outcomes._notify_chunk(
        NotificationProgress.objects.create(revision=latest).pk, ranks, AT, PlaceChanges(latest).since_notified
    )

    assert told("result_changed") == {("c", "result_changed", None, 3)}
    assert "you have no place any more. Before, it was place 3." in words("c", "result_changed")


def test_results_of_long_ago_are_no_news_whenever_they_are_published_first() -> None:
    competition = over()
    late = END + 30 * DAY

    assert notify_results(late) == 0

    assert NotificationProgress.objects.get().notified_at == late
    out(competition, "c", "New.", late)
    assert notify_results(late) == 2


def test_a_place_that_is_told_at_night_is_told_in_the_morning_though_the_competition_is_over() -> None:
    over()
    hour = AT.hour
    wants("a", quiet_from=hour, quiet_until=(hour + 1) % 24)

    notify_results(AT)
    assert Notice.objects.get(player=who("a")).held_until is not None
    release_deferred(AT + 2 * HOUR)

    assert Notice.objects.filter(Notice.IN_INBOX, kind="result").count() == 3
    assert not Notice.objects.filter(dropped_at__isnull=False).exists()


def test_of_one_competition_nobody_else_is_told_and_the_others_are_told_later() -> None:
    cup, other = over(), over({"x": 4, "y": 2})
    for each in (cup, other):
        tier(each, name="Gold")
    settle(AT)

    assert [notify_results(AT, of=cup), tell_rewards.notify_rewards(AT, of=cup)] == [3, 1]
    assert {name for name, *_ in told("result", "rewarded")} == {"a", "b", "c"}

    assert [notify_results(AT), tell_rewards.notify_rewards(AT)] == [2, 1]
    out(cup, "a")
    out(other, "x")
    settle(AT)
    assert tell_rewards.notify_rewards(AT, of=other) == 2
    assert {name for name, *_ in told("reward_revoked")} == {"x"}
