"""Services of results: the jury's actions on scores, and the published revisions."""
