"""Search for players in lists whose rows belong to players: by a whole id, else by the beginning of a name."""

from leaderboards.core.input.folding import fold, prefix_ranges
from leaderboards.models import Player

MOST_NAMESAKES = 100


def players_found(search_term: str) -> list[int]:
    """Return the player with this id, else up to ``MOST_NAMESAKES`` players whose names begin so, by their numbers.

    They are looked up by themselves, each way by its index: joined with rows of millions no index would serve both.
    """
    numbers = Player.objects.values_list("pk", flat=True)
    found = [*numbers.filter(external_id=search_term)]
    if found or not (folded := fold(search_term)):
        return found
    for first, end in prefix_ranges(folded):
        named = numbers.filter(folded_name__gte=first, folded_name__lt=end).order_by("folded_name", "pk")
        found += named[: MOST_NAMESAKES - len(found)]
    return found
