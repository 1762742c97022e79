"""What an admin reads is spelt for people: the record of a competition, times with their zone, numbers, warnings."""

import re
from datetime import UTC, datetime
from html import unescape
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import translation
from django.utils.formats import localize

from competitions.admin.competitions.change_history import changes_in_words
from competitions.models import Change, ChangeKind, Competition, Division, Notice, Participant
from competitions.services.change_log import record_change
from competitions.services.lifecycle.finish import finish
from competitions.services.participants.teams import MoveTarget, move_participant
from competitions.services.results.revisions import publish_due_revisions
from foundation import clock
from leaderboards.services.moderation.ban import ban, unban
from tests.competitions.admin.test_others import PARTICIPANTS
from tests.competitions.admin.typed import ADD, act, change, moment, page, refusals, typed
from tests.competitions.factories import DAY, END, HOUR, START, RewardTierFactory
from tests.competitions.grouping import in_division, team_called, team_race
from tests.competitions.services.winning import finished, published
from tests.competitions.site import joined, make_board, open_competition, player
from tests.leaderboards.factories import AdminFactory
from tests.staff import staff

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

SEOUL = ZoneInfo("Asia/Seoul")
AT = datetime(2026, 11, 23, 3, 5, tzinfo=UTC)


def noted(competition: Competition, kind: ChangeKind, **details: object) -> list[str]:
    """How a record tells an act with these details; it holds no other."""
    change = record_change(competition, kind, AT, None, "Why.", **details)
    competition.changes.exclude(pk=change.pk).delete()
    return changes_in_words(competition)[0].details


def test_the_record_says_old_and_new_on_the_competitions_clock(admin: Client) -> None:
    competition = open_competition(timezone="Asia/Seoul")
    admin.post(act(competition, "move-end"), {"reason": "Rain.", **moment("ends_at", END + HOUR), "confirmed": "1"})

    told, html = changes_in_words(competition)[0], page(admin, change(competition))

    before, after = (f"{at.astimezone(SEOUL):%H:%M:%S} KST" for at in (END, END + HOUR))
    assert (told.what, told.by, told.reason) == ("end moved", "admin", "Rain.")
    [line] = told.details
    assert line.startswith("end: ")
    assert before in line.partition(" → ")[0]
    assert after in line.partition(" → ")[2]
    assert f"<div>{line}</div>" in html
    assert told.when.endswith(" KST")
    assert f">{told.when}</time>" in html


def test_each_act_is_told_under_labels_and_nothing_of_a_form_is() -> None:
    competition = open_competition(timezone="Asia/Seoul")
    late = {"player": "ann", "score": "12.5", "happened_at": AT.isoformat(), "token": "secret"}

    assert noted(competition, ChangeKind.ACCEPTED, **late) == [
        "player: ann",
        "score: 12.5",
        "happened: Mon 23 Nov 2026 12:05:00 KST",
    ]
    assert noted(competition, ChangeKind.VOIDED, player="ann", score="7", submission=3)[-1] == "submission: #3"
    assert noted(competition, ChangeKind.HIDDEN, player="ann", comment=4) == ["player: ann", "comment: #4"]
    assert noted(competition, ChangeKind.PUBLISHED) == []
    with translation.override("ko"):
        assert noted(competition, ChangeKind.ACCEPTED, **late)[2] == "발생 시각: 2026년 11월 23일 (월) 12:05:00 KST"


def test_rewards_taken_back_and_who_is_brought_back_are_told_in_words_on_the_competitions_clock() -> None:
    competition = open_competition(timezone="Asia/Seoul")
    taken = {"player": "ann", "reward": "Gold", "grant": 10}
    back = {"player": "ann", "left_at": AT.isoformat(), "scores": 46}

    assert noted(competition, ChangeKind.TAKEN_BACK, **taken, instead="next") == [
        "player: ann",
        "reward: Gold",
        "instead: the next in line",
    ]
    assert noted(competition, ChangeKind.TAKEN_BACK, **taken, instead="nobody")[-1] == "instead: nobody"
    assert noted(competition, ChangeKind.GIVEN_BACK, **taken) == ["player: ann", "reward: Gold"]
    assert noted(competition, ChangeKind.BROUGHT_BACK, **back) == [
        "player: ann",
        "had left: Mon 23 Nov 2026 12:05:00 KST",
        "scores that count again: 46",
    ]
    with translation.override("ko"):
        assert noted(competition, ChangeKind.TAKEN_BACK, **taken, instead="next")[1:] == [
            "보상: Gold",
            "대신 받는 사람: 다음 순위자",
        ]
        assert noted(competition, ChangeKind.BROUGHT_BACK, **back)[1:] == [
            "나간 시각: 2026년 11월 23일 (월) 12:05:00 KST",
            "다시 인정된 점수: 46",
        ]


WHEN = AT.isoformat()
SCORED: dict[str, object] = {"player": "ann", "score": "7", "submission": 3}
COMMENTED: dict[str, object] = {"player": "ann", "comment": 4}
TAKEN: dict[str, object] = {"player": "ann", "reward": "Gold", "grant": 10}
DETAILS: dict[ChangeKind, dict[str, object]] = {  # all that the services keep of each kind
    ChangeKind.PUBLISHED: {},
    ChangeKind.EXTENDED: {"from": WHEN, "to": WHEN},
    ChangeKind.CANCELLED: {},
    ChangeKind.REMOVED: {"player": "ann"},
    ChangeKind.DISQUALIFIED: {"player": "ann"},
    ChangeKind.REINSTATED: {"player": "ann"},
    ChangeKind.BROUGHT_BACK: {"player": "ann", "left_at": WHEN, "scores": 46},
    ChangeKind.MOVED: {
        "player": "ann", "team": "Owls", "team_before": "", "division": "", "division_before": "Juniors",
    },
    ChangeKind.REVEALED: {},
    ChangeKind.CONFIRMED: {},
    ChangeKind.VOIDED: SCORED,
    ChangeKind.RESTORED: SCORED,
    ChangeKind.ACCEPTED: {"player": "ann", "score": "7", "happened_at": WHEN, "token": "secret"},
    ChangeKind.HIDDEN: COMMENTED,
    ChangeKind.SHOWN: COMMENTED,
    ChangeKind.DISMISSED: {"comment": 7, "reports": 2},
    ChangeKind.COPIED: {"source": 3, "token": "secret"},
    ChangeKind.TAKEN_BACK: TAKEN | {"instead": "nobody"},
    ChangeKind.GIVEN_BACK: TAKEN,
}  # fmt: skip  # as a table


def test_every_detail_of_every_kind_has_a_label_and_no_name_or_time_of_machines_is_shown() -> None:
    assert set(DETAILS) == set(ChangeKind)
    competition = open_competition(timezone="Asia/Seoul")
    with translation.override("ko"):  # labels are Korean; names of keys are not
        told = [line for kind, details in DETAILS.items() for line in noted(competition, kind, **details)]

    assert [line for line in told if re.match(r"[a-z_]", line)] == []
    assert WHEN not in " ".join(told)


def test_a_ban_and_its_end_stand_in_the_record_without_the_bans_reason(admin: Client) -> None:
    competition = finished({"ann": 9, "bob": 7}, timezone="Asia/Seoul")
    published(competition)
    ann, later = player("ann").pk, clock.now() + DAY
    for action, at in ((ban, later), (unban, later + HOUR)):
        action([ann], "A secret.", at, None)
        publish_due_revisions(at + HOUR / 2)

    back, banned = changes_in_words(competition)[:2]

    assert (banned.what, banned.reason, banned.details) == (
        "1 player is not shown any more",
        "",
        ["player: ann", "revision: 2"],
    )
    assert (back.what, back.details) == ("1 player is shown again", ["player: ann", "revision: 3"])
    assert banned.when.endswith(" KST")
    html = page(admin, change(competition))
    assert ("1 player is not shown any more" in html, "A secret." in html) == (True, False)


def test_a_move_is_told_from_team_and_division_to_team_and_division() -> None:
    competition = team_race({"Owls": {"ann": 9}, "Foxes": {"bob": 7}})
    juniors = in_division(competition, "Juniors")
    goal = MoveTarget(team_called(competition, "Foxes").pk, juniors)

    move_participant(
        Participant.objects.get(player__external_id="ann"), goal, "Her friends.", clock.now(), AdminFactory.create()
    )

    assert changes_in_words(competition)[0].details == [
        "team: Owls → Foxes",
        "division: none → Juniors",
        "player: ann",
    ]
    assert Division.objects.get() == competition.divisions.get()


def test_what_everybody_did_before_is_told_whatever_the_record_holds() -> None:
    competition = open_competition()
    for kind in ChangeKind.values:
        Change.objects.create(competition=competition, kind=kind, at=AT, details={})

    assert len(changes_in_words(competition)) == len(ChangeKind.values) + 1  # the publishing


@pytest.mark.parametrize(
    ("language", "said"), [("en", "Mon 23 Nov 2026 03:05 UTC"), ("ko", "2026년 11월 23일 (월) 03:05 UTC")]
)
def test_every_time_that_a_list_shows_names_its_zone(admin: Client, language: str, said: str) -> None:
    competition = open_competition(timezone="Asia/Seoul")
    joined(competition, "ann")
    Participant.objects.update(joined_at=AT)
    Notice.objects.create(
        competition=competition, player=Participant.objects.get().player, kind="result", created_at=AT, rank=1
    )
    Notice.objects.update(created_at=AT)
    asked = {"Accept-Language": language}

    with translation.override(language):
        assert localize(AT) == said
    for address in (PARTICIPANTS, "/admin/competitions/notice/"):
        assert said in admin.get(address, headers=asked).content.decode()


def test_limits_of_tiers_are_read_without_zeros_by_who_may_not_change_them(admin: Client) -> None:
    closed, board = open_competition(), make_board("sql")
    RewardTierFactory.create(competition=closed, name="Gold", limit=1)
    RewardTierFactory.create(competition=closed, name="Ten", limit=10)
    half = RewardTierFactory.create(board=board, name="Half", kind="percent", limit="12.5")
    viewer = staff("view_rewardtier", "view_competition", "view_board")

    runs = page(admin, change(closed))
    finish(closed, END + HOUR)
    shown = [page(admin, change(closed)), page(viewer, change(closed))]
    tiers = page(viewer, f"/admin/competitions/rewardtier/{half.pk}/change/")
    bounds = page(viewer, f"/admin/leaderboards/board/{board.pk}/change/")

    assert 'name="reward_tiers-0-limit" value="1"' in runs
    for html in shown:
        assert "<p>10</p>" in html
        assert "<p>1</p>" in html
    assert "12.5<" in tiers
    assert "2147483647<" in bounds
    for html in (runs, *shown, tiers, bounds):
        assert not re.search(r'(>|value=")[0-9]+[.][0-9]*000', html.partition("<main")[2])


def test_a_freeze_of_the_whole_competition_is_warned_of_and_a_longer_one_refused(admin: Client) -> None:
    warning = "Its freeze lasts as long as it does"
    board = make_board()

    longer = admin.post(ADD, typed(board, freeze_minutes=str(24 * 60 + 1)))
    assert "which lasts 1440 minutes: take that many to hide its standings" in refusals(longer)
    assert not Competition.objects.exists()
    whole = admin.post(ADD, typed(board, freeze_minutes=str(24 * 60)), follow=True)

    assert warning in unescape(whole.content.decode())
    made = Competition.objects.get()
    assert warning in page(admin, act(made, "publish"))
    assert warning not in page(admin, act(open_competition(board, freeze_minutes=60), "move-end"))
    shorter = {"reason": "Rain.", **moment("ends_at", START + DAY - HOUR, "UTC")}
    running = open_competition(board, freeze_minutes=24 * 60 - 30)
    asked = admin.post(act(running, "move-end"), shorter).content.decode()
    assert "The freeze is then as long as the competition" in unescape(asked)
