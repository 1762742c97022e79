"""A competition's picture: whatever was uploaded becomes a small WebP image without a word about where it was taken."""

from hashlib import blake2b
from io import BytesIO

from PIL import Image, ImageOps

from competitions.errors import BadCompetition
from competitions.models import Competition

LARGEST = 5 * 1024 * 1024
MOST_PIXELS = 40_000_000
SIZE = (1200, 675)
QUALITY = 82
FORMATS = ("JPEG", "PNG", "WEBP", "GIF")

# What Pillow raises where a file is cut off, broken, or a bomb.
_BROKEN = (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError, Image.DecompressionBombWarning)


def set_picture(competition: Competition, webp: bytes) -> None:
    """Show ``webp``, as ``as_webp`` made it; nothing at all takes the picture away."""
    competition.picture = webp or None
    competition.picture_hash = blake2b(webp, digest_size=12).hexdigest() if webp else ""
    competition.save(update_fields=["picture", "picture_hash"])


def as_webp(uploaded: bytes) -> bytes:
    """The image as it is stored: upright, at most 1200×675. Raises ``BadCompetition``, with ``upload`` to blame."""
    if len(uploaded) > LARGEST:
        raise _refused(f"The picture has {len(uploaded) / 1024 / 1024:.1f} MB; at most 5 MB are taken.")
    try:
        with Image.open(BytesIO(uploaded), formats=FORMATS) as image:
            if image.width * image.height <= MOST_PIXELS:
                return _encoded(image)
    except _BROKEN as error:
        raise _refused("This is no picture that can be read: take a JPEG, PNG, WebP or GIF file.") from error
    raise _refused("The picture has more than 40 million pixels: make it smaller first.")


def _encoded(image: Image.Image) -> bytes:
    upright = ImageOps.exif_transpose(image)
    shown = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
    shown.thumbnail(SIZE, Image.Resampling.LANCZOS)
    out = BytesIO()
    # Empty, since Pillow would carry some of it over.
    shown.save(out, "WEBP", quality=QUALITY, exif=b"", xmp=b"", icc_profile=b"")
    return out.getvalue()


def _refused(detail: str) -> BadCompetition:
    return BadCompetition(detail, "upload")
