"""The conditions of a key: the addresses that it is bound to, and a signature with a nonce.

They are checked before scopes and rate limits, so that somebody who has only the key's text cannot use up its limit.
"""

import logging
from datetime import datetime, timedelta

from django.http import HttpRequest
from django.http.request import HttpHeaders

from foundation import clock
from foundation.errors import Unavailable
from foundation.http.client_address import client_address
from foundation.messages import Message
from foundation.models import ServiceKey
from foundation.security import networks, nonces, signatures
from foundation.security.sealing import Unsealable
from foundation.sunwi_settings import sunwi_settings
from leaderboards.api.http.bodies import bytes_of

logger = logging.getLogger(__name__)
_SIGNING = frozenset(map(HttpHeaders.to_wsgi_name, signatures.HEADERS))


def require_key_conditions(request: HttpRequest, key: ServiceKey) -> None:
    """Raise if the request does not meet the conditions of ``key``.

    Raises ``AddressForbidden``, ``ClockOff``, and what ``signatures``, ``nonces`` and ``bytes_of`` raise.
    """
    if key.addresses is not None:
        _expect_address(request, key.addresses)
    if key.is_signed:
        _expect_signature(request, key)
    elif not request.META.keys().isdisjoint(_SIGNING):
        raise signatures.SignatureUnexpected(
            "This key has no signing secret, so nobody checks the signature: leave its headers out, or use a key that "
            "demands signatures."
        )


def _expect_address(request: HttpRequest, blocks: list[str]) -> None:
    address = client_address(request)
    if address is None or not networks.contains(blocks, address):
        raise networks.AddressForbidden(
            f"This key is not for requests from {address or 'an address that cannot be told'}: use it from the "
            "addresses that it is bound to, or ask for a key that is bound to yours."
        )


def _expect_signature(request: HttpRequest, key: ServiceKey) -> None:
    """Check the timestamp, then the signature, then the nonce: only a signed request uses a nonce up.

    Nonces expire by SQL's clock: a process whose clock is behind would accept a replay of an expired one.
    """
    clock.refuse_if_off()
    at = clock.now()
    stamp = signatures.read(request.headers, at, timedelta(seconds=sunwi_settings.SIGNATURE_TOLERANCE_SECONDS))
    signatures.verify(stamp, _signed(request), _secrets(key, at))
    nonces.use(key, stamp.nonce, stamp.moment)


def _secrets(key: ServiceKey, at: datetime) -> list[str]:
    """The valid signing secrets. Raises ``Unavailable`` if they cannot be decrypted: the operator must fix that."""
    try:
        return key.signing_secrets(at)
    except Unsealable as error:
        logger.exception("The signing secret of %s can not be opened", key)
        raise Unavailable(
            Message("The signing secret of this key can not be read on this side; it has been written to the log.")
        ) from error


def _signed(request: HttpRequest) -> signatures.Signed:
    """What the client signed. The method is read from the environment: ``request.method`` of a HEAD is GET by now."""
    address = signatures.address_of(request.path, request.META.get("QUERY_STRING", ""))
    return signatures.Signed(str(request.META["REQUEST_METHOD"]).upper(), address, bytes_of(request))
