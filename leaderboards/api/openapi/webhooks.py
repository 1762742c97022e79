"""The webhooks in the OpenAPI document: what is posted to an endpoint, one operation for each kind of event.

Services build the messages themselves; a check in the tests compares every message that they queue with these schemas.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ninja import Field, Schema

from foundation.webhooks.outbox import MOST_BYTES, TEST_KIND
from leaderboards.api.openapi.schemas import Fields, Time
from leaderboards.api.openapi.shared import SCHEMAS

_HEADERS = (
    ("webhook-id", "The message's id, the same at every try: a second message with it is a repeat.", "string"),
    ("webhook-timestamp", "When this try was sent, in whole seconds since 1970.", "string"),
    ("webhook-signature", "One or more signatures of Standard Webhooks, separated by spaces.", "string"),
)
_ANSWERS = {
    "2XX": {"description": "Received. Anything else but 410 is tried again for three days."},
    "410": {"description": "The endpoint is gone: it is disabled, and nothing more is sent."},
}


@dataclass(frozen=True, slots=True)
class WebhookDoc:
    """A kind of event: when it happens, and the schema of a message's ``data``."""

    when: str
    data: type[Schema]


class DataOfTest(Schema):
    """Sent from the admin."""

    endpoint: str = Field(description="The name of the endpoint.")


class PlaceOfMessage(Schema):
    """A player in their place."""

    rank: int = Field(ge=1)
    player: str
    points: str | None = Field(None, description="Exact, as text; absent on boards with criteria.")
    fields: Fields | None = None


class DataOfFinalPeriod(Schema):
    """A final period and its first places, as everybody sees them."""

    board: int
    period: str = Field(description="Its label.", examples=["2026-47"])
    competition: int | None = Field(description="Null on calendar boards.")
    starts_at: Time | None
    ends_at: Time | None
    total: int = Field(description="How many players are ranked.")
    rows: list[PlaceOfMessage] = Field(description="The first 10, or as many as fit into a message.")


class QuarantinedEntryOfMessage(Schema):
    """An entry that broke a limit."""

    player: str
    points: str | None = Field(None, description="Exact, as text; absent on boards with criteria.")
    fields: Fields | None = None
    rule: str = Field(description="The limit that it broke, as the board's setting is called.")
    id: str | None = Field(description="The entry's own id, if it had one.")


class DataOfQuarantine(Schema):
    """Entries of one request in one period."""

    board: int
    competition: int | None
    period: str
    count: int
    entries: list[QuarantinedEntryOfMessage] = Field(description="The first 20.")


def board_webhooks() -> Mapping[str, WebhookDoc]:
    """The kinds of this app, by name."""
    return {
        TEST_KIND: WebhookDoc("Somebody in the admin asked for it.", DataOfTest),
        "period.final": WebhookDoc(
            "A period is final, once for each; that of a competition once its result is final and shown.",
            DataOfFinalPeriod,
        ),
        "score.quarantined": WebhookDoc(
            "Entries broke a limit of plausibility, once for each request and period.", DataOfQuarantine
        ),
    }


def add_webhooks(document: dict[str, Any], docs: Mapping[str, WebhookDoc]) -> None:
    """Add an operation for each kind, and the schemas of its message, to the document in place."""
    document["webhooks"] = {kind: {"post": _operation(kind, each, document)} for kind, each in docs.items()}


def _operation(kind: str, docs: WebhookDoc, document: dict[str, Any]) -> dict[str, Any]:
    schemas = document["components"]["schemas"]
    data = docs.data.model_json_schema(ref_template=SCHEMAS + "{model}")
    schemas |= data.pop("$defs", {})
    schemas[docs.data.__name__] = data
    message = "MessageOf" + "".join(part.capitalize() for part in kind.replace(".", "_").split("_"))
    schemas[message] = {
        "type": "object",
        "title": message,
        "required": ["type", "timestamp", "data"],
        "properties": {
            "type": {"type": "string", "const": kind},
            "timestamp": {"type": "string", "format": "date-time", "description": "When the event happened."},
            "data": {"$ref": SCHEMAS + docs.data.__name__},
        },
    }
    return {
        "operationId": f"on_{kind.replace('.', '_')}",
        "tags": ["webhooks"],
        "summary": kind,
        "description": f"{docs.when} A message has at most {MOST_BYTES:,} bytes.",
        "parameters": [
            {"name": name, "in": "header", "required": True, "description": text, "schema": {"type": type_}}
            for name, text, type_ in _HEADERS
        ],
        "requestBody": {"required": True, "content": {"application/json": {"schema": {"$ref": SCHEMAS + message}}}},
        "responses": _ANSWERS,
        "security": [],
    }
