"""A competition's picture: an uploaded image is converted to a small WebP image without metadata."""

from hashlib import blake2b
from io import BytesIO

from PIL import Image, ImageOps

from competitions.errors import BadCompetition
from competitions.models import Competition
from foundation.messages import Message

LARGEST = 5 * 1024 * 1024
MOST_PIXELS = 40_000_000
SIZE = (1200, 675)
QUALITY = 82
FORMATS = ("JPEG", "PNG", "WEBP", "GIF")

# What Pillow raises for truncated or broken files and decompression bombs.
_BROKEN_FILE = (
    OSError,
    ValueError,
    SyntaxError,
    EOFError,
    Image.DecompressionBombError,
    Image.DecompressionBombWarning,
)


def set_picture(competition: Competition, webp: bytes) -> None:
    """Store ``webp``, a result of ``as_webp``; empty bytes remove the picture."""
    competition.picture = webp or None
    competition.picture_hash = blake2b(webp, digest_size=12).hexdigest() if webp else ""
    competition.save(update_fields=["picture", "picture_hash"])


def as_webp(uploaded: bytes) -> bytes:
    """Convert an upload to WebP: upright, at most 1200×675. Raises ``BadCompetition`` for the field ``upload``."""
    if len(uploaded) > LARGEST:
        raise _refused(
            Message("The picture has %(size)s MB; at most 5 MB are taken.", size=f"{len(uploaded) / 1024 / 1024:.1f}")
        )
    try:
        with Image.open(BytesIO(uploaded), formats=FORMATS) as image:
            if image.width * image.height <= MOST_PIXELS:
                return _encoded(image)
    except _BROKEN_FILE as error:
        raise _refused(Message("This is no picture that can be read: take a JPEG, PNG, WebP or GIF file.")) from error
    raise _refused(Message("The picture has more than 40 million pixels: make it smaller first."))


def _encoded(image: Image.Image) -> bytes:
    upright = ImageOps.exif_transpose(image)
    shown = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
    shown.thumbnail(SIZE, Image.Resampling.LANCZOS)
    webp = BytesIO()
    # Set to empty, because Pillow would copy some of it.
    shown.save(webp, "WEBP", quality=QUALITY, exif=b"", xmp=b"", icc_profile=b"")
    return webp.getvalue()


def _refused(detail: str) -> BadCompetition:
    return BadCompetition(detail, "upload")
