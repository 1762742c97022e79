"""Place the ids of entries on redis boards in many small hashes, so that an id costs about 24 bytes.

An id becomes 80 bits of a BLAKE2b digest: 16 select the hash, 64 are the field in it. The value is 48 bits of a digest
of the content, which tells a repetition from a reuse, and up to four bytes for the period.
"""

import hashlib
from dataclasses import dataclass

PROOF_BYTES = 6


@dataclass(frozen=True, slots=True)
class BucketedId:
    """Where an id is stored: ``bucket`` is 0 to 65535, ``field`` 8 bytes, ``proof`` 6 bytes."""

    bucket: int
    field: bytes
    proof: bytes


def bucketed_id(service: str, external_id: str, content: str) -> BucketedId:
    """Return the bucket, field and proof of an id that ``service`` sent with ``content``."""
    digest = hashlib.blake2b(f"{service}\0{external_id}".encode(), digest_size=10).digest()
    proof = hashlib.blake2b(content.encode(), digest_size=PROOF_BYTES).digest()
    return BucketedId(int.from_bytes(digest[:2], "big"), digest[2:], proof)
