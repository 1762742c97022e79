"""What competitions add to the page of a player in the admin: the latest rewards and comments."""

from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from competitions.models import Comment, RewardGrant
from leaderboards.admin.base.permissions import may_see
from leaderboards.admin.players.overview import SHOWN, PlayerPart, PlayerRow
from leaderboards.admin.wording.descriptions import in_utc
from leaderboards.models import Player

_BEGINNING = 60  # characters


def rewards_of(request: HttpRequest, player: Player) -> PlayerPart | None:
    """Return the latest rewards; None for those who may not see rewards."""
    if not may_see(request, RewardGrant):
        return None
    grants = RewardGrant.objects.filter(player=player).select_related("competition", "period__board")
    rows = [
        PlayerRow(
            grant.name,
            reverse("admin:competitions_rewardgrant_change", args=[grant.pk]),
            " · ".join(
                (
                    grant.competition.name if grant.competition else f"{grant.period.board.name} {grant.period.label}",
                    in_utc(grant.granted_at),
                    *([pgettext("a reward", "revoked")] if grant.revoked_at else []),
                )
            ),
        )
        for grant in grants.defer("competition__picture").order_by("-pk")[:SHOWN]
    ]
    address = f"{reverse('admin:competitions_rewardgrant_changelist')}?{urlencode({'q': player.external_id})}"
    return PlayerPart(_("Rewards"), rows, address)


def comments_of(request: HttpRequest, player: Player) -> PlayerPart | None:
    """Return the latest comments; None for those who may not see comments."""
    if not may_see(request, Comment):
        return None
    comments = Comment.objects.filter(player=player).select_related("competition").defer("competition__picture")
    rows = [
        PlayerRow(
            comment.text[:_BEGINNING] or pgettext("a comment", "deleted"),
            reverse("admin:competitions_comment_change", args=[comment.pk]),
            f"{comment.competition.name} · {in_utc(comment.created_at)}",
        )
        for comment in comments.order_by("-pk")[:SHOWN]
    ]
    return PlayerPart(
        _("Comments"),
        rows,
        f"{reverse('admin:competitions_comment_changelist')}?{urlencode({'q': player.external_id})}",
    )
