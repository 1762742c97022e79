"""Pictures of players: fetched from allowed hosts, kept anew, served by this site, and gone with their address."""

from collections.abc import Callable
from datetime import timedelta
from io import BytesIO

import pytest
from django.test import Client
from PIL import Image
from pytest_django.fixtures import Settings

from foundation import clock
from foundation.http.fetch import NotFetched
from leaderboards.models import Player, PlayerPicture
from leaderboards.selectors.player_data.personal_data import data_shown_to_player
from leaderboards.services.moderation.ban import ban
from leaderboards.services.players import pictures
from leaderboards.services.players.erase import erase_player
from leaderboards.services.players.pictures import fetch_due_pictures
from leaderboards.services.players.profiles import set_profile
from leaderboards.views.http import micro_cache
from tests.playing import make_board, score

pytestmark = pytest.mark.django_db(transaction=True)

ADDRESS = "https://img.example.org/robin.png"
SECONDS = 60.0  # enough on any machine
DAY = timedelta(days=1)


def png(colour: str) -> bytes:
    kept = BytesIO()
    Image.new("RGB", (90, 90), colour).save(kept, "PNG")
    return kept.getvalue()


class Site:
    """The other site: what it answers, by address, and what was asked for."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {ADDRESS: png("red")}
        self.asked: list[str] = []
        self.before: Callable[[], object] = lambda: None

    def fetch(self, url: str, _kinds: tuple[str, ...]) -> bytes:
        self.asked.append(url)
        self.before()
        if url not in self.files:
            raise NotFetched("The site answered 404.", is_gone=True)
        return self.files[url]


@pytest.fixture
def site(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Site:
    settings.PICTURE_HOSTS = ["img.example.org"]
    made = Site()
    monkeypatch.setattr(pictures, "fetch", made.fetch)
    return made


def robin(address: str = ADDRESS) -> Player:
    return set_profile("robin", {"name": "Robin", "avatar_url": address}, clock.now())


def again(player: Player) -> Player:
    return Player.objects.get(pk=player.pk)


def test_a_picture_is_fetched_once_and_shown_from_this_site_until_its_address_changes(
    client: Client, site: Site
) -> None:
    board = make_board()
    score(board, {"robin": 5, "mina": 3})
    player = robin()
    assert "face is-picture" not in client.get("/players/robin/").content.decode()

    assert fetch_due_pictures(clock.now(), SECONDS) == 1
    assert fetch_due_pictures(clock.now(), SECONDS) == 0

    micro_cache.forget()
    digest = again(player).picture
    page, rows = (client.get(each).content.decode() for each in ("/players/robin/", f"/boards/{board}/"))
    assert site.asked == [ADDRESS]
    assert f'src="/pictures/{digest}/large.webp" alt="" width="112"' in page
    assert rows.count("face is-picture") >= 1
    assert "img.example.org" not in page + rows
    for size, pixels in (("large", 224), ("small", 64)):
        answer = client.get(f"/pictures/{digest}/{size}.webp")
        assert (answer["Content-Type"], Image.open(BytesIO(answer.content)).size) == ("image/webp", (pixels, pixels))
        assert answer["Cache-Control"] == "public, max-age=31536000, immutable"

    robin("")
    micro_cache.forget()
    assert "face is-picture" not in client.get("/players/robin/").content.decode()
    fetch_due_pictures(clock.now(), SECONDS)
    assert client.get(f"/pictures/{digest}/large.webp").status_code == 404
    assert not PlayerPicture.objects.exists()


@pytest.mark.parametrize(
    "address",
    ["http://img.example.org/a.png", "https://evil.example/a.png", "https://img.example.org.evil.example/a.png"],
)
def test_other_hosts_and_plain_http_are_never_asked(site: Site, address: str) -> None:
    player = robin(address)

    assert fetch_due_pictures(clock.now(), SECONDS) == 0

    assert site.asked == []
    assert again(player).picture == ""
    assert PlayerPicture.objects.get().error


def test_a_host_that_is_allowed_later_is_asked_within_a_day(site: Site, settings: Settings) -> None:
    settings.PICTURE_HOSTS = ["other.example.org"]
    robin()
    fetch_due_pictures(clock.now(), SECONDS)

    settings.PICTURE_HOSTS = ["*.example.org"]

    assert fetch_due_pictures(clock.now(), SECONDS) == 0
    assert fetch_due_pictures(clock.now() + DAY, SECONDS) == 1


def test_without_allowed_hosts_nothing_is_fetched_and_what_was_is_deleted(
    client: Client, site: Site, settings: Settings
) -> None:
    player = robin()
    fetch_due_pictures(clock.now(), SECONDS)
    digest = again(player).picture

    settings.PICTURE_HOSTS = []
    assert client.get(f"/pictures/{digest}/large.webp").status_code == 404
    assert "face is-picture" not in client.get("/players/robin/").content.decode()
    fetch_due_pictures(clock.now(), SECONDS)

    assert not PlayerPicture.objects.exists()
    assert again(player).picture == ""


def test_what_fails_is_tried_again_later_and_later_and_a_picture_that_is_gone_goes(site: Site) -> None:
    player = robin()
    fetch_due_pictures(clock.now(), SECONDS)
    now, later = clock.now(), clock.now() + timedelta(days=8)

    site.files[ADDRESS] = b"no picture"
    assert fetch_due_pictures(later, SECONDS) == 0
    assert again(player).picture != ""  # the one before stays
    del site.files[ADDRESS]
    fetch_due_pictures(later + DAY, SECONDS)

    row = PlayerPicture.objects.get()
    assert (again(player).picture, row.large, row.failures) == ("", None, 2)
    assert row.error == "The site answered 404."
    assert row.next_at > later + DAY > now


def test_a_new_content_of_the_same_address_has_another_address_here(site: Site) -> None:
    player = robin()
    fetch_due_pictures(clock.now(), SECONDS)
    before = again(player).picture

    site.files[ADDRESS] = png("blue")
    fetch_due_pictures(clock.now() + timedelta(days=8), SECONDS)

    assert again(player).picture not in ("", before)


def test_who_is_erased_while_their_picture_is_fetched_keeps_none(client: Client, site: Site) -> None:
    player = robin()
    site.before = lambda: erase_player("robin", clock.now())

    assert fetch_due_pictures(clock.now(), SECONDS) == 0

    assert not PlayerPicture.objects.exists()
    assert (again(player).picture, again(player).picture_from) == ("", "")


def test_an_erasure_deletes_the_picture_and_a_ban_hides_it(client: Client, site: Site) -> None:
    player = robin()
    fetch_due_pictures(clock.now(), SECONDS)
    address = f"/pictures/{again(player).picture}/small.webp"
    assert client.get(address).status_code == 200

    ban([player.pk], "A bot.", clock.now(), None)
    assert client.get(address).status_code == 404
    erase_player("robin", clock.now())

    assert not PlayerPicture.objects.exists()


def test_an_address_that_changes_during_the_fetch_is_not_mixed_up(site: Site) -> None:
    player = robin()
    other = "https://img.example.org/other.png"
    site.files[other] = png("blue")
    site.before = lambda: robin(other)

    fetch_due_pictures(clock.now(), SECONDS)
    assert again(player).picture == ""
    site.before = lambda: None
    fetch_due_pictures(clock.now(), SECONDS)

    assert PlayerPicture.objects.get().source == other
    assert again(player).picture != ""


def test_ones_own_data_name_the_picture_without_its_content(site: Site) -> None:
    robin()
    fetch_due_pictures(clock.now(), SECONDS)

    rows = data_shown_to_player("robin")["player pictures"]

    assert rows[0]["source"] == ADDRESS
    assert "large" not in rows[0]


def test_an_unknown_picture_is_404(client: Client, site: Site) -> None:
    addresses = ("/pictures/aaaa/large.webp", "/pictures/aaaa/digest.webp", "/pictures/aaaa/source.webp")
    assert [client.get(each).status_code for each in addresses] == [404] * 3
