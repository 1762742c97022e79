"""A competition that is talked about: texts that are hard to lay out, likes, and a comment that was hidden."""

from competitions.models import Comment
from foundation import clock
from tests.browser.crowd.page import SitePage
from tests.competitions.site import open_competition, raced
from tests.competitions.talking import liked, say
from tests.playing import HARD_NAMES, name

HARD_TEXTS = (
    "W" * 300,
    "가나다라마바사" * 40,
    "سلام! این یک دیدگاه است.\nThis line goes the other way.\nو این یکی دوباره.",
    "Z̷̢̛a̴̡͝l̶̨̕g̸̡͠o̷̧͝ " * 8,
    "<img src=x onerror=alert(1)> <script>alert(1)</script> javascript:alert(1)",
    "👩‍👩‍👧‍👦🏳️‍🌈🇰🇷 " * 20,
    "one\n\ntwo\n\n\nthree",
)
KIND = " It gets harder, but the weather is kind to us."


def pages() -> list[SitePage]:
    """Lets them talk."""
    talked = open_competition(name="Spring run")
    raced(talked, {"mina": 50, "robin": 30})
    first = say(talked, "mina", "What a run!")
    liked(first, *(f"fan-{number}" for number in range(11)))
    for number, (hard, words) in enumerate(zip(HARD_NAMES, HARD_TEXTS, strict=False)):
        liked(say(talked, f"hard-{number}", words), *(f"fan-{each}" for each in range(number)))
        name(f"hard-{number}", hard)
    for number in range(16):
        say(talked, "mina", f"Lap {number + 1} done." + KIND * (number % 4))
    own = say(talked, "robin", "I am late, but I will catch up with you all before the weekend is over.")
    liked(own, "mina", "fan-1")
    hidden = say(talked, "robin", "Something rude.")
    Comment.objects.filter(pk=hidden.pk).update(hidden_at=clock.now(), hidden_reason="서로 예의를 지켜 주세요.")
    quiet = open_competition(talked.board, name="Nothing said")
    said = f"/competitions/{talked.pk}/comments/"
    return [
        SitePage("comments-under-standings", f"/competitions/{talked.pk}/", "robin"),
        SitePage("comments", f"{said}?page=2"),
        SitePage("comments-as-player", said, "robin"),
        SitePage("comments-as-moderator", said, "chief"),
        SitePage("comments-most-liked", f"{said}?order=likes", "robin"),
        SitePage("comment", f"{said}{own.pk}/"),
        SitePage("comments-none", f"/competitions/{quiet.pk}/comments/", "robin"),
        SitePage("comment-edit", f"{said}{own.pk}/edit/", "robin"),
        SitePage("comment-delete", f"{said}{own.pk}/delete/", "robin"),
        SitePage("comment-hide", f"{said}{own.pk}/hide/", "chief"),
        SitePage("comment-show-again", f"{said}{hidden.pk}/hide/", "chief"),
        SitePage("liked-by", f"{said}{first.pk}/likes/"),
        SitePage("liked-by-none", f"{said}{Comment.objects.filter(text__startswith='Lap 1 ').get().pk}/likes/"),
    ]
