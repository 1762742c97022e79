"""Likes, and kinds of things that can be liked."""

from typing import Any

import factory

from likes import registry
from likes.core.kinds import Storage
from likes.registry import Likeable


class LikeableFactory(factory.Factory[Likeable]):
    """A kind of which every thing exists, known to the product until ``registry.unregister_kind``."""

    class Meta:
        model = Likeable

    kind = "note"
    boards = factory.LazyFunction(lambda: dict.fromkeys)
    storage = Storage.HYBRID

    @classmethod
    def _create(cls, model_class: type[Likeable], *_: Any, **fields: Any) -> Likeable:
        made = model_class(**fields)
        registry.register_kind(made)
        return made
