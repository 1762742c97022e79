"""The webhooks of the OpenAPI document: all kinds that the apps send, with schemas that hold a real message."""

from typing import Any

import orjson
import pytest
from django.test import Client
from pydantic import ValidationError

from foundation import clock
from foundation.webhooks import outbox
from foundation.webhooks.kinds import registered_kinds

pytestmark = pytest.mark.django_db


@pytest.fixture
def document(client: Client) -> Any:
    return client.get("/api/openapi.json").json()


def test_every_kind_is_documented_with_a_schema_of_its_data(document: Any) -> None:
    schemas = document["components"]["schemas"]

    assert sorted(document["webhooks"]) == sorted([*registered_kinds(), "test"])
    for kind, path in document["webhooks"].items():
        message = schemas[path["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"].rsplit("/")[-1]]
        assert message["properties"]["type"]["const"] == kind
        data = schemas[message["properties"]["data"]["$ref"].rsplit("/")[-1]]
        assert data["properties"].keys() >= set(data["required"])


def test_numbers_of_messages_have_formats_that_hold_them(document: Any) -> None:
    data = document["components"]["schemas"]["DataOfFinalPeriod"]

    assert data["properties"]["total"]["format"] == "int64"


def test_a_message_that_the_document_does_not_describe_fails_the_test_that_queues_it() -> None:
    good = {"endpoint": "shop"}

    assert orjson.loads(outbox._body("test", "test-1", good, clock.now()))["data"] == good
    with pytest.raises(AssertionError, match="fields that its schema lacks"):
        outbox._body("test", "test-1", good | {"secret": "x"}, clock.now())
    with pytest.raises(ValidationError):
        outbox._body("test", "test-1", {"endpoint": 7}, clock.now())
