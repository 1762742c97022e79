"""Commands for those who work on Sunwi itself; what operates boards stands in the apps above."""
