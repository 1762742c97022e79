"""Days of a league by chance: scores, bans, removals, tasks that run twice, late and in any order.

The oracle knows nothing of the league's own code: it follows each player's tier from what the rules say in words.
"""

import random
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest

from competitions.models import LeagueMember, LeagueSeason
from competitions.services.leagues.promotion import turn_due
from competitions.services.leagues.seasons import begin_due, place_due
from leaderboards.errors import NotRanked
from leaderboards.models import Board, FinalStanding, Player
from leaderboards.selectors.visibility.hidden import clear_hidden_cache
from leaderboards.services.moderation.remove import remove_from_period
from leaderboards.services.periods.close import close_due
from tests.competitions.factories import LeagueFactory
from tests.leaderboards.services.site import DAY, NOON, make_board, period_of, score

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

NAMES = [f"p{number:02d}" for number in range(14)]
DAYS = 5
SIZE, UP, DOWN, TIERS = 4, 2, 1, 3
Turned = dict[str, tuple[int, str]]  # player → tier and outcome


@dataclass
class Rehearsal:
    """A board with a league, dice, and what the oracle knows."""

    board: Board
    dice: random.Random
    tiers: dict[str, int] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)

    def day(self, at: datetime) -> None:
        """Somebody does something, and tasks run whenever they like."""
        period_of(self.board, at)
        for _ in range(12):
            self.dice.choice([self.play, self.play, self.play, self.ban, self.remove])(at)
            for task in self.dice.sample([begin_due, place_due, turn_due], self.dice.randint(0, 3)):
                task(at)
            self.check()
        begin_due(at)

    def play(self, at: datetime) -> None:
        points = {name: self.dice.randint(0, 6) for name in self.dice.sample(NAMES, 3)}
        score(self.board, points, at)

    def ban(self, at: datetime) -> None:
        name = self.dice.choice(NAMES)
        banned = Player.objects.filter(external_id=name, banned_at=None).update(banned_at=at)
        if not banned or self.dice.random() < 0.5:
            Player.objects.filter(external_id=name).update(banned_at=None)
        clear_hidden_cache()

    def remove(self, at: datetime) -> None:
        with suppress(NotRanked):
            remove_from_period(period_of(self.board, at), self.dice.choice(NAMES), at)

    def check(self) -> None:
        """Nobody is in two groups, none is over its size, and each that is not the newest was full when it was left."""
        inside = Counter(LeagueMember.objects.values_list("season", "player"))
        assert set(inside.values()) <= {1}
        sizes: dict[tuple[int, int], list[int]] = defaultdict(list)
        for season in LeagueSeason.objects.all():
            for group in season.groups.order_by("number"):
                sizes[season.pk, group.tier].append(group.members.count())
        for counted in sizes.values():
            assert counted[:-1] == [SIZE] * (len(counted) - 1)
            assert 1 <= counted[-1] <= SIZE
        for season in LeagueSeason.objects.exclude(turned_at=None).exclude(pk__in=self.seen).order_by("pk"):
            self.judge(season)

    def judge(self, season: LeagueSeason) -> None:
        """Everybody who is shown is in it, where the turn before left them, and was moved rightly."""
        self.seen.add(season.pk)
        members = season.members.select_related("group", "player")
        places = dict(FinalStanding.objects.filter(period=season.period).values_list("player__external_id", "rank"))
        banned = set(Player.objects.exclude(banned_at=None).values_list("external_id", flat=True))
        assert set(places) - banned <= {each.player.external_id for each in members}
        groups: dict[tuple[int, int], list[str]] = defaultdict(list)
        for each in members:
            name = each.player.external_id
            assert each.group.tier == self.tiers.get(name, 1), name
            groups[each.group.tier, each.group.number].append(name)
        outcomes = {each.player.external_id: each.outcome for each in members}
        for (tier, number), inside in groups.items():
            ranked = {name: places[name] for name in inside if name in places and name not in banned}
            if number > 1 and (len(inside) < SIZE or len(ranked) <= UP):
                before = groups[tier, number - 1]
                ranked |= {name: places[name] for name in before if name in places and name not in banned}
            for name in inside:
                assert outcomes[name] == expected(tier, name, ranked), (name, tier, ranked)
                self.tiers[name] = tier + {"promoted": 1, "stayed": 0, "demoted": -1}[outcomes[name]]
                assert 1 <= self.tiers[name] <= TIERS


def expected(tier: int, name: str, ranked: dict[str, int]) -> str:
    """In words: fewer than UP are strictly better; or it is not among them and at least all but DOWN are better.

    ``ranked`` are the group's, and those of the group before where it has room or all who are left would move up.
    """
    if name not in ranked:
        return "stayed"
    better = sum(rank < ranked[name] for rank in ranked.values())
    if better < UP:
        return "promoted" if tier < TIERS else "stayed"
    return "demoted" if better >= len(ranked) - DOWN and tier > 1 else "stayed"


LONG = [(0, "first_come"), *((seed, ties) for seed in range(1, 3) for ties in ("first_come", "shared"))]


@pytest.mark.parametrize(
    ("seed", "ties"), [(0, "shared"), *(pytest.param(*each, marks=pytest.mark.long) for each in LONG)]
)
def test_days_by_chance_keep_every_promise(seed: int, ties: str) -> None:
    board = make_board("sql", ties=ties)
    LeagueFactory.create(board=board, group_size=SIZE, promoted=UP, demoted=DOWN)
    rehearsal = Rehearsal(board, random.Random(f"{seed} {ties}"))

    for nth in range(DAYS):
        at = NOON + nth * DAY
        rehearsal.day(at)
        close_due(at + timedelta(hours=rehearsal.dice.choice([0, 13])))  # now and then the next day begins before
    end = NOON + DAYS * DAY
    close_due(end)
    for _ in range(2):
        turn_due(end)
    rehearsal.check()

    assert len(rehearsal.seen) == LeagueSeason.objects.count() == DAYS
    assert {"promoted", "stayed", "demoted"} == set(LeagueMember.objects.values_list("outcome", flat=True))
    before = list(LeagueMember.objects.order_by("pk").values_list("pk", "group", "place", "outcome"))
    for task in (turn_due, place_due, turn_due):
        assert task(end) == 0
    assert list(LeagueMember.objects.order_by("pk").values_list("pk", "group", "place", "outcome")) == before
