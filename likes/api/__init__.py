"""The API routes of likes. ``config/urls.py`` adds them to the API of leaderboards."""

from leaderboards.api.openapi.document import ApiPart
from likes.api.examples import CODES, like_operation_docs
from likes.api.likes import router

part = ApiPart((router,), like_operation_docs, codes=CODES)
