"""A fetched picture is encoded anew: square, small, without metadata; what is no picture or a bomb is refused."""

from io import BytesIO
from zlib import compress, crc32

import pytest
from PIL import Image

from leaderboards.services.players.picture_encoding import NoPicture, encode


def file_of(image: Image.Image, kind: str, **options: object) -> bytes:
    kept = BytesIO()
    image.save(kept, kind, **options)
    return kept.getvalue()


def decoded(webp: bytes) -> Image.Image:
    return Image.open(BytesIO(webp), formats=["WEBP"])


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_every_kind_becomes_a_square_in_two_sizes(kind: str) -> None:
    encoded = encode(file_of(Image.new("RGB", (640, 300), "red"), kind))

    assert [decoded(each).size for each in (encoded.large, encoded.small)] == [(224, 224), (64, 64)]
    assert len(encoded.digest) == 24


def test_where_it_was_taken_is_dropped_and_it_stands_upright() -> None:
    image = Image.new("RGB", (100, 100), "red")
    image.paste("blue", (0, 0, 100, 50))  # the upper half
    exif = Image.Exif()
    exif[0x0112] = 3  # turned by half
    exif[0x010F] = "A camera"

    shown = decoded(encode(file_of(image, "JPEG", exif=exif, quality=95)).large)

    assert not shown.getexif()
    assert not {"exif", "xmp", "icc_profile"} & shown.info.keys()
    pixel = shown.convert("RGB").getpixel((112, 20))
    assert isinstance(pixel, tuple)
    assert pixel[0] > pixel[2]


def test_a_picture_may_let_through_and_of_an_animation_the_first_image_is_shown() -> None:
    clear = encode(file_of(Image.new("RGBA", (90, 90), (0, 0, 0, 0)), "PNG"))
    frames = [Image.new("RGB", (90, 90), colour) for colour in ("red", "blue")]
    moving = encode(file_of(frames[0], "GIF", save_all=True, append_images=frames[1:]))

    assert decoded(clear.large).mode == "RGBA"
    assert getattr(decoded(moving.large), "n_frames", 1) == 1


def bomb(width: int, height: int) -> bytes:
    """A PNG of a few kilobytes that claims so many pixels."""

    def chunk(name: bytes, content: bytes) -> bytes:
        return len(content).to_bytes(4, "big") + name + content + crc32(name + content).to_bytes(4, "big")

    head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([1, 0, 0, 0, 0])
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", compress(b"\0" * 1000)) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    "content",
    [
        b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"GIF89a", b"\x89PNG\r\n\x1a\n" + b"\0" * 50,
        file_of(Image.new("RGB", (500, 500), "red"), "PNG")[:200], file_of(Image.new("RGB", (9, 9)), "BMP"),
        file_of(Image.new("RGB", (9, 9)), "TIFF"), bomb(5000, 5000), bomb(100_000, 100_000),
    ],
    ids=["empty", "svg", "no gif", "no png", "cut off", "bmp", "tiff", "large", "bomb"],
)  # fmt: skip  # as a list
def test_what_is_no_picture_or_has_too_many_pixels_is_refused(content: bytes) -> None:
    with pytest.raises(NoPicture):
        encode(content)


def test_the_same_picture_has_the_same_digest_and_another_one_another() -> None:
    red, same, blue = (file_of(Image.new("RGB", (80, 80), colour), "PNG") for colour in ("red", "red", "blue"))

    assert encode(red).digest == encode(same).digest != encode(blue).digest
