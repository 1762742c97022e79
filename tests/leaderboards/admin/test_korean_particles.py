"""What Django's admin says of our rows in Korean: no particle is left open beside a name that it does not know."""

import re

import pytest
from django.test import Client
from django.utils.translation import gettext, ngettext, override

from leaderboards.models import Board
from tests.leaderboards.factories import UserFactory
from tests.playing import make_board

OPEN = re.compile(r"을/를|를/을|이/가|은/는|와/과|[을를은는이가와과]\([을를은는이가와과]\)|\(으\)로")


@pytest.mark.django_db
def test_lists_and_deleting_leave_no_particle_open() -> None:
    make_board()
    staff = Client(headers={"accept-language": "ko"})
    staff.force_login(UserFactory.create(is_staff=True, is_superuser=True))
    one = f"/admin/leaderboards/board/{Board.objects.get().pk}"
    doors = ("/admin/leaderboards/purge/", "/admin/leaderboards/board/", f"{one}/change/", f"{one}/delete/")

    shown = [staff.get(door) for door in doors]

    assert [each.status_code for each in shown] == [200] * len(shown)
    assert [found for each in shown if (found := OPEN.findall(each.content.decode()))] == []


@pytest.mark.parametrize(
    "sentence",
    [
        "The {name} “{obj}” was added successfully.",
        "The {name} “{obj}” was changed successfully. You may edit it again below.",
        "The %(name)s “%(obj)s” was deleted successfully.",
        "%(name)s with ID “%(key)s” doesn’t exist. Perhaps it was deleted?",
        "Successfully deleted %(count)d %(items)s.",
        "Delete selected %(verbose_name_plural)s",
        "Cannot delete %(name)s",
        "Select %s to view",
        " By %(filter_title)s ",
        "%(model_name)s with this %(field_labels)s already exists.",
    ],
)
def test_django_still_says_these_and_ours_is_taken(sentence: str) -> None:
    with override("ko"):
        said = gettext(sentence)

    assert said != sentence
    assert not re.search(r"(?:\)s|%s|[})])[\"”]? ?(?:[을를은는이가와과](?: |$)|[을를은는이가와과]/)", said)
    assert not OPEN.search(said)


def test_several_changed_rows_are_told_without_one_too() -> None:
    with override("ko"):
        said = ngettext(
            "%(count)s %(name)s was changed successfully.", "%(count)s %(name)s were changed successfully.", 2
        )

    assert "changed" not in said
    assert not OPEN.search(said)
