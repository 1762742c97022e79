"""An end that moves while others move it, or while it comes: the period lasts as long as its competition, no longer."""

from collections.abc import Callable
from typing import Any

import pytest

from competitions.errors import CompetitionOver
from competitions.models import Competition
from competitions.services import change_end as changing
from competitions.services import finish as finishing
from competitions.services.change_end import change_end
from competitions.services.finish import finish, finish_due
from tests.competitions.site import DAY, END, HOUR, MINUTE, SOON, open_competition, period_of, raced, reloaded

pytestmark = pytest.mark.django_db(transaction=True)

Meanwhile = Callable[[], object]


def let_happen_before(patch: pytest.MonkeyPatch, module: Any, name: str, meanwhile: Meanwhile) -> None:
    """Just before the first call of that function; what happens there may call it again."""
    function = getattr(module, name)

    def delayed(*args: Any, **kwargs: Any) -> object:
        patch.setattr(module, name, function)
        meanwhile()
        return function(*args, **kwargs)

    patch.setattr(module, name, delayed)


def move(competition: Competition, by: Any, at: Any = SOON) -> None:
    change_end(reloaded(competition), END + by, "so many asked", at, None)


@pytest.mark.parametrize("step", ["move_end", "_note"])
@pytest.mark.parametrize(("first", "second"), [(HOUR, 2 * HOUR), (2 * HOUR, HOUR)])
def test_two_who_move_it_at_once_leave_a_period_that_lasts(
    links: None, monkeypatch: pytest.MonkeyPatch, step: str, first: Any, second: Any
) -> None:
    competition = open_competition()
    raced(competition, {"ann": 5})
    let_happen_before(monkeypatch, changing, step, lambda: move(competition, second))

    move(competition, first)

    assert reloaded(competition).ends_at == END + first
    assert period_of(competition).ends_at == END + 2 * HOUR


def test_who_read_the_period_before_another_moved_it_never_moves_it_back(
    links: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    competition = open_competition()
    raced(competition, {"ann": 5})
    let_happen_before(monkeypatch, changing, "move_end", lambda: move(competition, 2 * HOUR))
    monkeypatch.setattr(changing, "_note", lambda *_: None)  # whoever reads first gets no further

    move(competition, HOUR)

    assert period_of(competition).ends_at == END + 2 * HOUR


def test_an_end_that_came_while_scores_were_packed_anew_stays(links: None, monkeypatch: pytest.MonkeyPatch) -> None:
    competition = open_competition()
    raced(competition, {"ann": 5})
    let_happen_before(monkeypatch, changing, "_note", lambda: finish_due(END + HOUR))

    with pytest.raises(CompetitionOver):
        move(competition, DAY, END - MINUTE)

    assert (reloaded(competition).ends_at, reloaded(competition).phase(END + HOUR)) == (END, "final")


@pytest.mark.parametrize("step", ["freeze_if_due", "_stop"])
def test_an_end_that_is_moved_in_time_is_not_finished_by_who_looked_before(
    links: None, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    competition = open_competition()
    raced(competition, {"ann": 5})
    let_happen_before(monkeypatch, finishing, step, lambda: move(competition, DAY, END - MINUTE))

    assert not finish(reloaded(competition), END + HOUR)

    assert (reloaded(competition).phase(END + HOUR), period_of(competition).state) == ("running", "open")
