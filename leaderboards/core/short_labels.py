"""Labels in a few bytes, for the memory of ids in Redis."""

_ALL_TIME = "all"
_DATE_DIGITS, _CLOCK_DIGITS = 8, 4


def short_label(label: str) -> bytes:
    """Encode a label in at most four bytes, that of a schedule in seven; none for all time and for competitions."""
    digits = label.replace("-", "")
    if digits[:_DATE_DIGITS].isdecimal() and digits[-3:-2].isalpha():  # the second time of a repeated hour
        digits = f"{digits[:-3]}{ord(digits[-3]) - ord('a'):02d}{digits[-2:]}"
    number = int(digits) if digits.isdecimal() else 0
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def long_label(short: bytes) -> str:
    """Decode a label from ``short_label``: a year, a week or month, a day, or a start of a schedule."""
    digits = str(int.from_bytes(short, "big")) if short else ""
    clock = digits[_DATE_DIGITS:]
    if len(clock) > _CLOCK_DIGITS:  # (with the letter's number between hour and minute)
        clock = f"{clock[:-4]}{chr(ord('a') + int(clock[-4:-2]))}{clock[-2:]}"
    parts = (digits[:4], digits[4:6], digits[6:8], clock)
    return "-".join(part for part in parts if part) or _ALL_TIME
