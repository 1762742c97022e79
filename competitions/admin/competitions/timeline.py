"""The timeline of a competition: its steps with times, the present step, and the next step to do.

Organizers see more than the public: a result may be final while the public still sees the freeze.
"""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from competitions.admin.times import competition_time
from competitions.core.lifecycle import Phase
from competitions.models import Competition
from competitions.phases import phase_word
from competitions.selectors.results.review import length_of, review_until
from competitions.selectors.results.revisions import latest_numbers


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the timeline. ``state`` is ``done``, ``now`` or ``coming``."""

    title: str
    when: str
    state: str

    @property
    def state_in_words(self) -> str:
        """The state as text, so that it is not shown by colour alone."""
        return {"done": _("done"), "now": _("now"), "coming": _("to come")}[self.state]


def steps(competition: Competition, at: datetime) -> list[Step]:
    """Return the steps from draft to final, or until it was cancelled."""
    timeline = _all_steps(competition)
    phase = competition.phase(at)
    order = [each for each, _title, _when in timeline]
    public, internal = order.index(phase), order.index(_internal_phase(competition, phase))
    states = ["done" if nth < max(public, internal) else "coming" for nth in range(len(order))]
    states[public] = states[internal] = "now"
    if phase in (Phase.FINAL, Phase.CANCELLED):
        states[-1] = "now"
    return [
        Step(title, competition_time(competition, when, year=True) if when else "", state)
        for (_phase, title, when), state in zip(timeline, states, strict=True)
    ]


def _internal_phase(competition: Competition, phase: Phase) -> Phase:
    """Return the phase for organizers: behind a freeze, the result may be provisional or final."""
    if phase is not Phase.FROZEN or competition.closed_at is None:
        return phase
    return Phase.FINAL if competition.final_at is not None else Phase.PROVISIONAL


def _all_steps(competition: Competition) -> list[tuple[Phase, str, datetime | None]]:
    every = [
        (Phase.DRAFT, phase_word(Phase.DRAFT), competition.created_at),
        (Phase.OPEN, phase_word(Phase.OPEN), competition.published_at),
        (Phase.RUNNING, phase_word(Phase.RUNNING), competition.starts_at),
        (Phase.FROZEN, _("frozen until the reveal"), competition.frozen_at or competition.timeline.freezes_at),
        (Phase.CLOSING, phase_word(Phase.CLOSING), competition.ends_at),
        (Phase.PROVISIONAL, _provisional(competition), competition.closed_at),
        (Phase.FINAL, phase_word(Phase.FINAL, _revision(competition)), competition.final_at),
    ]
    if competition.closed_at == competition.final_at and not length_of(competition):
        every = [each for each in every if each[0] is not Phase.PROVISIONAL]  # it has no review, or had none
    if competition.timeline.freezes_at is None and competition.frozen_at is None:
        every = [each for each in every if each[0] is not Phase.FROZEN]
    if competition.cancelled_at is None:
        return every
    happened = [each for each in every if each[2] is not None and each[2] <= competition.cancelled_at]
    return [*happened, (Phase.CANCELLED, phase_word(Phase.CANCELLED), competition.cancelled_at)]


def _revision(competition: Competition) -> int:
    return latest_numbers([competition.pk]).get(competition.pk, 1)


def _provisional(competition: Competition) -> str:
    until = review_until(competition)
    if until is None:
        return phase_word(Phase.PROVISIONAL)
    return _("provisional until %(when)s") % {"when": competition_time(competition, until)}


def next_step(competition: Competition, at: datetime) -> str:
    """Return the next step, automatic or manual; empty if there is none."""
    phase = competition.phase(at)
    if phase in (Phase.OPEN, Phase.RUNNING, Phase.FROZEN) and at < competition.ends_at:
        return _next_timed_step(competition, phase)
    if phase is Phase.FROZEN and competition.final_at is not None:
        return _("reveal it: the result is final")
    if competition.is_provisional:
        return _next_review_step(competition, phase)
    if phase in (Phase.FROZEN, Phase.CLOSING):
        return _("closes %(seconds)s s after its end, by itself") % {"seconds": competition.board.grace_seconds}
    return _("publish it") if phase is Phase.DRAFT else ""


def _next_review_step(competition: Competition, phase: Phase) -> str:
    until = competition_time(competition, review_until(competition))
    if phase is Phase.FROZEN:
        return _("confirm it or reveal it: final by itself %(when)s") % {"when": until}
    return _("confirm it: final by itself %(when)s") % {"when": until}


def _next_timed_step(competition: Competition, phase: Phase) -> str:
    freezes_at = competition.timeline.freezes_at
    if phase is Phase.OPEN:
        sentence, when = _("starts %(when)s"), competition.starts_at
    elif phase is Phase.RUNNING and freezes_at is not None:
        sentence, when = _("freezes %(when)s"), freezes_at
    else:
        sentence, when = _("ends %(when)s"), competition.ends_at
    return sentence % {"when": competition_time(competition, when)}
