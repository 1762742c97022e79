"""Keys of game servers and addresses of webhooks."""

from typing import Any

import factory
from factory.django import DjangoModelFactory

from foundation import clock
from foundation.security import sealing, service_keys
from foundation.webhooks import signing
from foundation.webhooks.models import WebhookDelivery, WebhookEndpoint


class KeyFactory(factory.Factory[str]):
    """The text of a new key, as its owner sends it. It opens all that game servers do."""

    class Meta:
        model = str

    name = "game"
    scopes = ("scores:write", "players:write", "boards:read")

    @classmethod
    def _create(cls, model_class: type[str], *_: Any, **fields: Any) -> str:
        return service_keys.make(**fields)[1]


class WebhookEndpointFactory(DjangoModelFactory[WebhookEndpoint]):
    """A game that wants to hear of everything."""

    class Meta:
        model = WebhookEndpoint

    name = factory.Sequence(lambda nth: f"shop {nth}")
    url = "https://hooks.example/"
    secret = factory.LazyFunction(lambda: sealing.seal(signing.new_secret(), sealing.WEBHOOK))


class WebhookDeliveryFactory(DjangoModelFactory[WebhookDelivery]):
    """A message on its way."""

    class Meta:
        model = WebhookDelivery

    endpoint = factory.SubFactory(WebhookEndpointFactory)
    message_id = factory.Sequence(lambda nth: f"message-{nth}")
    created_at = factory.LazyFunction(clock.now)
    next_try_at = factory.SelfAttribute("created_at")
