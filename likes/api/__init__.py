"""The API's share that is about likes: giving and taking them back, and reading them, whatever the kind.

It is answered by the API of leaderboards, which knows nothing of it; ``config/urls.py`` puts the two together.
"""

from leaderboards.api.openapi.document import ApiPart
from likes.api.examples import like_operation_docs
from likes.api.likes import router

part = ApiPart((router,), like_operation_docs)
