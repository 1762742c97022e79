"""Style sheets in one answer: what stands in the address is what is answered, for good."""

import gzip

from django.conf import settings
from django.test import Client

from leaderboards.views.styles import address_of


def test_the_sheets_come_in_one_answer_that_browsers_keep(client: Client) -> None:
    response = client.get(address_of("tokens base"), headers={"Accept-Encoding": "gzip"})

    folder = settings.BASE_DIR / "static" / "css"
    css = gzip.decompress(response.content)
    assert css == (folder / "tokens.css").read_bytes() + b"\n" + (folder / "base.css").read_bytes()
    assert response["Cache-Control"] == "public, max-age=31536000, immutable"
    assert response["Content-Type"] == "text/css; charset=utf-8"
    assert client.get(address_of("tokens base")).content == css


def test_an_old_address_is_answered_but_not_kept_and_what_is_no_sheet_is_404(client: Client) -> None:
    assert client.get("/styles/0123456789abcdef/tokens.css")["Cache-Control"] == "no-cache"
    for names in ("nothing", "tokens+nothing", "..%2Fbase", "tokens+" * 60 + "tokens", "+"):
        assert client.get(f"/styles/0/{names}.css").status_code == 404, names
