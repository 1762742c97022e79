"""Services of series: their settings, the counted results, and the totals on their boards."""
