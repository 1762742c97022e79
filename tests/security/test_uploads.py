"""Strangers send bodies without end, and files where none are asked for: nothing of them is read or laid on a disk."""

import gzip
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, FakePayload, encode_multipart

from leaderboards.models import ImportRun
from tests.leaderboards.factories import UserFactory
from tests.staff import browser_of, chief, staff

pytestmark = pytest.mark.django_db

MEGABYTE = 1024 * 1024
PICTURES = "/admin/competitions/competition/add/"
IMPORTS = "/admin/leaderboards/importrun/add/"
PAGES = (
    "/accounts/login/",
    "/admin/login/",
    "/i18n/setlang/",
    "/account/",
    "/admin/auth/user/add/",
    "/",
    PICTURES,
    IMPORTS,
)


class Counted(FakePayload):
    """A body that tells how much of it was read."""

    taken = 0

    def read(self, size: int = -1) -> bytes:
        found: bytes = super().read(None if size < 0 else size)  # type: ignore[arg-type]  # the stubs of BytesIO lack None
        self.taken += len(found)
        return found


@pytest.fixture(autouse=True)
def _no_disk() -> Iterator[None]:
    """Nothing is laid on a disk."""
    with patch.object(TemporaryFileUploadHandler, "new_file", side_effect=AssertionError("a file in /tmp")):
        yield


def send(client: Client, address: str, body: bytes, **more: Any) -> tuple[int, int]:
    """The status, and how much of the body was read."""
    payload = Counted(body)
    answer = client.generic("POST", address, b"", **{"CONTENT_TYPE": MULTIPART_CONTENT, "wsgi.input": payload, **more})
    return answer.status_code, payload.taken


def stranger() -> Client:
    """With a cookie made up, so that Django looks for the token in the body."""
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.cookies[settings.CSRF_COOKIE_NAME] = "a" * 32
    return client


def form(size: int, **fields: str) -> bytes:
    return encode_multipart(BOUNDARY, {**fields, "upload": SimpleUploadedFile("a.png", b"x" * size)})


@pytest.mark.parametrize("address", PAGES)
@pytest.mark.parametrize("size", [MEGABYTE + 1, 300 * MEGABYTE])
def test_a_body_that_is_declared_too_long_is_not_read(address: str, size: int) -> None:
    status, read = send(stranger(), address, b"x" * 5000, CONTENT_LENGTH=str(size))

    assert (status, read) == (413, 0)


def test_a_body_that_does_not_say_its_length_is_not_read() -> None:
    status, read = send(
        stranger(), "/accounts/login/", b"x" * 5000, CONTENT_LENGTH="", HTTP_TRANSFER_ENCODING="chunked"
    )

    assert (status, read) == (411, 0)


def test_what_is_longer_than_it_said_is_read_no_further() -> None:
    body = form(400_000)

    _, read = send(stranger(), "/accounts/login/", body, CONTENT_LENGTH="1000")

    assert read <= 1000


@pytest.mark.parametrize("address", PAGES[:5])
def test_a_small_file_is_refused_where_none_is_asked_for_and_from_strangers_everywhere(address: str) -> None:
    body = form(5000)

    for each in (address, PICTURES, IMPORTS):
        status, _ = send(stranger(), each, body, CONTENT_LENGTH=str(len(body)))
        assert status == 400, each


def test_staff_send_a_picture_up_to_its_limit_and_no_file_elsewhere() -> None:
    boss, player = chief(), browser_of(UserFactory.create())
    body = form(4 * MEGABYTE, name="Cup")

    taken = send(boss, PICTURES, body, CONTENT_LENGTH=str(len(body)))
    by_a_player = send(player, PICTURES, body, CONTENT_LENGTH=str(len(body)))
    too_long = send(boss, PICTURES, body, CONTENT_LENGTH=str(8 * MEGABYTE + 1))
    elsewhere = send(boss, "/admin/auth/user/add/", body, CONTENT_LENGTH=str(len(body)))

    assert taken == (200, len(body))  # the form is shown again, with what is missing
    assert (by_a_player, too_long, elsewhere) == ((413, 0), (413, 0), (413, 0))


def test_a_table_is_taken_from_staff_with_the_permission_alone_and_up_to_the_limit() -> None:
    body = form(4 * MEGABYTE)
    clients = [staff("import_players"), staff()]

    answers = [send(client, IMPORTS, body, CONTENT_LENGTH=str(len(body))) for client in clients]
    too_long = send(clients[0], IMPORTS, body, CONTENT_LENGTH=str(8 * MEGABYTE + 1))
    for_pictures = send(clients[0], PICTURES, body, CONTENT_LENGTH=str(len(body)))

    assert answers == [(200, len(body)), (413, 0)]  # the form is shown again: a field of another name
    assert (too_long, for_pictures) == ((413, 0), (413, 0))


def test_a_table_that_grows_when_it_is_unpacked_is_not_unpacked() -> None:
    """What is compressed is no table: nothing unpacks what a stranger to the format has packed."""
    boss = chief()
    bomb = SimpleUploadedFile("scores.csv.gz", gzip.compress(b"player,points\n" + b"a,1\n" * 1_000_000))

    answer = boss.post(f"{IMPORTS}?kind=players", {"file": bomb})

    assert answer.status_code == 200
    assert answer.context["form"].errors["file"]
    assert not ImportRun.objects.exists()
