"""What to do about each error ``code``, of requests and of single scores: a sentence for people.

A test compares the codes with docs/api.md.
"""

from collections.abc import Mapping

_AGAIN = "Send it again later, with the same id."
_FIX = "Sending it again changes nothing: mend what the detail names."
_KEY = "Ask those who run the site for a key that may."

ADVICE: Mapping[str, str] = {
    # keys and signatures
    "unauthenticated": "Ask those who run the site for a key that is neither revoked nor expired.",
    "signature_missing": "Give the client the key's signing secret, as `secret`.",
    "signature_expired": "Set this machine's clock, by NTP.",
    "signature_wrong": "Compare the signing secret with the key's; no proxy may rewrite paths or bodies.",
    "replayed": "Something in between sent a request twice: look for a proxy that repeats.",
    "signature_unexpected": "Leave `secret` out, or ask for a key that demands signatures.",
    "address_forbidden": "Ask for a key that is bound to the address you send from.",
    "https_required": "Use https, and have the key replaced: others have seen it.",
    "forbidden": _KEY,
    # requests
    "invalid_request": _FIX,
    "malformed_body": _FIX,
    "bad_content_type": "Send JSON as application/json, without a charset.",
    "method_not_allowed": "Use a method that the address has.",
    "length_required": "Let nothing in between take the Content-Length away.",
    "unsupported_media_type": "Send JSON, as application/json.",
    "body_too_large": "Send fewer at once: a body has up to 1 MiB.",
    "rate_limited": "Wait as long as retry_after says, and send more in one request.",
    "server_error": "Tell those who run the site; its log has the rest.",
    "unavailable": _AGAIN,
    "outcome_unknown": _AGAIN,
    "exports_busy": "Ask again after retry_after seconds.",
    # not found
    "no_such_path": "Compare the address with the API's documentation.",
    "not_found": "Compare the address with the API's documentation.",
    "unknown_board": "List the boards for their numbers.",
    "unknown_period": "Ask for `current`, `previous` or a label; boards of competitions are read by those.",
    "unknown_competition": "List the competitions for their numbers.",
    "unknown_series": "List the series for their numbers.",
    "unknown_team": "List the competition's teams.",
    "unknown_division": "Read the competition for its divisions.",
    "unknown_revision": "List the revisions of the result.",
    "unknown_kind": "Ask those who run the site which kinds can be liked.",
    "unknown_thing": "It is gone, or hidden: take it out of your list.",
    "no_teams": "Read the competition before: this one has no teams.",
    "no_league": "Show no league: the board has none.",
    "not_in_league": "Show the league without them.",
    "not_ranked": "Show the list without them: they have not scored.",
    "not_final": "Ask again once the competition is final.",
    "conflict": "Read what is there now, and decide anew.",
    # taking part
    "not_joined": "Let them join first; then send new scores, since earlier ones do not count.",
    "not_started": "Send scores of when the competition runs.",
    "already_joined": "Go on: they take part.",
    "joining_over": "Tell them that it is too late to join.",
    "competition_over": "Tell them that it has ended.",
    "competition_full": "Tell them that no place is left.",
    "not_invited": "Tell them that they are not on the list.",
    "wrong_code": "Ask them for the code again.",
    "wrong_team_code": "Ask them for the team's code again.",
    "team_full": "Let them choose another team.",
    "teams_fixed": "Leave teams as they are once the competition has started.",
    "division_fixed": "Let them join in the division where they were.",
    "name_taken": "Let them choose another name.",
    "bad_name": "Let them choose another name.",
    "disqualified": "Do not send their scores any more.",
    "banned": "Do not send their scores any more.",
    "own_comment": "Offer no like on what the player wrote.",
    # single scores
    "bad_entry": _FIX,
    "bad_points": _FIX,
    "bad_player": _FIX,
    "bad_time": _FIX,
    "bad_id": _FIX,
    "out_of_range": "Look at the board's minimum and maximum, and at what the game computed.",
    "period_closed": "It came too late. Send scores sooner after they happen.",
    "not_open": "Send scores of when a window is open; `opens_at` is when the next one starts.",
    "too_many_attempts": "Tell the player that their attempts are used up.",
    "in_the_future": "Set this machine's clock, by NTP.",
    "board_reserved": "Send scores to the series' competitions instead.",
    "id_reused": "Make a new id for each score; this one means another.",
    **dict.fromkeys(
        (
            *("plausible_least", "plausible_most", "submissions_per_minute", "points_per_minute"),
            *("own_jump", "field_jump"),
        ),
        "A moderator decides. Do not send it again under another id.",
    ),
    # codes of the client itself
    "unsent": "It was never answered: send it again with the same id.",
    "not_sunwi": "Check the site's address, and proxies in front of it; then send it again with the same id.",
    "client_fault": "The client failed before it was sent: see the detail.",
}


def advice(code: str) -> str:
    """What to do, in a sentence; empty for a code that this version does not know."""
    return ADVICE.get(code, "")
