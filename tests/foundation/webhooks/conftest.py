"""Receivers: in the clear, and behind TLS with a certificate that only the test trusts."""

import shutil
import ssl
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

import pytest
import time_machine
from pytest_django.fixtures import Settings
from standardwebhooks import Webhook, WebhookVerificationError

from tests.foundation.webhooks.receiver import Receiver


@pytest.fixture
def private_allowed(settings: Settings) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True


@pytest.fixture
def receivers(private_allowed: None) -> Iterator[Callable[[], Receiver]]:
    with ExitStack() as stack:

        def make() -> Receiver:
            receiver = Receiver()
            stack.callback(receiver.leave)
            return receiver

        yield make


@pytest.fixture
def receiver(receivers: Callable[[], Receiver]) -> Receiver:
    return receivers()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Key and certificate of hooks.example, in one file, signed by itself."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make a certificate with")
    made = tmp_path_factory.mktemp("tls") / "hooks.example.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-noenc", "-days", "2", "-subj", "/CN=hooks.example",
         "-addext", "subjectAltName=DNS:hooks.example", "-keyout", made, "-out", made.with_suffix(".crt")],
        check=True, capture_output=True,
    )  # fmt: skip  # as a table
    made.write_bytes(made.read_bytes() + made.with_suffix(".crt").read_bytes())
    return made


@pytest.fixture
def tls_receiver(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """Behind TLS as hooks.example; trusted, as an authority of one's own is."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.with_suffix(".crt")))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    receiver = Receiver(context)
    yield receiver
    receiver.leave()


def is_signed(headers: Mapping[str, str], body: bytes, secret: str, at: datetime) -> bool:
    """Whether a receiver with the library of Standard Webhooks believes, at ``at``, that the message is ours."""
    with time_machine.travel(at, tick=False):
        try:
            Webhook(secret).verify(body, dict(headers), json_parse=False)
        except WebhookVerificationError:
            return False
    return True
