"""The jury's part of a rehearsal: a cheat during the freeze, the jury's actions, reveal, confirmation and an appeal.

An action that publishes a result, and the scheduled work that follows from it, are one transaction, so that a running
worker has nothing to do. The trap: every action must be added to the record, which is all that the verdict knows.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from django.db import transaction

from competitions.management.expected import AcceptedScore, ExpectedNotice, ranking
from competitions.management.record import Record
from competitions.management.score_sender import ScoreSender
from competitions.management.viewpoints import BEST, ViewpointReport, amount
from competitions.models import Competition, RewardRun
from competitions.selectors.competitions import competition_by_id
from competitions.services.lifecycle.confirm import confirm
from competitions.services.lifecycle.freeze import reveal
from competitions.services.locks import get_or_open_period
from competitions.services.notices.result_notices import notify_results
from competitions.services.notices.reward_notices import notify_rewards
from competitions.services.participants.disqualify import disqualify, reinstate
from competitions.services.results.judge import void
from competitions.services.results.late_scores import LateScore, accept_late
from competitions.services.rewards.reward import grant_period
from competitions.services.rewards.settlement import settle_rewards
from foundation.errors import SunwiError
from leaderboards.models import Player, Submission

OUTRAGEOUS, FAST_BY_CAR, LATE = 9999, 230, 225  # points; honest players stay below all of them
MINUTE = timedelta(minutes=1)


class JuryScenario:
    """``players`` have joined, by id; ``told`` prints a line of the timeline, ``say`` a line below it."""

    def __init__(
        self,
        game: ScoreSender,
        record: Record,
        players: Mapping[str, Player],
        told: Callable[[datetime, str], None],
        say: Callable[[str], None],
    ) -> None:
        self._game, self._record, self._players = game, record, players
        self._told, self._witness = told, ViewpointReport(say)
        self._concerned: list[str] = []  # the players to report: the cheat, the late sender, the reinstated
        self._cheat = self._cut_off = ""

    def drive(self, at: datetime) -> None:
        """The leading player gets a score that keeps them first for a long time."""
        first = self._standing()[0]
        self._game.send([self._game.entry(first, FAST_BY_CAR, "by-car")], at)

    def disqualify_first(self, at: datetime) -> None:
        """Disqualify the leading player during the competition."""
        first = self._standing()[0]
        self._disqualify(first, "Came by car.", at)
        self._told(at, f"{first}, who was first, is disqualified")

    def freeze(self, at: datetime) -> None:
        """Report what is visible after the freeze."""
        self._concerned += self._record.disqualified
        self._look(at)

    def cheat(self, at: datetime) -> None:
        """The last player posts an impossible score during the freeze."""
        standing = self._standing()
        without_score = [player for player in self._record.taking_part if player not in standing]
        self._cheat = [*standing, *without_score][-1]
        self._concerned.insert(0, self._cheat)
        self._game.send([self._game.entry(self._cheat, OUTRAGEOUS, "outrageous")], at)
        self._told(at, f"{self._cheat} posts {OUTRAGEOUS} points: first, behind the curtain")
        self._look(at)

    def close(self, at: datetime) -> None:
        """The competition is closed; a player whose connection failed sends a score too late."""
        honest = [player for player in self._standing() if player != self._cheat]
        self._cut_off = honest[-1]
        self._concerned.insert(1, self._cut_off)
        if not self._game.is_refused(self._game.entry(self._cut_off, LATE, "cut-off"), at):
            raise SunwiError("A score that came after the closing was not refused.")
        self._told(at, f"closed after {amount(len(self._record.accepted), 'submission')}: the result is provisional")
        self._told(at, f"a score of {self._cut_off}, who was cut off, comes too late and is refused")
        self._look(at)

    def judge(self, at: datetime) -> None:
        """The jury disqualifies the cheat, voids a score, and accepts the late score."""
        self._disqualify(self._cheat, "Nobody scores that.", at)
        self._told(at, f"the jury disqualifies {self._cheat}")
        self._void(self._standing()[0], at)
        happened_at = self._competition.ends_at - MINUTE
        late = LateScore(self._players[self._cut_off], happened_at, LATE)
        accept_late(self._competition, late, "The network of the hall had failed.", at, None)
        self._record.late.append(AcceptedScore(self._cut_off, LATE, happened_at))
        self._record.judged.append(ExpectedNotice("score_accepted", self._cut_off, "", at))
        self._told(at, f"it accepts the {LATE} points of {self._cut_off}")
        self._look(at)

    def reveal(self, at: datetime) -> None:
        """Reveal the result, which is still provisional."""
        reveal(self._competition, at, None)
        self._told(at, "the ranking is revealed")
        self._look(at)

    def confirm(self, at: datetime) -> None:
        """Make the result final, with its first revision, rewards and notices."""
        self._publish("the result is confirmed", at, lambda: confirm(self._competition, at, None))
        self._look(at)

    def appeal(self, at: datetime) -> None:
        """Reinstate the player who was disqualified during the competition, which makes the next revision."""
        driver = next(player for player in self._record.disqualified if player != self._cheat)
        self._record.back[driver] = at
        car = "The car was the doctor's."
        what = f"{driver} appeals and is reinstated"
        self._publish(what, at, lambda: reinstate(self._competition, self._players[driver], car, at, None))
        self._look(at)

    # -- the same for several --------------------------------------------------------------------

    @property
    def _competition(self) -> Competition:
        return competition_by_id(self._game.number)

    def _standing(self) -> list[str]:
        """Return the participants with a score, best first."""
        ranks = ranking(self._record.counted)
        return sorted(ranks, key=lambda player: ranks[player])

    def _disqualify(self, player: str, reason: str, at: datetime) -> None:
        disqualify(self._competition, self._players[player], reason, at, None)
        self._record.gone[player] = self._record.disqualified[player] = at

    def _void(self, player: str, at: datetime) -> None:
        """Void the player's best score."""
        accepted = self._record.accepted
        own = [name for name, each in accepted.items() if each.player == player]
        name = max(own, key=lambda name: accepted[name].points)
        submission = Submission.objects.get(competition=self._game.number, external_id=name)
        void(self._competition, submission, "The line was crossed.", at, None)
        self._record.voided.add(name)
        self._record.judged.append(ExpectedNotice("score_voided", player, "", at))
        self._told(at, f"it voids {accepted[name].points} points of {player}, who was first then")

    def _publish(self, title: str, at: datetime, action: Callable[[], object]) -> None:
        """Run an action that publishes the result, and the scheduled work after it: rewards and notices."""
        with transaction.atomic():
            action()
            run = RewardRun.objects.filter(competition=self._game.number).first()
            granted = settle_rewards(run.pk, at) if run else grant_period(get_or_open_period(self._competition), at)
            written = _write_all_notices(self._competition, at)
        self._record.publish(at)
        self._told(at, f"{title}: {amount(granted, 'reward')} granted, {amount(written, 'notice')} written")

    def _look(self, at: datetime) -> None:
        competition = self._competition
        seen = self._witness.look(competition, [self._players[each] for each in self._concerned], at)
        freezes_at, record = competition.timeline.freezes_at, self._record
        is_hidden = competition.is_hidden(at)
        counted = record.counted_before(freezes_at) if freezes_at and is_hidden else record.counted
        best = {player: rank for player, rank in ranking(counted).items() if rank <= BEST}
        record.seen.append((seen, best))


def _write_all_notices(competition: Competition, at: datetime) -> int:
    """Write all due notices of the competition, in several runs; returns how many."""
    total = 0
    while written := notify_results(at, of=competition) + notify_rewards(at, of=competition):
        total += written
    return total
