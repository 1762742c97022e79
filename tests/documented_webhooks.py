"""Every webhook message that any test queues is held against the OpenAPI document's schema of its kind."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import orjson
from ninja import Schema

from foundation.webhooks import outbox


@contextmanager
def checked() -> Iterator[None]:
    """While it is open, a message that its schema does not describe fails the test that queues it."""
    build = outbox._body

    def build_and_check(kind: str, message_id: str, payload: Mapping[str, Any], at: Any) -> str:
        body = build(kind, message_id, payload, at)
        if (docs := documented().get(kind)) is not None:
            data = orjson.loads(body)["data"]
            docs.model_validate(data, strict=True)
            assert data.keys() <= docs.model_fields.keys(), f"{kind} has fields that its schema lacks: {data.keys()}"
        return body

    with patch.object(outbox, "_body", build_and_check):
        yield


def documented() -> dict[str, type[Schema]]:
    """Each documented kind, and the schema of its data. What a test invents has none."""
    from competitions.api.schemas.webhooks import competition_webhooks
    from leaderboards.api.openapi.webhooks import board_webhooks

    return {kind: each.data for kind, each in {**board_webhooks(), **competition_webhooks()}.items()}
