"""Competitions, their participants, comments, rewards; and leagues. Windows lie around now: selectors ask the clock."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import factory
from factory.django import DjangoModelFactory

from competitions.core.names import key_of
from competitions.models import (
    Comment,
    Competition,
    Division,
    League,
    LeagueTier,
    Participant,
    RewardTier,
    Series,
    SeriesEvent,
    Team,
)
from competitions.services.comments.comment import post_comment
from competitions.services.lifecycle.publish import publish
from competitions.services.participants.join import join
from competitions.services.participants.teams import make_team
from competitions.services.series.settings import make, put_in
from foundation import clock
from tests.leaderboards.factories import BoardFactory, PlayerFactory

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
START = datetime.now(UTC).replace(microsecond=0) - 2 * HOUR
END = START + DAY


class EventBoardFactory(BoardFactory):
    """A board whose windows come from competitions, made at their start."""

    period = "event"
    at = START


class DraftFactory(DjangoModelFactory[Competition]):
    """A competition that nobody sees yet: it began two hours ago and ends in 22, and is final at once then."""

    class Meta:
        model = Competition

    board = factory.SubFactory(EventBoardFactory)
    name = "A cup"
    starts_at = START
    ends_at = END
    review_hours = 0


class CompetitionFactory(DraftFactory):
    """The same, published a day before its start."""

    @classmethod
    def _create(cls, model_class: type[Competition], *_: Any, **fields: Any) -> Competition:
        return publish(model_class.objects.create(**fields), fields["starts_at"] - DAY, None)


class ParticipantFactory(DjangoModelFactory[Participant]):
    """A player who joined as the competition began."""

    class Meta:
        model = Participant

    competition = factory.SubFactory(CompetitionFactory)
    player = factory.SubFactory(PlayerFactory)

    @classmethod
    def _create(cls, model_class: type[Participant], *_: Any, **fields: Any) -> Participant:
        return join(fields["competition"], fields["player"], fields.get("at", START), fields.get("code", ""))


class TeamFactory(DjangoModelFactory[Team]):
    """A team that those who run the competition made."""

    class Meta:
        model = Team

    competition = factory.SubFactory(CompetitionFactory, team_score="sum")
    name = factory.Sequence(lambda nth: f"Team {nth}")

    @classmethod
    def _create(cls, model_class: type[Team], *_: Any, **fields: Any) -> Team:
        return make_team(fields["competition"], fields["name"], fields.get("at", START))


class DivisionFactory(DjangoModelFactory[Division]):
    """A part of the field."""

    class Meta:
        model = Division

    competition = factory.SubFactory(CompetitionFactory)
    name = factory.Sequence(lambda nth: f"Division {nth}")
    key = factory.LazyAttribute(lambda division: key_of(division.name))


class CommentFactory(DjangoModelFactory[Comment]):
    """What a player says under a competition, from a form of its own."""

    class Meta:
        model = Comment

    competition = factory.SubFactory(CompetitionFactory)
    player = factory.SubFactory(PlayerFactory)
    text = "Well done."
    form = factory.Sequence(lambda nth: f"form-{nth}")

    @classmethod
    def _create(cls, model_class: type[Comment], *_: Any, at: datetime | None = None, **said: Any) -> Comment:
        return post_comment(said["competition"], said["player"], said["text"], said["form"], at or clock.now())


class RewardTierFactory(DjangoModelFactory[RewardTier]):
    """Gold for the first; give it a ``board`` or a ``competition``."""

    class Meta:
        model = RewardTier

    name = "Gold"
    code = factory.LazyAttribute(lambda tier: tier.name.lower())
    kind = "rank"
    limit = 1


class SeriesFactory(DjangoModelFactory[Series]):
    """Points 10, 6 and 3 for the first three. Give it ``competitions``, in their order, and a ``visibility``."""

    class Meta:
        model = Series

    name = factory.Sequence(lambda nth: f"Series {nth}")
    table = (10, 6, 3)

    @classmethod
    def _create(
        cls,
        model_class: type[Series],
        *_: Any,
        competitions: Sequence[Competition] = (),
        visibility: str = "public",
        **fields: Any,
    ) -> Series:
        series = make(model_class(**fields | {"table": list(fields["table"])}), visibility, clock.now())
        for position, competition in enumerate(competitions, start=1):
            put_in(SeriesEvent(series=series, competition=competition, position=position))
        return series


class LeagueFactory(DjangoModelFactory[League]):
    """A league in use: Bronze, Silver and Gold, groups of four, of whom the first moves up and the last down."""

    class Meta:
        model = League
        skip_postgeneration_save = True

    enabled = True
    group_size = 4
    promoted = 1
    demoted = 1

    @factory.post_generation
    def tiers(self: League, create: bool, names: Any, **_: Any) -> None:
        """The names, the lowest first."""
        for position, name in enumerate(names or ("Bronze", "Silver", "Gold"), start=1):
            LeagueTier.objects.create(league=self, position=position, name=name)
