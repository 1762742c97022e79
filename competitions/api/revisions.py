"""Final results as they were published: the stored bytes of each revision, and the list of them.

While a freeze hides a result, it does not exist yet. What a revision says of itself never changes but for an erasure;
that another one followed it is said beside it: in the list, and by the links of its headers.
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
from leaderboards.api.http.access import OptionalKey
from leaderboards.api.http.parameters import WholeNumber
from leaderboards.api.http.responses import JSON, etag_matches, etag_response, with_etag
from leaderboards.selectors.exports.export_slots import with_export_slot

A_DAY = "public, max-age=86400"  # no longer: an erasure is to reach whatever keeps a copy

router = Router(tags=["competitions"], auth=OptionalKey())


@router.get("/competitions/{competition}/result.json", response=FinalResult)
def read_result(
    request: HttpRequest, competition: WholeNumber = COMPETITION, revision: WholeNumber | None = REVISION
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
        raise NotFinal("This competition has no final result yet.")
    rows = [_revision_shown(each, revisions[-1].number) for each in revisions]
    return etag_response(request, {"total": len(rows), "rows": rows}, is_private(found))


def _file(request: HttpRequest, competition: Competition, revision: Revision) -> HttpResponseBase:
    """The stored bytes, or 304 for a caller who has them. 503 while as many files are made as may be."""
    response: HttpResponseBase
    if etag_matches(request, revision.content_hash):
        response = HttpResponse(status=304)
        del response["Content-Type"]
    else:
        response = StreamingHttpResponse(with_export_slot(parts_of(revision)), content_type=JSON)
        name = f"competition-{competition.pk}-result-{revision.number}.json"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["As-Of"] = when(revision.made_at)
    response["Content-Hash"] = revision.content_hash
    return with_etag(response, revision.content_hash, is_private(competition))


def _links(request: HttpRequest) -> str:
    """Where the latest revision and the list of all are (RFC 5829); the same for ever."""
    latest = request.path
    listed = latest.removesuffix("result.json") + "revisions"
    return f'<{latest}>; rel="latest-version", <{listed}>; rel="version-history"'


def _revision_shown(revision: Revision, last: int) -> dict[str, Any]:
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
