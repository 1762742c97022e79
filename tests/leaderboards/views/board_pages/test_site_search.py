"""Finding players, boards and competitions over the whole site, and who is not told."""

import re
from collections.abc import Callable
from unittest.mock import patch

import pytest
from django.contrib.auth.models import Permission
from django.db import connection, models
from django.db.models import Value
from django.test import Client
from django.test.utils import CaptureQueriesContext

from foundation import clock
from leaderboards.core.input.folding import prefix_ranges
from leaderboards.models import Board, Player, Visibility
from leaderboards.selectors.player_data import search as selector
from leaderboards.services.players.erase import erase_player
from leaderboards.services.players.fold_names import fold_due_names
from leaderboards.services.players.profiles import fill_missing_names
from leaderboards.tasks import fold_names
from tests.leaderboards.services.restricting import EVERY_WAY, WAYS_ON_A_BOARD, keep_out
from tests.leaderboards.views.named import NAMES, named_board
from tests.leaderboards.views.pages import signed_in, text
from tests.playing import account, make_board, name, score

pytestmark = pytest.mark.django_db(transaction=True)

LINK = re.compile(r'href="(/(?:players|boards|competitions)/[^"?]+/)"')


@pytest.fixture
def board() -> Board:
    return named_board()


def found(client: Client, sought: str, address: str = "/search/") -> list[str]:
    """The ids, or addresses that are no players', in their order."""
    page = client.get(address, {"q": sought}).content.decode().partition("<main")[2 if address == "/search/" else 0]
    return [each.removeprefix("/players/").rstrip("/") for each in LINK.findall(page)]


@pytest.mark.parametrize(
    ("sought", "players"),
    [
        ("Zoe", ["p1", "p6", "p5"]),
        ("ZOE", ["p6", "p1", "p5"]),
        ("Zoë", ["p1", "p6", "p5"]),
        ("zo", ["p1", "p6", "p5"]),
        ("zoe q", ["p5"]),
        ("lukasz", ["p2"]),
        ("Łuk", ["p2"]),
        ("지", ["p3"]),
        ("ㅈ", ["p3"]),
        ("지우", ["p3"]),
        ("ㅋ", ["p0"]),
        ("ㅋㅋ", ["p0"]),
        ("ㅋㅋㅋㅇ", ["p0"]),
        ("mina", ["p4"]),
        ("ＭＩ", ["p4"]),
        ("p2", ["p2"]),
        ("z", []),
        ("oe", []),
        ("p", []),
    ],
)
def test_players_are_found_folded_and_by_their_beginning(
    client: Client, board: Board, sought: str, players: list[str]
) -> None:
    ids = found(client, sought)

    assert sorted(ids) == sorted(players)
    assert found(client, sought, "/search/suggestions/") == ids


def test_who_is_called_exactly_so_comes_first_and_longer_names_last(client: Client, board: Board) -> None:
    assert found(client, "ZOE")[0] == "p6"
    assert found(client, "Zoë")[0] == "p1"
    assert found(client, "zoe")[-1] == "p5"


def test_boards_are_found_folded_the_better_match_first(client: Client, board: Board) -> None:
    other = make_board(name="The elan")

    assert found(client, "elan") == [f"/boards/{board.seq}", f"/boards/{other}"]
    assert found(client, "elan", "/search/suggestions/") == [f"/boards/{board.seq}", f"/boards/{other}"]
    assert found(client, "vit") == [f"/boards/{board.seq}"]


def test_a_private_board_is_told_only_to_who_may_see_it(client: Client, board: Board) -> None:
    Board.objects.filter(seq=board.seq).update(visibility=Visibility.PRIVATE)
    staff, user = Client(), account("staff", is_staff=True)
    staff.force_login(user)

    for address in ("/search/", "/search/suggestions/"):
        assert found(client, "elan", address) == []
        assert found(staff, "elan", address) == []
    user.user_permissions.set(Permission.objects.filter(codename__in=["view_board", "view_player"]))
    for address in ("/search/", "/search/suggestions/"):
        assert found(staff, "elan", address) == [f"/boards/{board.seq}"]


def test_who_plays_on_private_boards_alone_is_found_by_the_whole_name_only(client: Client, board: Board) -> None:
    Board.objects.filter(seq=board.seq).update(visibility=Visibility.PRIVATE)
    staff, user = Client(), account("staff", is_staff=True)
    staff.force_login(user)
    user.user_permissions.set(Permission.objects.filter(codename="view_player"))

    assert found(client, "zo") == []
    assert found(client, "lukas") == []
    assert found(client, "lukasz") == ["p2"]
    assert sorted(found(staff, "zo")) == ["p1", "p5", "p6"]


@pytest.mark.parametrize("how", [each for each in EVERY_WAY if "everywhere" in each])
def test_who_is_kept_out_everywhere_is_not_found_except_the_shadowed_by_themselves(board: Board, how: str) -> None:
    own = signed_in(Client(), "someone", "p2")
    keep_out(how, board, "p2")

    for address in ("/search/", "/search/suggestions/"):
        for sought in ("lukasz", "luk", "p2"):
            assert found(Client(), sought, address) == []
            assert found(own, sought, address) == (["p2"] if how.startswith("shadowed") else [])


@pytest.mark.parametrize("how", [each for each in WAYS_ON_A_BOARD if "everywhere" not in each])
def test_who_is_shown_on_no_public_board_is_found_by_the_whole_name_only(
    client: Client, board: Board, how: str
) -> None:
    keep_out(how, board, "p2")

    for address in ("/search/", "/search/suggestions/"):
        assert found(client, "luk", address) == []
        assert found(client, "lukasz", address) == ["p2"]


def test_who_was_erased_is_found_by_no_name(client: Client, board: Board) -> None:
    number = Player.objects.get(external_id="p2").pk
    erase_player("p2", clock.now(), "Asked.")

    assert Player.objects.get(pk=number).folded_name is None
    assert [found(client, sought) for sought in ("lukasz", "lu", "p2")] == [[], [], []]


def test_every_way_to_write_a_name_writes_it_folded() -> None:
    score(make_board(), {"a": 1, "b": 1})

    def folded(player: str = "a") -> str | None:
        return Player.objects.values_list("folded_name", flat=True).get(external_id=player)

    assert folded() is None
    name("a", "Zoë")
    assert folded() == "zoe"
    name("a", "Ærø")
    assert folded() == "aero"
    name("a", "")
    assert folded() is None
    fill_missing_names({"a": "Łucja"})
    assert folded() == "lucja"
    row = Player.objects.get(external_id="a")
    row.name = "Ö"
    row.save(update_fields=["name"])
    assert folded() == "o"
    row.name = "É"
    row.save()
    assert folded() == "e"
    partly = Player.objects.only("external_id").get(external_id="a")
    partly.save()
    assert folded() == "e"
    Player.objects.bulk_create([Player(external_id="c", name="Ñandú"), Player(external_id="d")])
    assert (folded("c"), folded("d")) == ("nandu", None)
    assert Player.objects.create(external_id="e", name="Ï").folded_name == "i"
    again = [Player(external_id="e", name="Çelik")]
    Player.objects.bulk_create(again, update_conflicts=True, unique_fields=["external_id"], update_fields=["name"])
    assert folded("e") == "celik"
    assert not Player.objects.filter(Player.TO_FOLD).exists()


@pytest.mark.parametrize(
    "rename",
    [
        lambda: written_before("p2", "Somebody"),
        lambda: Player.objects.filter(external_id="p2").update(name=Value("Somebody")),
        lambda: models.QuerySet(Player).filter(external_id="p2").update(name="Somebody"),
    ],
    ids=["by SQL of a release before", "by an expression", "by another manager"],
)
def test_a_name_written_without_its_folded_form_is_folded_anew(
    client: Client, board: Board, rename: Callable[[], object]
) -> None:
    rename()

    assert fold_due_names(1) == 1
    assert fold_due_names(1) == 0
    assert Player.objects.get(external_id="p2").folded_name == "somebody"
    assert found(client, "someb") == ["p2"]
    assert found(client, "lukas") == []


def test_hidden_players_and_players_without_a_public_standing_hide_nobody(client: Client, board: Board) -> None:
    hidden = [Player(external_id=f"0{number}", name="Lukas", banned_at=clock.now()) for number in range(300)]
    Player.objects.bulk_create([*hidden, *(Player(external_id=f"1{n}", name="Lukas A") for n in range(300))])

    assert found(client, "lukas") == ["p2"]
    assert found(client, "lukas", "/search/suggestions/") == ["p2"]


def written_before(player: str, shown: str) -> None:
    """As a process of the release before writes it."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE leaderboards_player SET name = %s WHERE external_id = %s", [shown, player])


def test_a_name_from_before_is_found_whole_and_by_its_beginning_once_it_is_folded(client: Client, board: Board) -> None:
    Player.objects.all().update(folded_name=None, folded_from=None)

    assert found(client, "zoë") == ["p1"]
    assert found(client, "zo") == []
    assert fold_names() == len(NAMES)
    assert fold_names() == 0
    assert len(found(client, "zo")) == 3


def test_a_rename_by_a_process_of_the_release_before_is_not_told_by_the_old_name(client: Client, board: Board) -> None:
    written_before("p2", "Somebody")
    written_before("p3", "")

    assert found(client, "lukasz") == []
    assert found(client, "somebody") == ["p2"]
    assert fold_due_names(1) == 2
    assert Player.objects.get(external_id="p3").folded_name is None


def test_folding_goes_on_in_batches_until_its_time_is_over(board: Board) -> None:
    Player.objects.all().update(folded_name=None, folded_from=None)

    with patch("leaderboards.services.players.fold_names.BATCH", 2):
        assert fold_due_names(0) == 2
        assert fold_due_names(9) == len(NAMES) - 2


@pytest.fixture
def many() -> None:
    """Tens of thousands of one beginning, as PostgreSQL knows them."""
    if connection.vendor != "postgresql":
        pytest.skip("asks PostgreSQL for its plan")
    rows = (Player(external_id=f"x{number}", name=f"Player {number:05d}") for number in range(20_000))
    Player.objects.bulk_create(rows)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE leaderboards_player")


def test_the_index_is_read_in_its_order_and_no_further_than_is_shown(many: None) -> None:
    for sought in ("player", "player 01", "pl"):
        plan = selector.visible_between(*prefix_ranges(sought)[0])[: selector.WINDOWS[0]].explain(analyze=True)

        assert "Index Scan using player_folded" in plan, plan
        assert "Sort" not in plan, plan
    assert "player_name" in selector.players_of_name("player 01")[: selector.MOST].explain()
    assert "player_fold_due" in Player.objects.filter(Player.TO_FOLD).order_by("pk")[:500].explain()


def test_what_all_are_called_costs_a_handful_of_statements_more_than_what_nobody_is(client: Client, many: None) -> None:
    counts = []
    for sought in ("player", "nobody at all"):
        with CaptureQueriesContext(connection) as asked:
            client.get("/search/suggestions/", {"q": sought})
        counts.append(len(asked))

    assert counts[0] - counts[1] in range(7)


def test_a_search_that_takes_too_long_finds_nothing_instead(client: Client, board: Board) -> None:
    with patch.object(selector, "run_with_timeout", lambda *_: None):
        assert found(client, "zo") == []


def test_too_little_is_said_to_be_so_and_odd_questions_are_answered(client: Client, board: Board) -> None:
    assert "Write at least two letters" in text(client.get("/search/", {"q": "z"}))
    assert "by the beginning of their name" in text(client.get("/search/", {"q": "nobody"}))
    for odd in ("", " ", "\0", "\u3164", "%", "_", "zo%", "\\", "a" * 500, "\U0010ffff", "힣", "<b>"):
        for address in ("/search/", "/search/suggestions/"):
            assert client.get(address, {"q": odd}).status_code == 200, (odd, address)
