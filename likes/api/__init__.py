"""The API's share that is about likes: giving and taking them back, and reading them, whatever the kind.

It is answered by the API of leaderboards, which knows nothing of it; ``config/urls.py`` puts the two together.
"""

from leaderboards.api.document import Part
from likes.api.examples import told_of_likes
from likes.api.likes import router

part = Part((router,), told_of_likes)
