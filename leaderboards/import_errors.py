"""The errors of imports: files of scores, players and boards, and undoing what one of them brought."""

from foundation.errors import Conflict, Invalid


class BadTable(Invalid):
    """A file that cannot be read as a table or a list of boards."""

    code = "bad_table"


class TooManyPendingImports(Conflict):
    """Too many imports of this account wait to be confirmed."""

    code = "too_many_wait"


class MissingColumn(BadTable):
    """A table without the column given for ``part``: ``player``, ``points``, ``at`` or ``id``."""

    def __init__(self, detail: str, part: str) -> None:
        super().__init__(detail)
        self.part = part


class ImportNotReady(Conflict):
    """The import is in another state than this action needs, or was changed meanwhile."""

    code = "import_not_ready"


class ImportNotUndoable(Conflict):
    """The import, or a part of it, cannot be undone any more."""

    code = "import_stays"
