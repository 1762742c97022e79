"""A passkey in memory: answers the questions of the pages as a browser with an authenticator does."""

import json
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from django.test import Client
from fido2.cose import ES256
from fido2.utils import sha256, websafe_decode, websafe_encode
from fido2.webauthn import (
    Aaguid,
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

Flag = AuthenticatorData.FLAG


class Authenticator:
    """One credential of ``testserver``. ``verifies`` is whether it asks for a finger; ``count`` is of its uses."""

    def __init__(self, origin: str = "http://testserver", verifies: bool = True) -> None:
        self.origin, self.verifies, self.count = origin, verifies, 0
        self._key = generate_private_key(SECP256R1())
        self._id = b"credential-of-a-test-" + sha256(str(id(self)).encode())

    def create(self, options: dict[str, Any]) -> str:
        """What is sent after ``navigator.credentials.create``."""
        public = ES256.from_cryptography_key(self._key.public_key())  # type: ignore[no-untyped-call]  # fido2 has no types for it
        made = AttestedCredentialData.create(Aaguid.NONE, self._id, public)
        data = AuthenticatorData.create(self._host(), self._flags() | Flag.AT, self.count, made)
        client = self._client(CollectedClientData.TYPE.CREATE, options)
        return self._written(client, attestationObject=AttestationObject.create("none", data, {}))

    def get(self, options: dict[str, Any]) -> str:
        """What is sent after ``navigator.credentials.get``."""
        self.count += 1
        data = AuthenticatorData.create(self._host(), self._flags(), self.count)
        client = self._client(CollectedClientData.TYPE.GET, options)
        signature = self._key.sign(data + client.hash, ECDSA(SHA256()))
        return self._written(client, authenticatorData=data, signature=signature)

    def _host(self) -> bytes:
        return sha256(self.origin.split("://")[1].encode())

    def _flags(self) -> AuthenticatorData.FLAG:
        return Flag.UP | Flag.UV if self.verifies else Flag.UP

    def _client(self, kind: str, options: dict[str, Any]) -> CollectedClientData:
        return CollectedClientData.create(kind, websafe_decode(options["publicKey"]["challenge"]), self.origin)

    def _written(self, client: CollectedClientData, **response: bytes) -> str:
        name = websafe_encode(self._id)
        parts = {key: websafe_encode(bytes(value)) for key, value in response.items()}
        said = {"clientDataJSON": websafe_encode(bytes(client)), **parts}
        return json.dumps({"id": name, "rawId": name, "type": "public-key", "response": said})


def add_passkey(client: Client, key: Authenticator, name: str = "phone") -> Any:
    """Make it one of the account that is signed in."""
    asked = client.post("/accounts/security/passkeys/challenge/").json()
    return client.post("/accounts/security/passkeys/", {"name": name, "credential": key.create(asked)})


def sign_in_by(client: Client, key: Authenticator, **more: str) -> Any:
    """Sign in by it."""
    asked = client.post("/accounts/passkey/challenge/").json()
    return client.post("/accounts/passkey/", {"credential": key.get(asked), **more})
