"""Labels in a few bytes, for the memory of ids in Redis."""

_ALL_TIME = "all"
_LETTER_AT = 10  # in the label of a schedule without hyphens: YYYYMMDDHH, then the letter
_CLOCK_DIGITS = 4


def short_label(label: str) -> bytes:
    """Encode a label in at most four bytes, that of a schedule in six; none for all time and for competitions."""
    digits = label.replace("-", "")
    if len(digits) == _LETTER_AT + 3 and digits[_LETTER_AT].isalpha():  # the second time of a repeated hour
        digits = f"{digits[:_LETTER_AT]}{ord(digits[_LETTER_AT]) - ord('a'):02d}{digits[_LETTER_AT + 1 :]}"
    number = int(digits) if digits.isdecimal() else 0
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def long_label(short: bytes) -> str:
    """Decode a label from ``short_label``: a year, a week or month, a day, or a start of a schedule."""
    digits = str(int.from_bytes(short, "big")) if short else ""
    clock = digits[8:]
    if len(clock) > _CLOCK_DIGITS:  # (with the letter's number between hour and minute)
        clock = f"{clock[:2]}{chr(ord('a') + int(clock[2:4]))}{clock[4:]}"
    parts = (digits[:4], digits[4:6], digits[6:8], clock)
    return "-".join(part for part in parts if part) or _ALL_TIME
