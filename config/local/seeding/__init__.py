"""Fill the demo: boards, accounts, competitions, leagues, series and history."""
