"""A test score from a board's page, a key's ready command, and the one click that voids what a player sent."""

import json
import re
import shlex
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.test import Client

from foundation import clock
from foundation.audit.models import AuditEntry
from foundation.errors import Invalid
from foundation.security import service_keys
from leaderboards import selectors
from leaderboards.admin.integrations.ready_curl import curl_of
from leaderboards.core.input.entries import read_entry
from leaderboards.models import Board, Period, Player, Submission
from leaderboards.services.submit import pipeline, sample_score
from leaderboards.services.submit.sample_score import SERVICE, TESTED
from tests.competitions.site import make_board as make_event_board
from tests.competitions.site import open_competition
from tests.leaderboards.factories import BoardFactory
from tests.leaderboards.services.site import make_board, points, score
from tests.playing import account
from tests.staff import staff

pytestmark = pytest.mark.django_db(transaction=True)


class Died(Exception):
    """The process ends here."""


def address(board: Board) -> str:
    return f"/admin/leaderboards/board/{board.pk}/test-score/"


def typed(client: Client, board: Board, **more: Any) -> dict[str, Any]:
    form = client.get(address(board)).context["form"]
    return {name: form.get_initial_for_field(field, name) or "" for name, field in form.fields.items()} | more


def test_it_is_rehearsed_first_and_then_counts_under_a_name_of_its_own(admin: Client, links: None) -> None:
    board = make_board("hybrid", clock.now())
    sent = typed(admin, board, player="ann", worth="7")

    rehearsed = admin.post(address(board), {**sent, "look": "1"}).content.decode()

    assert "Accepted: the standing changes." in rehearsed
    assert "Points: 7." in rehearsed
    assert not Submission.objects.exists()

    done = admin.post(address(board), {**sent, "confirmed": "1"}, follow=True).content.decode()

    [row] = Submission.objects.all()
    assert (row.service, row.player.external_id) == (SERVICE, "ann")
    assert (row.external_id or "").startswith("test-")
    assert "Rank: 1." in done
    assert str(row.external_id) in done
    [entry] = AuditEntry.objects.filter(act=TESTED)
    assert (entry.by_name, entry.keys("board")) == ("admin", [str(board.pk)])


def test_the_audit_log_knows_the_player_as_a_subject_alone_so_that_an_erasure_takes_the_id_away(
    admin: Client, links: None
) -> None:
    board = make_board("hybrid", clock.now())
    admin.post(address(board), typed(admin, board, player="ann", worth="7", confirmed="1"))

    [entry] = AuditEntry.objects.filter(act=TESTED)

    assert entry.keys("player") == [str(Player.objects.get(external_id="ann").pk)]
    assert "ann" not in json.dumps(entry.note)


def test_a_competition_of_another_board_is_none_of_this_one(admin: Client, links: None) -> None:
    mine, other = (open_competition(make_event_board(name=name)) for name in ("Cups", "Races"))
    sent = typed(admin, mine.board, player="ann", worth="7", competition=other.pk)

    pages = [admin.post(address(mine.board), {**sent, way: "1"}).content.decode() for way in ("look", "confirmed")]

    for page in pages:
        assert f"There is no competition {other.pk}." in page
    assert not Submission.objects.exists()
    assert not AuditEntry.objects.filter(act=TESTED).exists()


def test_sent_twice_it_counts_once(admin: Client, links: None) -> None:
    board = make_board("hybrid", clock.now(), update="increment")
    sent = typed(admin, board, player="ann", worth="7", confirmed="1")

    admin.post(address(board), sent)
    again = admin.post(address(board), sent, follow=True).content.decode()

    assert "This one was sent before." in again
    assert points(board, clock.now()) == {"ann": 7}


@pytest.mark.parametrize("storage", ["hybrid", "sql", "redis"])
def test_no_score_counts_without_its_entry_in_the_audit_log(
    links: None, monkeypatch: pytest.MonkeyPatch, storage: str
) -> None:
    board = make_board(storage, clock.now())
    ann, ben = (
        read_entry({"board": board.pk, "player": each, "points": 7, "id": f"test-{each}"}, 0) for each in ("ann", "ben")
    )
    by = account("admin")

    def fail(*_: object, **__: object) -> None:
        raise Died

    monkeypatch.setattr(sample_score, "record", fail)
    with pytest.raises(Died):
        sample_score.send(board, ann, clock.now(), by)
    monkeypatch.undo()
    assert not selectors.standings(board).rows

    def submit_and_die(*args: Any, dry_run: bool = False, **options: Any) -> Any:
        outcomes = pipeline.submit(*args, dry_run=dry_run, **options)
        return outcomes if dry_run else fail()

    monkeypatch.setattr(sample_score, "submit", submit_and_die)
    with pytest.raises(Died):
        sample_score.send(board, ben, clock.now(), by)
    monkeypatch.undo()
    assert [row.player for row in selectors.standings(board).rows] == ["ben"]
    [entry] = AuditEntry.objects.filter(act=TESTED)
    assert entry.note["id"] == "test-ben"
    assert entry.keys("player") == [str(Player.objects.get(external_id="ben").pk)]


def test_a_refused_score_is_not_recorded(links: None) -> None:
    board = make_board("hybrid", clock.now(), maximum=5)

    outcome = sample_score.send(
        board,
        read_entry({"board": board.pk, "player": "ann", "points": 7, "id": "test-1"}, 0),
        clock.now(),
        account("admin"),
    )

    assert outcome.code == "out_of_range"
    assert not AuditEntry.objects.filter(act=TESTED).exists()
    assert not Player.objects.filter(external_id="ann").exists()


@pytest.mark.parametrize("worth", ["many", "[1]", '{"points": 1', ""])
def test_what_no_game_server_could_send_is_refused_and_stays(admin: Client, links: None, worth: str) -> None:
    board = make_board("hybrid", clock.now())

    html = admin.post(address(board), typed(admin, board, worth=worth, confirmed="1")).content.decode()

    assert "Nothing was done." in html
    assert not Submission.objects.exists()


def test_a_competition_is_named_on_a_board_of_events(admin: Client, links: None) -> None:
    competition = open_competition()

    html = admin.post(
        address(competition.board), typed(admin, competition.board, competition=competition.pk, look="1")
    ).content.decode()

    assert "What would become of it" in html


def test_it_is_for_who_may_change_boards_and_scores(links: None) -> None:
    board = make_board("hybrid", clock.now())
    both = ("change_board", "change_submission")

    assert [staff(each).get(address(board)).status_code for each in both] == [403, 403]
    assert staff(*both).get(address(board)).status_code == 200
    page = f"/admin/leaderboards/board/{board.pk}/change/"
    assert "test-score" in staff(*both).get(page).content.decode()
    assert "test-score" not in staff("change_board").get(page).content.decode()


def test_no_key_bears_its_name() -> None:
    with pytest.raises(Invalid):
        service_keys.make(SERVICE, ["scores:write"])


def test_a_new_key_comes_with_a_command_that_asks_and_writes_nothing(admin: Client, links: None) -> None:
    board = BoardFactory.create(name="Golf", period="day")
    form = {"name": "game", "scopes": ["scores:write"], "boards": [str(board.pk)]}

    html = unescape(admin.post("/admin/foundation/servicekey/add/", form).content.decode())

    [command] = re.findall(r'<pre class="ready-curl">(.*?)</pre>', html, re.DOTALL)
    words = shlex.split(command.replace("\\\n", " "))
    assert words[:2] == ["curl", "http://localhost:8000/api/v1/scores?dry_run=true"]
    assert service_keys.authenticate(words[3].removeprefix("Authorization: ")).name == "game"
    assert words[-1] == f'{{"entries": [{{"board": {board.pk}, "player": "test-player", "points": 1}}]}}'


@pytest.mark.parametrize(
    ("limits", "example"),
    [
        ({"minimum": 100}, "100"),
        ({"minimum": -50, "maximum": -10}, "-10"),
        ({"minimum": Decimal("2.5"), "decimals": 1}, "2.5"),
        ({"minimum": 0}, "1"),
    ],
)
def test_the_first_score_to_try_is_one_that_the_board_takes(
    admin: Client, links: None, limits: dict[str, Any], example: str
) -> None:
    board = BoardFactory.create(period="day", **limits)
    key, _text = service_keys.make("game", ["scores:write"], boards=[board.pk])

    assert typed(admin, board)["worth"] == example
    assert f'"points": {example}}}' in curl_of(key)


def test_a_made_key_shows_it_with_a_variable_and_a_signed_one_shows_none() -> None:
    key, _text = service_keys.make("game", ["boards:read"])

    assert "$SUNWI_KEY" in curl_of(key)
    assert "/api/v1/boards" in curl_of(key)
    key.signing_secret = "sealed"
    assert curl_of(key) == ""


def test_a_board_says_why_it_is_live_or_not(admin: Client, links: None) -> None:
    board = make_board("hybrid", clock.now())
    score(board, {"ann": 5}, clock.now())
    page = f"/admin/leaderboards/board/{board.pk}/change/"
    assert "Live: Redis shows what was decided." in admin.get(page).content.decode()

    Period.objects.filter(board=board).update(stale_since=clock.now())

    html = admin.get(page).content.decode()
    assert "Not live: since" in html
    assert 'href="/admin/health/#what-to-do"' in html


def test_all_that_a_player_sent_is_voided_by_one_click_and_a_reason(admin: Client, links: None) -> None:
    board = make_board("hybrid", clock.now(), update="increment")
    score(board, {"ann": 5, "bob": 3}, clock.now())
    score(board, {"ann": 6}, clock.now())
    ann = Player.objects.get(external_id="ann")
    listed = f"/admin/leaderboards/submission/?player__id__exact={ann.pk}"

    html = admin.get(listed).content.decode()
    [form] = re.findall(r'<form method="post" class="void-these".*?</form>', html, re.DOTALL)
    chosen = re.findall(r'name="_selected_action" value="(\d+)"', form)
    asked = {"action": "void", "index": "0", "select_across": "0", "_selected_action": chosen}
    shown = admin.post(listed, asked).content.decode()
    seal = "".join(re.findall(r'name="shown" value="(.*?)"', shown))
    admin.post(listed, {**asked, "confirmed": "1", "shown": seal, "reason": "Nobody is so fast."})

    assert len(chosen) == 2
    assert points(board, clock.now()) == {"bob": 3}
    assert "void-these" not in admin.get("/admin/leaderboards/submission/").content.decode()
    assert "void-these" not in staff("view_submission").get(listed).content.decode()


@pytest.mark.parametrize(
    ("page", "permission", "way"),
    [
        ("/boards/{board}/", "view_board", "/admin/leaderboards/board/{board}/change/"),
        ("/boards/{board}/periods/", "view_board", "/admin/leaderboards/board/{board}/change/"),
        ("/players/ann/", "change_player", "/admin/leaderboards/player/{ann}/change/"),
        ("/competitions/{cup}/", "view_competition", "/admin/competitions/competition/{cup}/change/"),
    ],
)
def test_public_pages_lead_to_the_admin_for_who_may(page: str, permission: str, way: str, links: None) -> None:
    board, cup = make_board("hybrid", clock.now()), open_competition()
    score(board, {"ann": 5}, clock.now())
    numbers = {"board": board.pk, "cup": cup.pk, "ann": Player.objects.get(external_id="ann").pk}
    link = f'href="{way.format(**numbers)}"'

    seen = [
        link in client.get(page.format(**numbers)).content.decode() for client in (staff(permission), staff(), Client())
    ]

    assert seen == [True, False, False]
