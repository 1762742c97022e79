"""Encode a fetched picture anew: a square WebP in two sizes, without metadata; of an animation the first image.

The trap: a small file can be a huge image, so its size is checked before any pixel is decoded.
"""

from dataclasses import dataclass
from hashlib import blake2b
from io import BytesIO

from PIL import Image, ImageOps

MOST_PIXELS = 16_000_000
LARGE, SMALL = 224, 64  # pixels: twice what the largest and the usual face have on a page
QUALITY = 82
FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
KINDS = ("image/jpeg", "image/png", "image/webp", "image/gif")

# What Pillow raises for truncated or broken files and decompression bombs.
_BROKEN_FILE = (
    OSError,
    ValueError,
    SyntaxError,
    EOFError,
    MemoryError,
    Image.DecompressionBombError,
    Image.DecompressionBombWarning,
)


class NoPicture(Exception):
    """The file is not a picture that can be shown, for the reason in the text."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A picture as WebP in two sizes; ``digest`` is that of the large one."""

    digest: str
    large: bytes
    small: bytes


def encode(content: bytes) -> Encoded:
    """Return the picture. Raises ``NoPicture``."""
    try:
        with Image.open(BytesIO(content), formats=FORMATS) as image:
            if image.width * image.height > MOST_PIXELS:
                raise NoPicture("It has more than 16 million pixels.")
            image.draft("RGB", (LARGE, LARGE))  # JPEG only: decodes to about the size that is needed
            upright = ImageOps.exif_transpose(image)
            shown = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
            large, small = _square(shown, LARGE), _square(shown, SMALL)
    except _BROKEN_FILE as error:
        raise NoPicture("It cannot be read as a JPEG, PNG, WebP or GIF file.") from error
    return Encoded(blake2b(large, digest_size=12).hexdigest(), large, small)


def _square(image: Image.Image, pixels: int) -> bytes:
    """Return the middle of the image as a square WebP; its metadata is set empty, as Pillow would copy some of it."""
    square = ImageOps.fit(image, (pixels, pixels), Image.Resampling.LANCZOS)
    webp = BytesIO()
    square.save(webp, "WEBP", quality=QUALITY, exif=b"", xmp=b"", icc_profile=b"")
    return webp.getvalue()
