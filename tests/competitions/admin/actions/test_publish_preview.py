"""The confirmation of publishing says when and how long a competition runs, and what nobody can change afterwards."""

from datetime import timedelta

import pytest
from django.test import Client

from competitions.services.lifecycle.copies import Wanted, make_copies
from foundation import clock
from tests.competitions.admin.typed import LIST, act, change, page
from tests.competitions.factories import DAY, START
from tests.competitions.site import draft, open_competition

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


def test_the_years_and_the_length_are_told_and_an_end_years_away_is_pointed_at(admin: Client) -> None:
    usual = draft(starts_at=START + DAY, ends_at=START + 3 * DAY + timedelta(hours=4))
    slip = draft(usual.board, starts_at=START + DAY, ends_at=START + 732 * DAY)

    told, warned = page(admin, act(usual, "publish")), page(admin, act(slip, "publish"))

    assert f"{usual.starts_at:%Y}" in told
    assert "that is 2 d 4 h." in told
    assert "Look at the end" not in told
    assert f"{slip.ends_at:%Y}" in warned
    assert "Look at the end: it lasts longer than a year, 731 d." in warned
    assert "longer than a year, 731 d" in page(admin, f"{LIST}publish-drafts/?of={slip.pk}")


def test_a_copy_that_lasts_several_times_as_long_as_its_source_is_pointed_at(admin: Client) -> None:
    source = open_competition(name="Weekly", starts_at=START, ends_at=START + 7 * DAY)
    wanted = [Wanted("Again", START + 7 * DAY)]
    [copied] = make_copies(source, wanted, "token", clock.now(), None)

    same = page(admin, act(copied, "publish"))
    copied.ends_at = copied.starts_at + 28 * DAY
    copied.save(update_fields=["ends_at"])

    assert "Look at the end" not in same
    assert "it lasts 28 d, and “Weekly”, which it was made from, 7 d." in page(admin, act(copied, "publish"))


def test_the_confirmation_and_the_next_page_say_the_same_of_what_may_change(admin: Client) -> None:
    drafted, running = draft(), open_competition()
    confirmed, then = page(admin, act(drafted, "publish")), page(admin, change(running))

    for said in ("“Move the end” with a reason, until it is over", "ublishing cannot be undone"):
        assert said in confirmed
        assert said in then
    assert "Its start is fixed from now on." in confirmed
    assert f"{running.ends_at:%Y}" in then.partition('class="form-row field-ends')[2].partition("</div> </div>")[0]
