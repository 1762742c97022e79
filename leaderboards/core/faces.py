"""A drawn face for each player without a picture, computed from the player's id alone.

The bytes of a digest choose field, head, cap, eyes and their position: 340,200 faces. ``static/css/face.css`` has the
ten dark tones of fields, the ten light ones of heads, and all parts in one picture, from which the classes of a face
choose: a page with fifty faces names parts and holds no drawings. A head's tone is at least three steps of the colour
wheel from its field's. The trap: a change to a list here, or to the prefix of the id, gives every player another face;
and the picture is made from these lists (``python -m config.local.faces``; a test compares them).
"""

from dataclasses import dataclass
from hashlib import sha256

TONES = 10
NEAREST, NEAR_TONES = 3, 5  # a head's tone is 3 to 7 steps from its field's
TURNS = (-8, 0, 8)
SHIFTS = (-2, 0, 2)
GAZES = (-2, 0, 2)
HEADS = (
    '<circle class="h" cx="20" cy="22" r="12.5"/>',
    '<path class="h" d="M8 44V22a12 12 0 0 1 24 0v22z"/>',
    '<rect class="h" x="8.5" y="11" width="23" height="23" rx="4"/>',
    '<path class="h" d="M20 8l12 7v14l-12 7-12-7V15z"/>',
    '<path class="h" d="M8 10h24v12c0 8-5 12-12 14-7-2-12-6-12-14z"/>',
    '<path class="h" d="M20 5l15 39H5z"/>',
)
CAPS = (
    "",
    '<path class="c" d="M7 6h26v5c-2 7-12 9-26 6z"/>',
    '<path class="c" d="M8 17V5l9 7h6l9-7v12l-7-4H15z"/>',
    '<path class="c" d="M3 10h34v5H3z"/>',
    '<circle class="c" cx="20" cy="8" r="5.5"/>',
    '<path class="c" d="M7 18a13 13 0 0 1 26 0z"/>',
    '<path class="c" d="M33 5v14C26 20 19 16 16 6z"/>',
)
EYES = (
    '<circle cx="15.5" cy="22" r="2"/><circle cx="24.5" cy="22" r="2"/>',
    '<g class="w"><circle cx="15" cy="22" r="3.6"/><circle cx="25" cy="22" r="3.6"/></g>'
    '<circle cx="16" cy="22" r="1.9"/><circle cx="26" cy="22" r="1.9"/>',
    '<path class="l" d="M12.5 23.5a3 3 0 0 1 5.5 0m4 0a3 3 0 0 1 5.5 0"/>',
    '<rect x="12" y="20" width="16" height="4.5" rx="1.5"/>',
    '<circle cx="15.5" cy="22" r="2"/><path class="l" d="M22 22h5"/>',
    '<rect x="13.5" y="18.5" width="3.4" height="6.5" rx="1.7"/>'
    '<rect x="23.5" y="18.5" width="3.4" height="6.5" rx="1.7"/>',
)


# Letters of the parts, in the order of the lists; ``face.css`` knows them.
FIELD_LETTERS, TONE_LETTERS = "ABCDEFGHIJ", "KLMNOPQRST"
HEAD_LETTERS, CAP_LETTERS, EYE_LETTERS = "UVWXYZ", "abcdefg", "hijklm"


@dataclass(frozen=True, slots=True)
class Face:
    """The digest parts: indexes in the lists above; ``field`` and ``tone`` are steps of the wheel of tones."""

    field: int
    tone: int
    head: int
    cap: int
    eyes: int
    gaze: int
    shift: int
    turn: int


def face_of(player: str) -> Face:
    """Return the face of a player's id."""
    digest = sha256(f"face272:{player}".encode(errors="surrogatepass")).digest()
    field = digest[0] % TONES
    return Face(
        field,
        (field + NEAREST + digest[1] % NEAR_TONES) % TONES,
        digest[2] % len(HEADS),
        digest[3] % len(CAPS),
        digest[4] % len(EYES),
        GAZES[digest[5] % len(GAZES)],
        SHIFTS[digest[6] % len(SHIFTS)],
        TURNS[digest[7] % len(TURNS)],
    )


def drawn(face: Face) -> str:
    """Return a face as HTML, an empty element for ``face.css``: screen readers find nothing in it."""
    return f'<i class="face" data-f={parts_of(face)}></i>'


def parts_of(face: Face) -> str:
    """Return the parts of a face as one letter each, such as ``DRVbh``; fifty rows have one face each."""
    parts = f"{FIELD_LETTERS[face.field]}{TONE_LETTERS[face.tone]}{HEAD_LETTERS[face.head]}{CAP_LETTERS[face.cap]}"
    moves = _signed("no", face.gaze) + _signed("pq", face.shift) + _signed("rs", face.turn)
    return f"{parts}{EYE_LETTERS[face.eyes]}{moves}"


def _signed(letters: str, value: int) -> str:
    """Return the letter of a move: the first for one way, the second for the other, none for neither."""
    return letters[value > 0] if value else ""
