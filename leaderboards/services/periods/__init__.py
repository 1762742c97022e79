"""The life of a period: opening, rescheduling, freezing, closing, rank history and retention."""
