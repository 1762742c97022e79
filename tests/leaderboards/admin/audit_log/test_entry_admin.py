"""The audit log in the admin: what is typed is in it, the list, the file, the pages of rows, and undoing."""

import csv
import io
from datetime import UTC, datetime
from unittest.mock import patch

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.utils.translation import override

from competitions.models import LeagueGroup
from foundation import clock
from foundation.audit import record
from foundation.audit.actions import all_actions, all_subjects
from foundation.audit.models import AuditEntry
from foundation.audit.undo import undo
from leaderboards.admin.audit_log.action_filter import ActionFilter
from leaderboards.admin.wording.descriptions import exactly_in_utc
from leaderboards.models import Player
from leaderboards.services.moderation.ban import ban
from tests.leaderboards.admin.typed import change, make_board, page, save, typed_from
from tests.leaderboards.factories import PlayerFactory, UserFactory
from tests.staff import staff

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]
LOG = "/admin/foundation/auditentry/"
BAN = {"confirmed": "1", "reason": "A bot."}
DATES = {"date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}


def entry_page(entry: AuditEntry) -> str:
    return f"{LOG}{entry.pk}/change/"


def only(act: str) -> AuditEntry:
    return AuditEntry.objects.get(act=act)


def moderator() -> Client:
    return staff(name="mod", groups=["moderator"])


def test_a_board_that_is_typed_anew_is_one_entry_with_before_and_after(admin: Client) -> None:
    board = make_board()

    save(admin, board, unit="metres")
    admin.post(change(board), typed_from(board, unit="metres"))  # changes nothing

    entry = only("board.changed")
    assert (entry.by_name, entry.before, entry.after) == ("admin", {"unit": "points"}, {"unit": "metres"})
    shown = page(admin, entry_page(entry))
    assert f"<h1>Board changed, {exactly_in_utc(entry.at)}</h1>" in shown
    assert "board.changed" not in shown
    assert "<caption>What was changed</caption>" in shown
    assert '<th scope="row">unit</th><td>points</td><td>metres</td>' in shown


def test_rights_that_somebody_is_given_are_in_the_log_and_passwords_are_not(admin: Client) -> None:
    user = UserFactory.create(username="ann")
    group = Group.objects.get(name="judge")
    password = {"password1": "a-new-one-123", "password2": "a-new-one-123", "usable_password": "true"}

    admin.post(
        f"/admin/auth/user/{user.pk}/change/",
        {"username": "ann", "is_active": "on", "is_staff": "on", "groups": [group.pk], **DATES},
    )
    admin.post(f"/admin/auth/user/{user.pk}/password/", password)

    given, renewed = AuditEntry.objects.filter(act="account.changed").order_by("pk")
    assert given.after["is_staff"] is True
    assert given.after["groups"] == [f"{group.pk}: judge"]
    assert set(given.subjects.values_list("kind", "key")) == {("account", str(user.pk))}
    assert renewed.after == {"password": "•••"}
    assert "a-new-one" not in str(AuditEntry.objects.values())


@pytest.mark.parametrize("way", ["by the dozen", "alone", "alone, with a field that only lists have"])
def test_a_deleted_account_stays_in_the_log(admin: Client, way: str) -> None:
    user = UserFactory.create(username="ann", email="ann@old.example")
    selected = {"action": "delete_selected", "_selected_action": [user.pk], "post": "yes"}
    typed = {"email": "ann@new.example", "first_name": "Annabel", "last_name": "Lee", "is_staff": "on"}
    admin.post(f"/admin/auth/user/{user.pk}/change/", {"username": "ann", "is_active": "on", **typed, **DATES})
    assert only("account.changed").after["last_name"] == "Lee"

    if way == "by the dozen":
        admin.post("/admin/auth/user/", selected)
    else:
        more = {} if way == "alone" else {"action": "x"}
        admin.post(f"/admin/auth/user/{user.pk}/delete/", {"post": "yes", **more})

    entry = only("account.deleted")
    assert not User.objects.filter(username="ann").exists()
    assert (entry.before["username"], entry.before["password"]) == ("ann", "•••")
    assert only("account.changed").after["is_staff"] is True
    kept = str(list(AuditEntry.objects.values("before", "after", "note")))
    assert not any(word in kept for word in ("ann@", "Annabel", "Lee"))


def test_a_deletion_that_fails_leaves_no_entry(admin: Client) -> None:
    user = UserFactory.create(username="ann")
    selected = {"action": "delete_selected", "_selected_action": [user.pk], "post": "yes"}

    with (
        patch("django.contrib.admin.options.ModelAdmin.delete_queryset", side_effect=RuntimeError),
        pytest.raises(RuntimeError),
    ):
        admin.post("/admin/auth/user/", selected)

    assert not AuditEntry.objects.filter(act="account.deleted").exists()


def test_the_history_of_a_row_is_its_part_of_the_log(admin: Client) -> None:
    ann, bob = (PlayerFactory.create(external_id=name) for name in ("ann", "bob"))
    ban([ann.pk], "A bot of Ann's.", clock.now(), None)
    ban([bob.pk], "A ring of Bob's.", clock.now(), None)

    row = page(admin, f"/admin/leaderboards/player/{ann.pk}/change/")
    shown = admin.get(f"/admin/leaderboards/player/{ann.pk}/history/", follow=True).content.decode()

    assert f"/admin/leaderboards/player/{ann.pk}/history/" in row
    assert f"History of player {ann.pk}" in shown
    assert f'</a> <a href="/admin/leaderboards/player/{ann.pk}/change/">ann</a></td>' in shown
    assert "A bot of Ann&#x27;s." in shown
    assert "A ring of Bob" not in shown
    assert f'href="/admin/leaderboards/player/{ann.pk}/change/"' in shown


def test_acts_of_boards_and_competitions_that_are_called_alike_are_one_choice(admin: Client) -> None:
    at = datetime(2026, 3, 2, tzinfo=UTC)
    alike = [act.code for act in all_actions() if str(act.label) == "score voided"]
    for code in (*alike, "board.retired"):
        record(code, at=at, reason=f"why {code}")
    [choices] = [each for each in admin.get(LOG).context["cl"].filter_specs if isinstance(each, ActionFilter)]

    [voided] = [code for code, label in choices.lookup_choices if label == "score voided"]
    shown = admin.get(LOG, {"act": voided}).context["cl"].result_list

    assert len(alike) == 2
    assert {entry.act for entry in shown} == set(alike)


def test_acts_are_chosen_from_groups_and_what_else_is_filtered_by_stays(admin: Client) -> None:
    record("board.retired", at=datetime(2026, 3, 2, tzinfo=UTC), reason="why")

    shown = page(admin, f"{LOG}?who=neither&act=board.retired")

    form = shown.split('class="act-filter"')[1].split("</form>")[0]
    boards = form.split('<optgroup label="Boards">')[1].split("</optgroup>")[0]
    assert '<option value="board.retired" selected>board retired</option>' in boards
    assert '<input type="hidden" name="who" value="neither">' in form
    assert form.count("<option value=") == len({str(act.label) for act in all_actions()}) + 1


def test_the_list_is_filtered_by_act_by_whom_what_it_is_about_and_words(admin: Client) -> None:
    anna, player = UserFactory.create(username="anna"), PlayerFactory.create()
    at = datetime(2026, 3, 2, tzinfo=UTC)
    record("player.banned", at=at, by=anna, subjects=[("player", player.pk)], reason="first reason")
    record("board.retired", at=at, subjects=[("board", 1)], reason="second reason")

    for asked, shows_first in (
        ("act=player.banned", True),
        ("act=board.retired", False),
        ("who=account:anna", True),
        ("who=people", True),
        ("who=neither", False),
        ("subject=player", True),
        ("subject=board:1", False),
        (f"subject=player:{player.pk}", True),
        ("q=first", True),
        ("q=anna", True),
        ("q=second", False),
    ):
        shown = page(admin, f"{LOG}?{asked}")
        assert ("first reason" in shown) == shows_first, asked
        assert ("second reason" in shown) != shows_first, asked


def test_the_file_has_what_the_list_has_and_no_cell_that_a_spreadsheet_would_run(admin: Client) -> None:
    at = datetime(2026, 3, 2, 9, tzinfo=UTC)
    record("board.retired", at=at, subjects=[("board", 1)], reason="=HYPERLINK(1)", after={"unit": "metres"})
    record("board.made", at=at, subjects=[("board", 2)])

    answer = admin.get(f"{LOG}export/?subject=board:1")

    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode())))
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert [(row["act"], row["at"], row["about"]) for row in rows] == [
        ("board.retired", "2026-03-02T09:00:00+00:00", "board:1")
    ]
    assert rows[0]["reason"] == "'=HYPERLINK(1)"
    assert rows[0]["after"] == '{"unit": "metres"}'


def test_a_moderator_undoes_a_ban_with_a_reason() -> None:
    client, ann = moderator(), PlayerFactory.create()
    ban([ann.pk], "A bot.", clock.now(), None)
    entry = only("player.banned")
    address = f"{LOG}{entry.pk}/undo/"

    asked = page(client, address)
    without = client.post(address, {"reason": " "}).content.decode()
    still = Player.objects.get().banned_at
    done = client.post(address, {"reason": "A person."}, follow=True).content.decode()
    again = client.post(address, {"reason": "Once more."}, follow=True).content.decode()
    opened_again = client.get(address, follow=True).content.decode()

    assert "A bot." in asked
    assert "Give a reason of 1 to 300 characters." in without
    assert still is not None
    assert "Undone: player banned." in done
    assert Player.objects.get().banned_at is None
    assert only("player.unbanned").by_name == "mod"
    for late in (again, opened_again):
        assert "This was undone before." in late
        assert f"<h1>Player banned, {exactly_in_utc(entry.at)}</h1>" in late


def test_who_may_not_undo_is_not_told_whether_somebody_did() -> None:
    user = UserFactory.create(is_staff=True)
    user.groups.add(Group.objects.get(name="operator"))  # reads the log, and changes no players
    ann, client = PlayerFactory.create(), Client()
    client.force_login(user)
    ban([ann.pk], "A bot.", clock.now(), None)
    entry = only("player.banned")
    before = client.post(f"{LOG}{entry.pk}/undo/", {"reason": "Oh."}).status_code
    undo(entry.pk, "A person.", clock.now(), None)

    assert (before, client.post(f"{LOG}{entry.pk}/undo/", {"reason": "Oh."}).status_code) == (403, 403)


def test_an_undo_that_is_refused_says_why(admin: Client) -> None:
    ann = PlayerFactory.create()
    ban([ann.pk], "A bot.", clock.now(), None)
    Player.objects.update(banned_at=None)

    said = admin.post(f"{LOG}{only('player.banned').pk}/undo/", {"reason": "Oh."}, follow=True).content.decode()

    assert "This ban does not stand any more" in said


def test_the_page_of_an_entry_leads_to_its_undo_and_back(admin: Client) -> None:
    ann = PlayerFactory.create()
    ban([ann.pk], "A bot.", clock.now(), None)
    entry = only("player.banned")
    before = page(admin, entry_page(entry))

    admin.post(f"{LOG}{entry.pk}/undo/", {"reason": "A person."})

    told = only("player.unbanned")
    assert f"{LOG}{entry.pk}/undo/" in before
    assert f"{LOG}{entry.pk}/undo/" not in page(admin, entry_page(entry))
    assert entry_page(told) in page(admin, entry_page(entry))
    assert entry_page(entry) in page(admin, entry_page(told))


def test_a_deleted_board_leaves_its_settings_in_the_log(admin: Client) -> None:
    board = make_board(name="Short-lived", unit="metres")
    number = board.pk

    admin.post(f"/admin/leaderboards/board/{number}/delete/", {"post": "yes"})

    entry = only("board.deleted")
    assert (entry.before["name"], entry.before["unit"], entry.by_name) == ("Short-lived", "metres", "admin")
    assert entry.keys("board") == [str(number)]
    assert "Short-lived" in page(admin, entry_page(entry))


def test_the_list_says_only_of_what_was_undone_that_it_was_and_entries_name_each_other(admin: Client) -> None:
    player = PlayerFactory.create()
    ban([player.pk], "Cheats.", clock.now(), None)
    plain = page(admin, LOG)
    admin.post(f"{LOG}{only('player.banned').pk}/undo/", {"reason": "Not them."})
    banned = only("player.banned")

    listed, lifted = page(admin, LOG), page(admin, entry_page(banned.undone_by))

    cell = 'class="field-is_undone_shown">'
    assert "icon-no" not in plain + listed
    assert f"{cell}undone</td>" not in plain
    assert listed.count(f"{cell}undone</td>") == 1
    assert "It undid an earlier entry: player banned, " in lifted
    assert "It was undone on " in page(admin, entry_page(banned))


def test_groups_of_permissions_are_not_called_like_groups_of_a_league_in_korean() -> None:
    with override("ko"):
        assert str(Group._meta.verbose_name) == str(all_subjects()["group"].label) == "그룹"
        assert (str(LeagueGroup._meta.verbose_name), str(LeagueGroup._meta.verbose_name_plural)) == ("조", "조")
