"""A site with everything that is hard to lay out, made once: boards, competitions in every phase, talk, accounts.

Each module makes its part and answers the pages on which it is seen. The order matters: boards name the players, and
people are linked to them.
"""

from competitions.models import Competition, RewardTier
from leaderboards.core.input.names import display_name
from leaderboards.models import Board, Player
from tests.browser.crowd import accounts, boards, competitions, failures, people, talk
from tests.browser.crowd.page import SitePage


def everything() -> list[SitePage]:
    """Makes all of it; every page of the site, with who looks at it."""
    parts = (boards, competitions, talk, people, accounts, failures)
    return [page for part in parts for page in part.pages()]


def names() -> list[str]:
    """What boards, players and their like are called in any language, the longest first."""
    named = {each.name for model in (Board, Competition, Player, RewardTier) for each in model.objects.all()}
    named |= {display_name(each.name, each.external_id) for each in Player.objects.all()}
    named |= set(Player.objects.values_list("external_id", flat=True))
    named |= {each["name"].replace("_", " ") for board in Board.objects.all() for each in board.criteria}
    named.add(accounts.ADDRESS)
    return sorted(filter(None, named), key=len, reverse=True)
