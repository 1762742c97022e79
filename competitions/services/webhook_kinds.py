"""The kinds of webhooks that this app sends, in words, for the list of kinds in the admin."""

from django.utils.translation import gettext_lazy as _lazy

WORDS = {
    "competition.published": _lazy("a competition is published"),
    "competition.extended": _lazy("the end of a competition is moved"),
    "competition.cancelled": _lazy("a competition is cancelled"),
    "competition.revealed": _lazy("a hidden result is revealed"),
    "competition.final": _lazy("a result is final"),
    "competition.revised": _lazy("a final result is published anew"),
    "rank.first_taken": _lazy("a player takes first place"),
    "rank.first_lost": _lazy("a player loses first place"),
    "rank.top3_entered": _lazy("a player enters the top 3"),
    "rank.top10_entered": _lazy("a player enters the top 10"),
    "reward.granted": _lazy("a reward is earned"),
    "reward.revoked": _lazy("a reward is taken back"),
    "league.promoted": _lazy("a player moves up in a league"),
    "league.demoted": _lazy("a player moves down in a league"),
}
KINDS = tuple(WORDS)
