"""What a key demands of the request that it comes with: where it was sent from, and a signature that is used once.

Asked before scopes and brakes: anybody who only has a key's text neither gets in nor uses up its limit.
"""

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.http import HttpRequest
from django.http.request import HttpHeaders

from foundation import clock
from foundation.errors import Unavailable
from foundation.http.client_address import client_address
from foundation.models import ServiceKey
from foundation.security import networks, nonces, signatures
from foundation.security.sealing import Unsealable
from leaderboards.api.http.bodies import bytes_of

logger = logging.getLogger(__name__)
_SIGNING = frozenset(map(HttpHeaders.to_wsgi_name, signatures.HEADERS))


def require_key_conditions(request: HttpRequest, key: ServiceKey) -> None:
    """Let the request pass if it is as ``key`` demands. Raises ``AddressForbidden``, ``ClockOff``, and what
    ``signatures``, ``nonces`` and ``bytes_of`` raise."""
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
    """The cheapest first; a nonce is used up by what is signed, and by nothing else.

    Nonces are forgotten by SQL's clock: a process whose own is behind would let in again what was caught long ago.
    """
    clock.refuse_if_off()
    at = clock.now()
    stamp = signatures.read(request.headers, at, timedelta(seconds=settings.SIGNATURE_TOLERANCE_SECONDS))
    signatures.verify(stamp, _signed(request), _secrets(key, at))
    nonces.use(key, stamp.nonce, stamp.moment)


def _secrets(key: ServiceKey, at: datetime) -> list[str]:
    """What may sign. That they cannot be opened is the site's fault, and its operator's to mend."""
    try:
        return key.signing_secrets(at)
    except Unsealable as error:
        logger.exception("The signing secret of %s can not be opened", key)
        raise Unavailable(
            "The signing secret of this key can not be read on this side; it has been written to the log."
        ) from error


def _signed(request: HttpRequest) -> signatures.Signed:
    """The method as it was sent: by now ``request.method`` of a HEAD is GET."""
    address = signatures.address_of(request.path, request.META.get("QUERY_STRING", ""))
    return signatures.Signed(str(request.META["REQUEST_METHOD"]).upper(), address, bytes_of(request))
