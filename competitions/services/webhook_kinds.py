"""The kinds of webhooks that this app sends, for the list of kinds in the admin."""

KINDS = (
    *(f"competition.{each}" for each in ("published", "extended", "cancelled", "revealed", "final", "revised")),
    *(f"rank.{each}" for each in ("first_taken", "first_lost", "top3_entered", "top10_entered")),
    *("reward.granted", "reward.revoked", "league.promoted", "league.demoted"),
)
