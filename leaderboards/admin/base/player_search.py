"""Search for players in lists whose rows belong to players: by a whole id, else by the beginning of a name."""

from leaderboards.core.input.folding import fold, prefix_ranges
from leaderboards.models import Player

MOST_NAMESAKES = 100


def players_found(search_term: str) -> list[int]:
    """Return the player with this id, else up to ``MOST_NAMESAKES`` players whose names begin so, by their numbers.

    They are looked up by themselves, each way by its index: joined with rows of millions no index would serve both.
    """
    found = list(Player.objects.filter(external_id=search_term).values_list("pk", flat=True))
    return found or players_beginning_with(search_term)


def players_beginning_with(search_term: str) -> list[int]:
    """Return up to ``MOST_NAMESAKES`` players whose names begin so, without case and accents, by their numbers."""
    found, folded = list[int](), fold(search_term)
    numbers = Player.objects.order_by("folded_name", "pk").values_list("pk", flat=True)
    for first, end in prefix_ranges(folded) if folded else ():
        found += numbers.filter(folded_name__gte=first, folded_name__lt=end)[: MOST_NAMESAKES - len(found)]
    return found
