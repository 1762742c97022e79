"""Boards, periods, players and accounts, made as the product makes them. ``create`` takes the fields of the model."""

from datetime import datetime
from typing import Any

import factory
from django.contrib.auth.models import User
from factory.django import DjangoModelFactory

from foundation import clock
from leaderboards.core.periods import window_at
from leaderboards.models import Board, Period, Player
from leaderboards.services.board_files import apply_boards
from leaderboards.services.periods.open import open_period


class BoardFactory(DjangoModelFactory[Board]):
    """A board with its running and its next period; ``at`` is when it is made. Else a board of the default settings."""

    class Meta:
        model = Board

    name = factory.Sequence(lambda nth: f"Board {nth}")

    @classmethod
    def _create(cls, model_class: type[Board], *_: Any, at: datetime | None = None, **settings: Any) -> Board:
        seq = apply_boards([settings], at or clock.now())[settings["name"]]
        return model_class.objects.get(seq=seq)


class PeriodFactory(DjangoModelFactory[Period]):
    """The period of a board that ``at`` lies in."""

    class Meta:
        model = Period

    board = factory.SubFactory(BoardFactory)

    @classmethod
    def _create(cls, model_class: type[Period], *_: Any, board: Board, at: datetime | None = None) -> Period:
        return open_period(board, window_at(board.calendar, at or clock.now()))


class UserFactory(DjangoModelFactory[User]):
    """An account with the password "secret". ``player``, an id, is the player that it is linked to."""

    class Meta:
        model = User
        skip_postgeneration_save = True

    username: Any = factory.Sequence(lambda nth: f"user{nth}")
    password = "secret"

    @classmethod
    def _create(cls, model_class: type[User], *_: Any, player: str | None = None, **fields: Any) -> User:
        user = model_class.objects.create_user(**fields)
        if player is not None:
            Player.objects.update_or_create(external_id=player, defaults={"user": user})
        return user


class AdminFactory(UserFactory):
    """An account that may do everything."""

    username = "admin"
    is_staff = True
    is_superuser = True


class PlayerFactory(DjangoModelFactory[Player]):
    """A player who has not scored; the same id again is the same player."""

    class Meta:
        model = Player
        django_get_or_create = ("external_id",)

    external_id = factory.Sequence(lambda nth: f"p{nth}")
