"""Published final results: the stored bytes of each revision, and the list of revisions.

A result that a freeze hides does not exist for the API. The content of a revision changes only by an erasure; that a
later one replaced it is in the list, and in the links of the headers.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from ninja import Router

from competitions.api.access import competition_to_read, is_private
from competitions.api.parameters import COMPETITION, REVISION
from competitions.api.schemas.competitions import FinalResult, RevisionsShown
from competitions.errors import NotFinal
from competitions.models import Competition, Revision
from competitions.selectors.results.revisions import parts_of, public_revision, public_revisions
from foundation import clock
from foundation.http.encoding import when, when_or_none
from foundation.messages import Message
from leaderboards.api.http.access import OptionalKey
from leaderboards.api.http.parameters import PositiveNumber, WholeNumber
from leaderboards.api.http.responses import JSON, etag_response, not_modified, with_etag
from leaderboards.selectors.exports.export_slots import with_export_slot

A_DAY = "public, max-age=86400"  # no longer, so that erasures reach caches

router = Router(tags=["competitions"], auth=OptionalKey())


@router.get("/competitions/{competition}/result.json", response=FinalResult)
def read_result(
    request: HttpRequest, competition: WholeNumber = COMPETITION, revision: PositiveNumber | None = REVISION
) -> HttpResponseBase:
    """The final result as it was published, with its hash; the latest, or an earlier revision."""
    found, at = competition_to_read(request, competition), clock.now()
    chosen = public_revision(found, at, revision)
    response = _file(request, found, chosen)
    response["Link"] = _links(request)
    if revision is not None and not is_private(found):
        response["Cache-Control"] = A_DAY
    return response


@router.get("/competitions/{competition}/revisions", response=RevisionsShown)
def read_revisions(request: HttpRequest, competition: WholeNumber = COMPETITION) -> HttpResponse:
    """Every revision of the final result: why it was made, its hash, and which one took its place."""
    found = competition_to_read(request, competition)
    revisions = public_revisions(found, clock.now())
    if not revisions:
        raise NotFinal(Message("This competition has no final result yet."))
    rows = [_revision_json(each, revisions[-1].number) for each in revisions]
    return etag_response(request, {"total": len(rows), "rows": rows}, is_private(found))


def _file(request: HttpRequest, competition: Competition, revision: Revision) -> HttpResponseBase:
    """Return the stored bytes, or 304 for a caller who has them; 503 while all export slots are in use."""
    response: HttpResponseBase | None = not_modified(request, revision.content_hash)
    if response is None:
        response = StreamingHttpResponse(with_export_slot(parts_of(revision)), content_type=JSON)
        name = f"competition-{competition.pk}-result-{revision.number}.json"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["As-Of"] = when(revision.made_at)
    response["Content-Hash"] = revision.content_hash
    return with_etag(response, revision.content_hash, is_private(competition))


def _links(request: HttpRequest) -> str:
    """Return the links to the latest revision and to the list (RFC 5829), which never change."""
    latest = request.path
    listed = latest.removesuffix("result.json") + "revisions"
    return f'<{latest}>; rel="latest-version", <{listed}>; rel="version-history"'


def _revision_json(revision: Revision, last: int) -> dict[str, Any]:
    return {
        "revision": revision.number,
        "made_at": when(revision.made_at),
        "reason": revision.reason,
        "total": revision.total,
        "content_hash": revision.content_hash,
        "previous_hash": revision.previous_hash,
        "superseded_by": revision.number + 1 if revision.number < last else None,
        "rewritten_at": when_or_none(revision.rewritten_at),
    }
