"""Services for participants, teams and divisions: join, leave, disqualify, bring back."""
