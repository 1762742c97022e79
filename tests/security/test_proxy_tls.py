"""TLS at the proxy: pages are redirected, the API is refused without it, and nothing weak is taken."""

import ssl
import subprocess
from http.client import HTTPSConnection
from pathlib import Path

import pytest

from tests.security.asking import ask, told
from tests.security.front import HOST, Front, front, proxy_alone

pytestmark = pytest.mark.django_db(transaction=True)

LOGIN = "/accounts/login/"


@pytest.mark.long  # an application of its own
def test_with_tls_pages_are_redirected_the_api_is_refused_and_nobody_forges_the_scheme(
    transactional_db: None, tmp_path: Path
) -> None:
    make_certificate(tmp_path / "tls")
    trusts = ssl.create_default_context(cafile=str(tmp_path / "tls" / "fullchain.pem"))
    with front(tmp_path, "https-on", HTTPS="on") as made:
        proof = made.folder / "acme" / ".well-known" / "acme-challenge" / "token"
        proof.write_text("proof")
        page, forged = ask(made.port, "GET", LOGIN), ask(made.port, "GET", LOGIN, X_Forwarded_Proto="https")
        api = ask(made.port, "GET", "/api/v1/boards", X_Forwarded_Proto="https")
        link = HTTPSConnection("localhost", made.tls_port, timeout=20, context=trusts)
        link.request("GET", LOGIN)
        secure = link.getresponse()
        secure.read()
        link.close()
        proven = ask(made.port, "GET", "/.well-known/acme-challenge/token")

    assert [each.status for each in (page, forged)] == [301, 301]
    assert page.headers["Location"].startswith("https://")
    assert (api.status, told(api)["code"]) == (403, "https_required")
    assert (secure.status, "max-age" in secure.headers["Strict-Transport-Security"]) == (200, True)
    assert secure.headers["Set-Cookie"].startswith("__Host-csrftoken=")
    assert proven.text == "proof"


def test_no_link_is_made_by_old_versions_or_weak_ciphers_of_tls(tmp_path: Path) -> None:
    make_certificate(tmp_path / "tls")
    with proxy_alone(tmp_path, "https-on") as made:
        kept = [links(made, "-tls1_3"), links(made, "-tls1_2")]
        old = [links(made, version, "-cipher", "ALL:@SECLEVEL=0") for version in ("-tls1_1", "-tls1")]
        weak = links(made, "-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA:ECDHE-ECDSA-AES128-SHA256:@SECLEVEL=0")

    assert (kept, old, weak) == ([True, True], [False, False], False)


def links(made: Front, *options: str) -> bool:
    """Whether a client that offers only this makes a link."""
    asked = ["openssl", "s_client", "-connect", f"{HOST}:{made.tls_port}", "-brief", *options]
    return subprocess.run(asked, input=b"", capture_output=True, check=False, timeout=20).returncode == 0


def make_certificate(folder: Path) -> None:
    """One for localhost that it signed itself, where the proxy looks for it."""
    folder.mkdir()
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
         "-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"],
        check=True, capture_output=True,
    )  # fmt: skip  # as a command line
