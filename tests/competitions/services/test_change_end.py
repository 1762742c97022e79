"""Moving the end: ranks stay as they are, scores count until the new end, the participants are told."""

from datetime import UTC, datetime, timedelta

import pytest

from competitions import errors
from competitions.models import Change, Competition, Notice
from competitions.selectors.standings import standings
from competitions.services import change_end as changing
from competitions.services.change_end import change_end
from competitions.services.finish import finish_due
from tests.competitions.site import (
    DAY,
    END,
    HOUR,
    MINUTE,
    SOON,
    START,
    STORAGES,
    draft,
    joined,
    make_board,
    open_competition,
    points_of,
    raced,
    reloaded,
    score,
)

pytestmark = pytest.mark.django_db(transaction=True)

LATER = END + 9 * DAY


def ranks(competition: Competition, at: datetime = SOON) -> list[tuple[str, int | None, object]]:
    return [(row.player, row.rank, row.points) for row in standings(reloaded(competition), at).rows]


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("ties", ["first_come", "last_come", "shared"])
def test_a_later_end_moves_no_rank(links: None, storage: str, ties: str) -> None:
    competition = open_competition(make_board(storage, ties=ties))
    raced(competition, {"ann": 5, "bob": 9})
    raced(competition, {"cleo": 5, "dan": 9, "eve": 1}, SOON + MINUTE)
    before = ranks(competition)

    moved = change_end(competition, LATER, "so many asked", SOON + MINUTE, None)

    assert moved.ends_at == LATER
    assert ranks(competition) == before
    found = standings(moved, SOON).period
    assert (found.label, found.ends_at) == (f"c{competition.pk}", LATER)


@pytest.mark.parametrize("storage", STORAGES)
def test_scores_count_until_the_new_end_and_then_it_is_final(links: None, storage: str) -> None:
    competition = open_competition(make_board(storage))
    raced(competition, {"ann": 5, "bob": 9})

    change_end(competition, LATER, "so many asked", SOON, None)
    late = score(competition, {"ann": 9}, END + HOUR)
    too_late = score(competition, {"ann": 99}, LATER + MINUTE)

    assert [outcome.code for outcome in late + too_late] == [None, "period_closed"]
    assert points_of(competition) == {"ann": 9, "bob": 9}
    assert (finish_due(END + DAY), finish_due(LATER + MINUTE)) == (0, 1)
    assert ranks(competition, LATER + MINUTE) == [("bob", 1, 9), ("ann", 2, 9)]


@pytest.mark.parametrize("storage", STORAGES)
def test_an_earlier_end_ends_it_earlier(links: None, storage: str) -> None:
    competition = open_competition(make_board(storage), join_until=END)
    raced(competition, {"ann": 5, "bob": 9})
    earlier = SOON + HOUR

    moved = change_end(competition, earlier, "a storm is coming", SOON, None)
    inside, outside = score(competition, {"ann": 6}, earlier - MINUTE), score(competition, {"ann": 7}, earlier + MINUTE)

    assert (moved.ends_at, moved.join_until) == (earlier, earlier)
    assert [outcome.code for outcome in inside + outside] == [None, "period_closed"]
    assert finish_due(earlier + MINUTE) == 1
    assert ranks(competition, earlier + MINUTE) == [("bob", 1, 9), ("ann", 2, 6)]


def test_an_end_moved_back_and_forth_still_ends_where_it_was_left(links: None) -> None:
    competition = open_competition()
    raced(competition, {"ann": 5})

    for end in (SOON + HOUR, END, LATER, END):
        change_end(reloaded(competition), end, "once more", SOON, None)

    assert reloaded(competition).ends_at == END
    assert finish_due(END + MINUTE) == 1


def test_the_end_of_a_coming_competition_moves_too(links: None) -> None:
    competition = open_competition(starts_at=END, ends_at=END + DAY)
    joined(competition, "ann")

    for end in (END + HOUR, END + 2 * DAY):
        change_end(reloaded(competition), end, "a better day", SOON, None)

    assert [each.code for each in score(competition, {"ann": 3}, END + 2 * DAY - MINUTE)] == [None]
    assert finish_due(END + 2 * DAY + MINUTE) == 1


def test_the_participants_are_told_once_and_the_same_end_changes_nothing(links: None) -> None:
    competition = open_competition()
    joined(competition, "ann", "bob")

    change_end(competition, LATER, "so many asked", SOON, None)
    change_end(competition, LATER, "so many asked", SOON, None)

    change = Change.objects.get(kind="extended")
    assert (change.reason, change.details) == ("so many asked", {"from": END.isoformat(), "to": LATER.isoformat()})
    assert sorted(Notice.objects.values_list("player__external_id", "kind")) == [
        ("ann", "extended"),
        ("bob", "extended"),
    ]


@pytest.mark.parametrize(
    ("ends_at", "at", "refusal"),
    [
        (SOON - MINUTE, SOON, errors.BadCompetition),
        (START - HOUR, START - 2 * HOUR, errors.BadCompetition),
        (LATER, END, errors.CompetitionOver),
        (datetime(9999, 12, 31, tzinfo=UTC), SOON, errors.BadCompetition),
    ],
)
def test_an_end_in_the_past_before_the_start_after_the_end_or_beyond_all_clocks_is_refused(
    links: None, ends_at: datetime, at: datetime, refusal: type[Exception]
) -> None:
    competition = open_competition()

    with pytest.raises(refusal):
        change_end(competition, ends_at, "so many asked", at, None)

    assert reloaded(competition).ends_at == END


def test_drafts_and_cancelled_ones_have_no_end_to_move(links: None) -> None:
    board = make_board()
    cancelled = open_competition(board)
    Competition.objects.update(cancelled_at=SOON)

    with pytest.raises(errors.NotOpenYet):
        change_end(draft(board), LATER, "so many asked", SOON, None)
    with pytest.raises(errors.CompetitionOver):
        change_end(reloaded(cancelled), LATER, "so many asked", SOON, None)


def test_an_end_that_the_scores_cannot_hold_is_refused_with_what_they_can(links: None) -> None:
    competition = open_competition(make_board(tie_break="score"))
    raced(competition, {"ann": 5})

    with pytest.raises(errors.BadCompetition, match=r"at most 48\.5 days"):
        change_end(competition, START + timedelta(days=50), "so many asked", SOON, None)

    assert ranks(competition) == [("ann", 1, 5)]
    assert not Change.objects.filter(kind="extended").exists()


@pytest.mark.parametrize("storage", STORAGES)
def test_a_crash_before_it_is_told_leaves_the_old_end_which_works_and_asking_again_moves_it(
    links: None, monkeypatch: pytest.MonkeyPatch, storage: str
) -> None:
    board = make_board(storage)
    left, again = open_competition(board), open_competition(board)
    for competition in (left, again):
        raced(competition, {"ann": 5, "bob": 9})
    with monkeypatch.context() as patch:
        patch.setattr(changing, "_note", _crash)
        for competition in (left, again):
            with pytest.raises(KeyboardInterrupt):
                change_end(competition, LATER, "so many asked", SOON, None)

    change_end(again, LATER, "so many asked", SOON, None)

    [late], [in_time] = score(left, {"ann": 6}, END + MINUTE), score(again, {"ann": 6}, END + MINUTE)
    assert (late.code, in_time.code) == ("period_closed", None)
    assert finish_due(END + MINUTE) == 1
    assert reloaded(left).phase(END + MINUTE) == "final"
    assert ranks(left, END + MINUTE) == [("bob", 1, 9), ("ann", 2, 5)]
    assert Change.objects.filter(kind="extended").count() == 1


def _crash(*_: object) -> None:
    raise KeyboardInterrupt
