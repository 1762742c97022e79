"""Fast copies of cached rows: each request works on its own copy."""

from typing import Self

from django.db.models import Model
from django.db.models.base import ModelState


class FastCopyModel(Model):
    """A model whose ``copy.copy`` gives the same result as Django's, without pickling."""

    class Meta:
        abstract = True

    def __copy__(self) -> Self:
        duplicate, state = type(self).__new__(type(self)), ModelState()
        state.adding, state.db = self._state.adding, self._state.db
        state.fields_cache = self._state.fields_cache.copy()
        duplicate.__dict__.update(self.__dict__, _state=state)
        return duplicate
