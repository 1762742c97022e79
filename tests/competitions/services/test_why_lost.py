"""Why a reward is lost: the reason of the act that took it away, also where several acts come before one settling."""

import pytest

from competitions.models import Competition, RewardGrant
from competitions.notice_texts import OTHER_REWARD_MOVED, SEVERAL_CHANGES
from competitions.services.participants.disqualify import disqualify
from competitions.services.results.judge import void
from competitions.services.rewards.staff_revocation import Reallocation, revoke_by_staff
from leaderboards.models import Submission
from tests.competitions.factories import DAY, END, HOUR
from tests.competitions.services.winning import finished, published, settle, tier
from tests.competitions.site import player

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

LATER = END + DAY


def rewarded() -> Competition:
    """Final: gold for a, silver for b, bronze for c, and nothing for d and e."""
    competition = finished({"a": 9, "b": 7, "c": 5, "d": 3, "e": 1})
    for place, name in enumerate(("Gold", "Silver", "Bronze"), start=1):
        tier(competition, name=name, from_rank=place, limit=place)
    published(competition)
    settle(END + HOUR)
    return competition


def out(competition: Competition, name: str, reason: str) -> None:
    disqualify(competition, player(name), reason, LATER, None)


def voided(competition: Competition, name: str, reason: str) -> None:
    void(competition, Submission.objects.get(player=player(name)), reason, LATER, None)


def reasons() -> dict[str, str]:
    """Player → why they lost what they had at first."""
    lost = RewardGrant.objects.filter(revoked_at__isnull=False)
    return dict(lost.values_list("player__external_id", "revoked_reason"))


def test_each_of_two_who_are_disqualified_is_told_their_own_reason() -> None:
    competition = rewarded()
    out(competition, "a", "Doping.")
    out(competition, "b", "A threat.")

    settle(LATER)

    assert reasons() == {"a": "Doping.", "b": "A threat.", "c": "Doping."}


@pytest.mark.parametrize("first", ["a", "e"])
def test_who_moves_up_is_told_the_reason_of_the_act_that_moved_them(first: str) -> None:
    competition = rewarded()
    for name in (first, "e" if first == "a" else "a"):
        out(competition, name, {"a": "Doping.", "e": "No fee."}[name])

    settle(LATER)

    assert reasons() == dict.fromkeys("abc", "Doping.")


def test_who_moves_by_a_taking_back_is_not_told_the_reason_of_a_revision_that_waits() -> None:
    competition = rewarded()
    out(competition, "e", "No fee.")

    revoke_by_staff([RewardGrant.objects.get(name="Gold")], Reallocation.NEXT, "An employee.", LATER)

    assert reasons() == {"a": "An employee.", "b": OTHER_REWARD_MOVED, "c": OTHER_REWARD_MOVED}


def test_a_change_of_scores_and_a_disqualification_are_told_apart() -> None:
    competition = rewarded()
    voided(competition, "a", "By car.")
    out(competition, "d", "No fee.")

    settle(LATER)

    assert reasons() == dict.fromkeys("abc", "By car.")


def test_where_acts_cannot_be_told_apart_others_are_told_none_of_their_reasons() -> None:
    competition = rewarded()
    voided(competition, "a", "By car.")
    voided(competition, "b", "By bus.")

    settle(LATER)

    assert reasons() == {"a": "By car.", "b": "By bus.", "c": SEVERAL_CHANGES}


def test_many_acts_at_once_give_others_none_of_their_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("competitions.selectors.rewards.revocation_reasons.MOST", 2)
    competition = rewarded()
    for name in ("a", "e"):
        out(competition, name, f"Of {name}.")

    settle(LATER)

    assert reasons() == {"a": "Of a.", "b": SEVERAL_CHANGES, "c": SEVERAL_CHANGES}
