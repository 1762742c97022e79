"""2026년 11월 23일 (월) 00:00 UTC; everything else as Django has it."""

DATETIME_FORMAT = "Y년 n월 j일 (D) H:i T"
