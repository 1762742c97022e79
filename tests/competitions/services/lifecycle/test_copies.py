"""Drafts made from a competition: all its settings, nothing of its results, all or none, once for each form."""

from datetime import datetime, timedelta
from decimal import Decimal
from io import BytesIO
from zoneinfo import ZoneInfo

import pytest
from PIL import Image

from competitions.errors import BadCompetition
from competitions.models import (
    Change,
    ChangeKind,
    Competition,
    Invitation,
    Participant,
    RewardTier,
    Snapshot,
    Team,
)
from competitions.services.lifecycle.copies import COPIED, Wanted, draft_of, make_copies
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.publish import publish
from competitions.services.lifecycle.snapshots import take_snapshot
from competitions.services.picture import as_webp, set_picture
from foundation.audit.models import AuditEntry
from leaderboards.models import Period
from tests.competitions.factories import (
    DAY,
    END,
    HOUR,
    MINUTE,
    START,
    CompetitionFactory,
    DivisionFactory,
    DraftFactory,
    RewardTierFactory,
    TeamFactory,
)
from tests.competitions.site import joined, make_board, raced, reloaded

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]
NEXT = START + 7 * DAY
# What a copy has of its own; every other column of a competition is copied.
OWN = {
    *("id", "name", "starts_at", "ends_at", "join_until", "freeze_minutes", "created_at", "published_at"),
    *("frozen_at", "revealed_at", "closed_at", "final_at", "cancelled_at"),
}


@pytest.fixture
def cup() -> Competition:
    """A competition with everything that can be set, which has run and is final."""
    competition = DraftFactory.create(
        board=make_board(update="increment"),
        name="Cup 1",
        description="Run.",
        timezone="Asia/Seoul",
        joining="code",
        join_code="go",
        join_until=END - HOUR,
        most_participants=9,
        attempts=3,
        snapshot_minutes=60,
        alert_hours=2,
        alerts=["first_lost"],
        review_hours=0,
        vacated_places="stay_empty",
        team_score="sum",
        team_counts=2,
        team_size=3,
    )
    picture = BytesIO()
    Image.new("RGB", (8, 8), "red").save(picture, "PNG")
    set_picture(competition, as_webp(picture.getvalue()))
    RewardTierFactory.create(competition=competition, name="Silver", from_rank=2, limit=3)
    DivisionFactory.create(competition=competition, name="Women", position=2)
    TeamFactory.create(competition=competition, name="Red")
    Invitation.objects.create(competition=competition, external_id="zoe")
    publish(competition, START - DAY, None)
    Competition.objects.filter(pk=competition.pk).update(joining="everyone")
    competition = reloaded(competition)
    raced(competition, {"ann": 9, "bob": 5})
    take_snapshot(competition, START + HOUR, START + HOUR)
    finish_due(END + HOUR)
    return reloaded(competition)


def test_a_copy_has_every_setting_and_nothing_of_any_result(cup: Competition) -> None:
    copy = reloaded(make_copies(cup, [Wanted("Cup 2", NEXT)], "t1", START, None)[0])

    columns = {field.attname.removesuffix("_id"): field.attname for field in Competition._meta.concrete_fields}
    assert {*COPIED, *OWN} == columns.keys()
    assert [name for name in COPIED if getattr(copy, columns[name]) != getattr(cup, columns[name])] == []
    assert (copy.name, copy.starts_at, copy.ends_at, copy.join_until) == ("Cup 2", NEXT, NEXT + DAY, NEXT + DAY - HOUR)
    assert {
        getattr(copy, name)
        for name in OWN
        if name.endswith("_at") and name not in ("starts_at", "ends_at", "created_at")
    } == {None}
    assert list(copy.reward_tiers.values_list("name", "from_rank", "limit")) == [("Silver", 2, Decimal(3))]
    assert list(copy.divisions.values_list("name", "position")) == [("Women", 2)]
    assert list(copy.teams.values_list("name", flat=True)) == ["Red"]
    assert list(copy.invitations.values_list("external_id", flat=True)) == ["zoe"]
    for rows in (Participant, Snapshot):
        assert not rows._default_manager.filter(competition=copy).exists()
    assert not Period.objects.filter(label=copy.label).exists()
    assert reloaded(cup).final_at is not None
    entry = AuditEntry.objects.get(act="competition.copied")
    assert Change.objects.get(kind=ChangeKind.COPIED).competition == copy
    assert entry.note["source"] == cup.pk


def test_a_copy_can_be_published_and_run(cup: Competition) -> None:
    copy = make_copies(cup, [Wanted("Cup 2", NEXT)], "t1", START, None)[0]
    publish(copy, START, None)

    assert reloaded(copy).published_at == START


def test_all_are_made_or_none_and_the_refusal_names_which(cup: Competition) -> None:
    Competition.objects.filter(pk=cup.pk).update(freeze_minutes=23 * 60 + 30, timezone="Europe/Berlin")
    before = Competition.objects.count()
    zone = ZoneInfo("Europe/Berlin")
    spring = datetime(2027, 3, 27, 12, tzinfo=zone)  # a day of 23 hours
    wanted = [Wanted("Cup 2", spring - timedelta(weeks=1)), Wanted("Cup 3", spring)]
    Competition.objects.filter(pk=cup.pk).update(
        starts_at=datetime(2026, 7, 4, 12, tzinfo=zone), ends_at=datetime(2026, 7, 5, 12, tzinfo=zone), join_until=None
    )

    with pytest.raises(BadCompetition) as refused:
        make_copies(reloaded(cup), wanted, "t1", datetime(2026, 7, 1, tzinfo=zone), None)

    assert "“Cup 3”: The freeze is longer than the competition" in str(refused.value.detail)
    assert refused.value.field == "freeze_minutes"
    assert Competition.objects.count() == before


def test_what_hides_its_standings_from_the_start_does_so_in_a_week_in_which_the_clock_changes() -> None:
    zone = ZoneInfo("Europe/Berlin")
    hidden = DraftFactory.build(
        board=make_board(),
        timezone="Europe/Berlin",
        freeze_minutes=24 * 60,
        starts_at=datetime(2026, 7, 4, 12, tzinfo=zone),
        ends_at=datetime(2026, 7, 5, 12, tzinfo=zone),
    )
    hidden.published_at = START

    copies = [draft_of(hidden, Wanted("B", datetime(2026, 10, day, 12, tzinfo=zone))) for day in (17, 24)]

    assert [each.freeze_minutes for each in copies] == [24 * 60, 25 * 60]
    assert all(each.timeline.hides_from_the_start for each in copies)


def test_a_start_in_the_past_and_a_retired_board_are_refused(cup: Competition) -> None:
    with pytest.raises(BadCompetition, match="start in the past"):
        make_copies(cup, [Wanted("Cup 2", START)], "t1", START, None)
    cup.board.retired_at = START
    cup.board.save()

    with pytest.raises(BadCompetition, match="The board is retired"):
        make_copies(cup, [Wanted("Cup 2", NEXT)], "t1", START, None)
    assert Competition.objects.count() == 1


def test_a_form_that_is_sent_twice_makes_them_once(cup: Competition) -> None:
    wanted = [Wanted("Cup 2", NEXT), Wanted("Cup 3", NEXT + 7 * DAY)]

    first, second = (make_copies(cup, wanted, "t1", START, None) for _ in range(2))
    third = make_copies(cup, wanted, "t2", START, None)

    assert [each.pk for each in first] == [each.pk for each in second]
    assert {each.pk for each in third}.isdisjoint(each.pk for each in first)
    assert Competition.objects.count() == 5


def test_teams_that_players_found_and_rewards_that_one_may_not_add_are_left_out() -> None:
    competition = CompetitionFactory.create(team_score="best", team_founding=True)
    ann = joined(competition, "ann")[0]
    Team.objects.create(competition=competition, name="Ann's", key="ann's", founder=ann)
    Team.objects.create(competition=competition, name="Of an erased founder", key="x")
    RewardTierFactory.create(competition=competition)

    copy = make_copies(competition, [Wanted("B", NEXT)], "t", START + MINUTE, None, with_rewards=False)[0]

    assert not copy.teams.exists()
    assert not RewardTier.objects.filter(competition=copy).exists()
