"""Imports in the admin: who may, what is shown before, the bar that tells how far it is, and the undo."""

import re
from collections.abc import Iterator
from datetime import timedelta
from html import unescape

import pytest
from django.contrib.auth.models import Group
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from foundation import clock
from leaderboards.admin.boards.preview_seal import SEAL_FIELD
from leaderboards.models import Board, ImportRun, Standing
from leaderboards.models.imports import Phase
from leaderboards.services.board_files import apply_boards
from leaderboards.services.players.profiles import set_profile
from tests.leaderboards.admin.typed import make_board, page
from tests.leaderboards.factories import UserFactory
from tests.leaderboards.imports.files import AT, boards_file, confirmed, moved, points, sent, undone
from tests.staff import staff

pytestmark = pytest.mark.django_db(transaction=True)

ADD = "/admin/leaderboards/importrun/add/"
LIST = "/admin/leaderboards/importrun/"


@pytest.fixture(autouse=True)
def _noon() -> Iterator[None]:
    """The clock stands where the files are imported."""
    with clock.freeze_at(AT):
        yield


def address(run: ImportRun) -> str:
    return f"{LIST}{run.pk}/change/"


def test_a_file_for_a_board_with_criteria_has_columns_of_their_names(admin: Client) -> None:
    stages = {"name": "stage", "max": 99, "order": "desc"}
    first = {"name": "achieved_at", "unit": "s", "order": "asc"}
    board = make_board(criteria=[stages, {"name": "kills", "max": 9, "order": "desc"}, first])
    typed = {"board": board.seq, "player": "player", "points": ""}

    def send(text: bytes, **more: object) -> str:
        file = SimpleUploadedFile("scores.csv", text)
        return unescape(admin.post(f"{ADD}?kind=scores", typed | {"file": file} | more, follow=True).content.decode())

    assert "no column 'kills'" in send(b"player,stage\nalice,5\n")
    assert "ranks by points: which column has them?" in send(
        b"player,points\nann,1\n", board=make_board(name="Points").seq
    )
    send(b"player,stage,kills\nalice,5,2\nbob,7,\ncarol,7,1\ndave,100,1\n")
    run = moved(ImportRun.objects.get())
    ready = unescape(page(admin, address(run)))
    admin.post(address(run), {"confirm": "1", "checks": "0"})

    assert "Players who enter a ranking: 2." in ready
    assert [(row, code) for row, code, _ in moved(run).report["errors"]] == [(2, "bad_entry"), (4, "out_of_range")]
    rows = Standing.objects.filter(period__board=board).order_by("-score").values_list("player__external_id", "fields")
    assert [*rows] == [("carol", [7, 1]), ("alice", [5, 2])]


def test_a_file_of_scores_goes_from_upload_over_the_preview_to_the_board_and_back(admin: Client) -> None:
    board = make_board()
    file = SimpleUploadedFile("scores.csv", b"player,points\nalice,5\nb/b,6\n")
    typed = {"board": board.seq, "player": "player", "points": "points", "file": file}

    answer = admin.post(f"{ADD}?kind=scores", typed)
    run = ImportRun.objects.get()
    assert answer["Location"] == address(run)
    judging = page(admin, address(run))
    assert '<noscript><meta http-equiv="refresh"' in judging
    assert '<label for="import-bar">0 of 2 rows</label>' in judging
    assert points(board) == {}

    moved(run)
    ready = unescape(page(admin, address(run)))
    assert "1 first place moves." in ready
    assert "Refused rows: 1 of 1" in ready
    assert "<li>1 rank changes.</li>" in ready
    assert '<th scope="row">2</th><td>alice</td><td>5</td><td></td>' in ready
    assert '<th scope="row">3</th><td>b/b</td><td>6</td><td><strong>refused</strong></td>' in ready
    assert "http-equiv" not in ready

    admin.post(address(run), {"confirm": "1", "checks": "0"})
    assert moved(run).phase is Phase.DONE
    assert points(board) == {"alice": 5}

    look = page(admin, f"{address(run)}?undo=1")
    assert "alice, Made, " in look
    assert "<li>1 first place moves, 1 rank changes.</li>" in look
    unreasoned = admin.post(address(run), {"undo": "1", "reason": ""}, follow=True)
    assert "Give a reason" in unreasoned.content.decode()
    admin.post(address(run), {"undo": "1", "reason": "Wrong file."})
    assert moved(run).phase is Phase.UNDONE
    assert points(board) == {}


def test_players_are_shown_old_and_new_and_a_cell_that_empties_is_marked_and_counted(admin: Client) -> None:
    picture = "https://a.example/a.png"
    set_profile("ann", {"name": "Ann", "avatar_url": picture}, AT)
    set_profile("bob", {"name": "Bob"}, AT)
    run = sent("players", f"player,name,avatar_url\nann,Anna,{picture}\nbob,,\nnew,,\n")

    ready = page(admin, address(run))

    assert "1 row has an empty cell that empties what the player has" in ready
    assert '<th scope="row">2</th><td>ann</td><td>name</td><td>Ann</td><td>Anna</td>' in ready
    assert '<th scope="row">3</th><td>bob</td><td>name</td><td>Bob</td><td><strong>empty</strong></td>' in ready
    assert '<th scope="row">3</th><td>bob</td><td></td><td></td><td><strong>empties what the player has' in ready
    assert ready.count("<strong>empt") == 2
    assert "What changes, in the first rows" not in page(admin, address(confirmed(run)))


def test_undoing_players_is_told_before_and_comes_to_just_that(admin: Client) -> None:
    set_profile("ann", {"name": "Ann"}, AT)
    set_profile("bob", {"name": "Bob"}, AT)
    run = confirmed(sent("players", "player,name\nann,A\nbob,B\nnew,N\nlinked,L\n"))
    set_profile("bob", {"name": "Bobby"}, AT)
    UserFactory.create(player="linked")

    look = page(admin, f"{address(run)}?undo=1")
    over = undone(run)

    assert "<li>1 profile is set back.</li><li>1 player is removed.</li><li>2 players stay: somebody" in look
    assert (over.undone, over.left) == (2, 2)


def test_undoing_boards_names_each_and_what_it_gets_back(admin: Client) -> None:
    make_board(retention_days=30)
    file = boards_file({"name": "Made", "retention_days": 60}, {"name": "Fresh", "period": "day"})

    look = page(admin, f"{address(confirmed(sent('boards', file)))}?undo=1")

    assert "new boards go if nobody has played on them" in look
    assert "<h3>Made</h3>" in look
    assert "<td>60</td><td>30</td>" in look


def test_a_column_that_the_file_lacks_is_told_beside_the_field_that_names_it(admin: Client) -> None:
    file = SimpleUploadedFile("scores.csv", b"player,points\nalice,5\n")
    typed = {"board": make_board().seq, "player": "player", "points": "points", "at": "wann", "file": file}

    html = unescape(admin.post(f"{ADD}?kind=scores", typed).content.decode())

    assert "The file has no column 'wann'" in html.split('id="id_at"')[1].split("</div>")[0]
    assert not ImportRun.objects.exists()


def test_rows_are_counted_as_a_spreadsheet_counts_them_and_the_words_fit_rows(admin: Client) -> None:
    run = sent("scores", "player,points,id\nalice,5,a\nbad/one,1,b\nalice,5,a\n", make_board(), id="id")

    html = unescape(page(admin, address(run)))

    assert '<th scope="row">3</th><td><code>bad_player</code>' in html
    assert '<th scope="row">2</th><td>alice</td>' in html
    assert "rows that make or change a standing: 1" in html
    assert "stands in this file twice: 1" in html
    korean = admin.get(address(run), headers={"accept-language": "ko"}).content.decode()
    assert '<th scope="col">오류 코드</th>' in korean


def test_the_page_asks_again_while_it_moves_and_gets_304_where_nothing_did(admin: Client) -> None:
    run = ImportRun.objects.create(kind="players", file_name="a.csv", rows=5, created_at=AT)
    html = page(admin, address(run))
    etag = unescape(re.findall('data-etag="([^"]+)"', html)[0])

    same = admin.get(address(run), {"fragment": "1"}, headers={"If-None-Match": etag})
    ImportRun.objects.update(checked=3)
    other = admin.get(address(run), {"fragment": "1"}, headers={"If-None-Match": etag})

    assert (same.status_code, other.status_code) == (304, 200)
    assert 'value="3" max="5"' in other.content.decode()
    assert "<html" not in other.content.decode()


def test_boards_show_old_and_new_values_and_are_confirmed_as_they_were_seen(admin: Client) -> None:
    board = make_board(retention_days=30)
    run = sent("boards", boards_file({"name": "Made", "retention_days": 60}))
    html = page(admin, address(run))
    seal = re.findall(f'name="{SEAL_FIELD}" value="([^"]+)"', html)[0]
    assert "<td>30</td><td>60</td>" in html

    apply_boards([{"name": "Made", "retention_days": 40}], AT)
    again = admin.post(address(run), {"confirm": "1", "checks": "0", SEAL_FIELD: seal}, follow=True).content.decode()

    assert "Look once more." in again
    assert "<td>40</td><td>60</td>" in again
    seal = re.findall(f'name="{SEAL_FIELD}" value="([^"]+)"', again)[0]
    admin.post(address(run), {"confirm": "1", "checks": "0", SEAL_FIELD: seal})
    assert moved(run).phase is Phase.DONE
    assert Board.objects.get(pk=board.pk).retention_days == 60


def test_what_was_judged_anew_is_confirmed_only_as_it_was_seen(admin: Client) -> None:
    board, file = make_board(storage="sql"), "player,points,id\nalice,5,a\n"
    first = confirmed(sent("scores", file, board, id="id"), AT - timedelta(seconds=1))
    waiting = sent("scores", file + "bob,6,b\n", board, id="id")
    seen = fields(page(admin, address(waiting)))
    undone(first)

    old = admin.post(address(waiting), {"confirm": "1", **seen}, follow=True).content.decode()
    unseen = admin.post(address(waiting), {"confirm": "1"}, follow=True).content.decode()
    kept = moved(waiting).phase
    admin.post(address(waiting), {"confirm": "1", **fields(old)})

    assert "It was checked again since you looked" in old
    assert "It was checked again since you looked" in unseen
    assert kept is Phase.READY
    assert moved(waiting).phase is Phase.DONE


def test_what_undoing_comes_to_is_counted_only_for_who_asks_and_may_undo() -> None:
    run = confirmed(sent("scores", "player,points\nalice,5\n", make_board(storage="sql")))
    importer, viewer = staff("import_scores"), staff("view_importrun")

    def read(client: Client, query: str) -> list[str]:
        with CaptureQueriesContext(connection) as asked:
            page(client, address(run) + query)
        return [each["sql"] for each in asked.captured_queries if 'FROM "leaderboards_submission"' in each["sql"]]

    assert read(importer, "") == []
    assert read(viewer, "?undo=1") == []
    counted = read(importer, "?undo=1")
    assert '"leaderboards_submission"."id" >=' in counted[0]


def fields(body: str) -> dict[str, str]:
    """What the form of a run carries unseen."""
    return dict(re.findall('type="hidden" name="(checks)" value="([^"]+)"', body))


def test_each_kind_has_a_permission_of_its_own_and_looking_is_not_importing() -> None:
    run = sent("players", "player\nalice\n")
    other, viewer, nobody = staff("import_scores"), staff("view_importrun"), staff()

    assert "Yes: import it" not in page(viewer, address(run))
    for client in (other, viewer, nobody):
        assert client.post(address(run), {"confirm": "1"}).status_code in (403, 404)
        assert client.post(address(run), {"discard": "1"}).status_code in (403, 404)
        assert client.get(f"{ADD}?kind=players").status_code == 403
    assert ImportRun.objects.get().phase is run.phase
    assert nobody.get(address(run)).status_code in (403, 404)
    assert "Yes: import it" in page(staff("import_players"), address(run))


def test_an_import_is_seen_by_who_may_import_its_kind_or_look_at_imports() -> None:
    run = sent("boards", boards_file({"name": "Secret board", "visibility": "private", "period": "day"}))
    other, viewer, importer = staff("import_players"), staff("view_importrun"), staff("import_boards")

    assert other.get(address(run)).status_code == 404
    assert run.file_name not in page(other, LIST)
    for client in (viewer, importer):
        assert "Import" in page(client, address(run))
        assert run.file_name in page(client, LIST)


def test_operators_and_admins_import_and_others_do_not() -> None:
    having = Group.objects.filter(permissions__codename="import_scores").values_list("name", flat=True)

    assert sorted(having) == ["admin", "operator"]


def test_an_upload_can_be_thrown_away_and_a_bad_file_is_refused_at_its_field(admin: Client) -> None:
    run = sent("players", "player\nalice\n")

    admin.post(address(run), {"discard": "1"})
    refused = admin.post(f"{ADD}?kind=players", {"file": SimpleUploadedFile("a.csv", b"player,colour\na,red\n")})

    assert "the column 'colour'" in " ".join(refused.context["form"].errors["file"])
    assert not ImportRun.objects.exists()
    assert admin.get(address(run)).status_code == 404


def test_the_list_tells_state_and_who(admin: Client) -> None:
    confirmed(sent("players", "player\nalice\n"))

    assert "imported" in page(admin, LIST)
