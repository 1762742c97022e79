"""The record of a rehearsal: what the simulated participants and the jury did, with which the outcome is compared.

It reads nothing from the services. The competition's alerts and prizes are here too, for the rehearsal and the verdict.
"""

from dataclasses import dataclass, field
from datetime import datetime

from competitions.management.expected import AcceptedScore, ExpectedNotice, Prize, Result, ranking, rewards

ALERTS = ("first_taken", "first_lost", "top3_entered", "top10_entered")
PRIZES = (
    Prize("Gold", "rank", 1),
    Prize("Silver", "rank", 3, from_rank=2),
    Prize("Upper tenth", "percent", 10),
    Prize("Two hundred points", "points", 200),
)


@dataclass
class Record:
    """Times are in UTC. Disqualified players are in ``gone`` too; reinstated ones are also in ``back``."""

    joined: list[str] = field(default_factory=list)
    accepted: dict[str, AcceptedScore] = field(default_factory=dict)
    late: list[AcceptedScore] = field(default_factory=list)
    voided: set[str] = field(default_factory=set)  # ids of accepted submissions
    judged: list[ExpectedNotice] = field(default_factory=list)  # notices of voided and late scores
    gone: dict[str, datetime] = field(default_factory=dict)
    disqualified: dict[str, datetime] = field(default_factory=dict)
    back: dict[str, datetime] = field(default_factory=dict)
    told_of_end: list[str] = field(default_factory=list)
    moved_at: datetime | None = None
    ranks: dict[datetime, dict[str, int]] = field(default_factory=dict)  # at each snapshot's time
    results: list[Result] = field(default_factory=list)  # in the order of publishing
    seen: list[tuple[dict[str, int], dict[str, int]]] = field(default_factory=list)  # shown and expected ranks

    @property
    def taking_part(self) -> list[str]:
        """The present participants, in the order of joining."""
        return [player for player in self.joined if not self._is_out(player)]

    @property
    def counted(self) -> list[AcceptedScore]:
        """The scores that count now: not voided, and of participants."""
        not_voided = [each for name, each in self.accepted.items() if name not in self.voided]
        return [each for each in not_voided + self.late if not self._is_out(each.player)]

    def counted_before(self, freezes_at: datetime) -> list[AcceptedScore]:
        """Return the scores in the frozen copy: players who leave later and scores that are voided later are still in
        it; disqualified players are not."""
        before = [each for each in self.accepted.values() if each.at < freezes_at]
        excluded = [player for player, at in self.gone.items() if at < freezes_at or player in self.disqualified]
        excluded = [player for player in excluded if player not in self.back]
        return [each for each in before if each.player not in excluded]

    def publish(self, at: datetime) -> None:
        """Record the present result as published."""
        ranks, won = ranking(self.counted), rewards(PRIZES, self.counted)
        self.results.append(Result(at, ranks, won, tuple(self.taking_part)))

    def _is_out(self, player: str) -> bool:
        return player in self.gone and player not in self.back
