"""Comments on a competition. Hidden comments are in no answer, for no key."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from competitions.api.access import competition_to_read, is_private
from competitions.api.parameters import COMMENTS_LISTED, COMPETITION, ORDER, OrderOfComments
from competitions.api.schemas.competitions import CommentsOfCompetition
from competitions.selectors.comments import CommentWithLikes, Order, comments
from foundation.http.encoding import when
from leaderboards.api.http.access import OptionalKey
from leaderboards.api.http.parameters import OFFSET, Bounded, WholeNumber
from leaderboards.api.http.responses import etag_response

router = Router(tags=["competitions"], auth=OptionalKey())


@router.get("/competitions/{competition}/comments", response=CommentsOfCompetition)
def read_comments(
    request: HttpRequest,
    competition: WholeNumber = COMPETITION,
    order: OrderOfComments = ORDER,
    offset: Bounded = OFFSET,
    limit: Bounded = COMMENTS_LISTED,
) -> HttpResponse:
    """A page of a competition's comments."""
    found = competition_to_read(request, competition)
    page = comments(found, Order(order), offset, limit)
    content = {"total": page.total, "rows": [_comment_json(each) for each in page.rows]}
    return etag_response(request, content, is_private(found))


def _comment_json(row: CommentWithLikes) -> dict[str, Any]:
    comment = row.comment
    return {
        "id": comment.pk,
        "player": comment.player.external_id,
        "text": comment.text,
        "created_at": when(comment.created_at),
        "likes": row.likes.count,
    }
