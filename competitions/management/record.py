"""What a rehearsal did, as its simulated participants and its jury know it: what everything is compared with.

It is kept beside the product, and reads nothing of it. The terms of the competition stand here too, since both the
rehearsal and the verdict go by them.
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
    """Times are in UTC. Who was disqualified is among the gone; who was reinstated is in ``back`` too."""

    joined: list[str] = field(default_factory=list)
    accepted: dict[str, AcceptedScore] = field(default_factory=dict)
    late: list[AcceptedScore] = field(default_factory=list)
    voided: set[str] = field(default_factory=set)  # ids of what was accepted
    judged: list[ExpectedNotice] = field(
        default_factory=list
    )  # what those hear whose scores were voided, or accepted late
    gone: dict[str, datetime] = field(default_factory=dict)
    disqualified: dict[str, datetime] = field(default_factory=dict)
    back: dict[str, datetime] = field(default_factory=dict)
    told_of_end: list[str] = field(default_factory=list)
    moved_at: datetime | None = None
    ranks: dict[datetime, dict[str, int]] = field(default_factory=dict)  # at each snapshot's time
    results: list[Result] = field(default_factory=list)  # as they were published
    seen: list[tuple[dict[str, int], dict[str, int]]] = field(default_factory=list)  # what was shown, and should be

    @property
    def taking_part(self) -> list[str]:
        """Who takes part now, in the order of joining."""
        return [player for player in self.joined if not self._is_out(player)]

    @property
    def counted(self) -> list[AcceptedScore]:
        """What counts now: not voided, and of those who take part."""
        kept = [each for name, each in self.accepted.items() if name not in self.voided]
        return [each for each in kept + self.late if not self._is_out(each.player)]

    def counted_before(self, freezes_at: datetime) -> list[AcceptedScore]:
        """What a copy of that moment shows now: who leaves later is still in it, and so is a score that a jury voids
        later; who is disqualified, whenever that was, is not."""
        before = [each for each in self.accepted.values() if each.at < freezes_at]
        out = [player for player, at in self.gone.items() if at < freezes_at or player in self.disqualified]
        out = [player for player in out if player not in self.back]
        return [each for each in before if each.player not in out]

    def publish(self, at: datetime) -> None:
        """The result is published as it is now."""
        ranks, won = ranking(self.counted), rewards(PRIZES, self.counted)
        self.results.append(Result(at, ranks, won, tuple(self.taking_part)))

    def _is_out(self, player: str) -> bool:
        return player in self.gone and player not in self.back
