"""Messages: English texts that keep what they are made of."""

import json
import pickle

import pytest

from foundation.errors import Invalid
from foundation.messages import Message
from foundation.translate import from_json, to_json, translated

NESTED = Message(
    "Row %(row)s: %(why)s", row=3, why=Message("%(name)s is too long: %(percent)s%% of it.", name="a", percent=9)
)


def test_a_message_is_its_english_text_and_an_error_keeps_it() -> None:
    assert NESTED == "Row 3: a is too long: 9% of it."
    assert Message("100% of it.") == "100% of it."
    assert isinstance(Invalid(NESTED).detail, Message)
    assert json.dumps({"detail": NESTED}) == '{"detail": "Row 3: a is too long: 9% of it."}'
    assert str(pickle.loads(pickle.dumps(NESTED))) == NESTED  # noqa: S301 - this test made the bytes


@pytest.mark.parametrize("detail", [NESTED, Message("Plain."), "Written by an older release."])
def test_a_stored_message_is_read_as_it_was(detail: str) -> None:
    read = from_json(json.loads(json.dumps(to_json(detail))))

    assert read == detail
    assert isinstance(read, Message) is isinstance(detail, Message)
    assert translated(read) == detail


def test_what_no_database_takes_is_not_stored() -> None:
    assert from_json(to_json(Message("%(name)s?", name="\ud800"))) == "??"
    assert from_json(to_json("\ud800")) == "?"
