"""Whose score is voided, restored or accepted late hears of it with the reason, and of nobody's place or points."""

import pytest
from django.utils import translation

from competitions.models import Competition, Mail, Notice
from competitions.notice_texts import sentences, subject
from competitions.selectors.notices.inbox import inbox
from competitions.services.notices.mail import message
from competitions.services.results.judge import unvoid, void
from competitions.services.results.late_scores import LateScore, accept_late
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.models import Submission
from leaderboards.services.submit.pipeline import submit
from tests.competitions.factories import MINUTE
from tests.competitions.services.results.test_judge import JUDGED, of, provisional
from tests.competitions.services.telling import notices, wants, with_address
from tests.competitions.site import SOON, joined, make_board, open_competition, player, race, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def frozen() -> Competition:
    """Its result is provisional, and hidden since before the last score."""
    return provisional(freeze_minutes=24 * 60)


def said(name: str) -> list[str]:
    """What stands in their inbox, the latest first."""
    return [" ".join(sentences(each, "UTC")) for each in inbox(player(name))]


def test_void_restored_and_late_are_told_once_each_with_the_reason_and_no_place_also_behind_a_freeze() -> None:
    wants("ann", quiet_from=0, quiet_until=0)
    competition = frozen()
    assert competition.is_hidden(JUDGED)

    for nth, act in enumerate((void, void, unvoid, unvoid)):
        act(competition, of("ann", 9), "Came by car.", JUDGED + nth * MINUTE, None)
    for _ in range(2):
        late = LateScore(player("ann"), SOON, 12, token="once")
        accept_late(competition, late, "No network.", JUDGED + 4 * MINUTE, None)

    assert notices() == [("ann", "score_voided"), ("ann", "score_restored"), ("ann", "score_accepted")]
    assert said("ann") == [
        "1 score of yours that came too late counts all the same: 12 points. Reason: No network.",
        "1 score of yours counts again: 9 points. Reason: Came by car.",
        "1 score of yours does not count any more: 9 points. Reason: Came by car.",
    ]
    places = Notice.objects.exclude(rank=None, previous_rank=None, snapshot=None, revision=None)
    assert not places.exists()


def test_it_is_told_in_their_language_and_by_the_names_of_criteria() -> None:
    board = make_board(name="Criteria", criteria=[{"name": "kills", "max": 99, "order": "desc"}])
    competition = open_competition(board)
    [ann] = joined(competition, "ann")
    entry = {"competition": competition.pk, "player": "ann", "fields": {"kills": 3}}
    submit([read_entry(entry, 0)], Caller("tests"), SOON)
    void(competition, Submission.objects.select_related("player", "period").get(), "By car.", SOON + MINUTE, None)
    notice = Notice.objects.get(player=ann)

    with translation.override("ko"):
        assert sentences(notice, "UTC") == ["점수 1건이 더 이상 반영되지 않습니다: kills 3. 사유: By car."]
        assert subject(notice).endswith("점수가 더 이상 반영되지 않습니다")


def test_scores_that_are_judged_together_are_one_notice_and_one_mail_until_it_is_read_or_sent() -> None:
    with_address("ann")
    wants("ann", quiet_from=0, quiet_until=0)
    competition = race({"ann": 1, "bob": 5})
    score(competition, {"ann": 2}, SOON + MINUTE)
    for points in range(3, 15):
        score(competition, {"ann": points}, SOON + MINUTE)
    every = list(Submission.objects.filter(player=player("ann")).order_by("pk"))

    for each in every[:12]:
        void(competition, each, "By car.", JUDGED, None)
    [mail] = Mail.objects.all()
    body = message(mail).body
    void(competition, every[12], "Another car.", JUDGED, None)
    Notice.objects.update(read_at=JUDGED)
    void(competition, every[13], "Another car.", JUDGED, None)

    assert "12 scores of yours do not count any more: 1 point; 2 points;" in body
    assert "10 points. And 2 more. Reason: By car." in " ".join(body.split())
    assert len(said("ann")) == Mail.objects.count() == 3
    assert Notice.objects.filter(change__isnull=False).count() == 14


def test_one_score_that_is_voided_restored_and_voided_again_is_told_as_one() -> None:
    wants("ann", quiet_from=0, quiet_until=0)
    competition = race({"ann": 10})
    for nth, act in enumerate((void, unvoid, void)):
        act(competition, of("ann", 10), "A bot.", JUDGED + nth * MINUTE, None)

    told = said("ann")

    assert "1 score of yours does not count any more: 10 points. Reason: A bot." in told
    assert len(told) == 2
