"""Second factors: set up, asked for, good once, and required of staff at every door."""

import re
from base64 import b32decode
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import Permission, User
from django.core.management import call_command
from django.test import Client

from accounts.errors import WrongCode
from accounts.models import AuthenticatorApp, RecoveryCode
from accounts.services.second_factors import recovery, totp
from foundation import clock
from tests.accounts.authenticator import Authenticator, add_passkey
from tests.accounts.people import SECOND, SECRET, SECURITY, code, sign_in, who, with_app
from tests.leaderboards.factories import AdminFactory
from tests.staff import staff

pytestmark = pytest.mark.django_db
AT = datetime(2026, 3, 2, 12, tzinfo=UTC)


def test_codes_are_those_of_the_standard() -> None:
    # RFC 6238, appendix B, the last six digits of SHA-1
    assert [code(datetime.fromtimestamp(at, UTC)) for at in (59, 1111111109)] == ["287082", "081804"]
    assert totp.address(SECRET, "robin", "Sunwi").startswith("otpauth://totp/Sunwi:robin?")
    assert totp.spelled(SECRET) == "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ"


def test_a_code_counts_once_and_half_a_minute_early_or_late(robin: User, settings: LazySettings) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "second_factor": None}
    with_app(robin)
    early, late = AT + timedelta(seconds=30), AT - timedelta(seconds=30)

    totp.use(robin, code(late), AT)
    totp.use(robin, code(early), AT)

    for used in (code(early), code(AT), code(AT - timedelta(minutes=1)), "", "abc", "１２３４５６"):
        with pytest.raises(WrongCode):
            totp.use(robin, used, AT)


def test_recovery_codes_count_once_each_however_typed_and_new_ones_end_the_old(robin: User) -> None:
    first = recovery.draw(robin, AT)
    recovery.use(robin, first[0].lower().replace("-", " "), AT)
    with pytest.raises(WrongCode):
        recovery.use(robin, first[0], AT)

    recovery.draw(robin, AT)

    with pytest.raises(WrongCode):
        recovery.use(robin, first[1], AT)
    assert RecoveryCode.objects.filter(user=robin, used_at=None).count() == 10
    assert not RecoveryCode.objects.filter(code_hash__contains=first[1][:4]).exists()


def test_the_password_alone_is_nobody_and_the_code_lets_in(client: Client, robin: User) -> None:
    with_app(robin)

    first = sign_in(client, "robin")
    between = who(client)
    wrong = client.post(SECOND, {"code": "000000"})
    right = client.post(SECOND, {"code": code()})

    assert first["Location"] == f"{SECOND}?next=%2F"
    assert between == ""
    assert "This code is wrong" in wrong.content.decode()
    assert right["Location"] == "/"
    assert who(client) == "robin"


def test_a_recovery_code_lets_in_where_the_app_is_lost(client: Client, robin: User) -> None:
    with_app(robin)
    codes = recovery.draw(robin, AT)
    sign_in(client, "robin")

    client.post(SECOND, {"code": codes[3]})

    assert who(client) == "robin"
    again = Client()
    sign_in(again, "robin")
    assert "This recovery code is wrong or was used" in again.post(SECOND, {"code": codes[3]}).content.decode()


def test_a_lost_factor_is_taken_away_by_who_may_and_the_password_alone_signs_in(client: Client, robin: User) -> None:
    with_app(robin)
    chief = AdminFactory.create(username="chief")
    client.force_login(chief)
    with_app(chief)
    clerk = staff(*Permission.objects.filter(content_type__app_label="auth"))
    chosen = {"action": "forget_factors", "_selected_action": [robin.pk, chief.pk]}

    clerk.post("/admin/auth/user/", chosen)

    assert list(AuthenticatorApp.objects.values_list("user", flat=True)) == [chief.pk]
    assert sign_in(Client(), "robin")["Location"] == "/"
    call_command("account_forget_factors", "chief")
    assert not AuthenticatorApp.objects.exists()


def test_half_a_sign_in_ends_after_ten_minutes_and_with_a_new_password(client: Client, robin: User) -> None:
    with_app(robin)
    sign_in(client, "robin")
    robin.set_password("another long password")
    robin.save()

    after = client.post(SECOND, {"code": code()})

    assert after["Location"].startswith("/accounts/login/")
    sign_in(client, "robin", "another long password")
    with clock.freeze_at(clock.now() + timedelta(minutes=11)):
        assert client.post(SECOND, {"code": code()})["Location"].startswith("/accounts/login/")
    assert who(client) == ""


def test_who_guesses_codes_waits_also_with_recovery_codes(client: Client, robin: User) -> None:
    with_app(robin)
    codes = recovery.draw(robin, AT)
    sign_in(client, "robin")

    told = [client.post(SECOND, {"code": wrong}).status_code for wrong in ("000000", "WRONG-CODE") * 3]

    assert told == [200] * 5 + [429]
    assert client.post(SECOND, {"code": codes[0]}).status_code == 429


def test_an_app_is_set_up_once_it_shows_its_code_and_comes_with_recovery_codes(client: Client, robin: User) -> None:
    sign_in(client, "robin")
    page = client.get(f"{SECURITY}app/")
    secret = _typed(page.context["secret"])

    wrong = client.post(f"{SECURITY}app/", {"code": "000000"})
    assert not AuthenticatorApp.objects.exists()
    right = client.post(f"{SECURITY}app/", {"code": code(secret=secret)})

    assert page.context["qr"].startswith("data:image/svg+xml")
    assert "This code is wrong" in wrong.content.decode()
    assert len(right.context["codes"]) == 10
    stored = AuthenticatorApp.objects.get(user=robin)
    assert secret not in stored.secret
    assert secret not in str(dict(client.session))
    assert sign_in(Client(), "robin")["Location"].startswith(SECOND)


def test_an_app_is_taken_away_only_after_what_comes_of_it_was_told(client: Client, robin: User) -> None:
    with_app(robin)
    recovery.draw(robin, AT)
    sign_in(client, "robin")
    client.post(SECOND, {"code": code()})

    page = client.get(SECURITY).content.decode()
    asked = client.get(f"{SECURITY}app/remove/").content.decode()
    held = AuthenticatorApp.objects.filter(user=robin).exists()
    done = client.post(f"{SECURITY}app/remove/", follow=True).content.decode()

    assert f'action="{SECURITY}app/remove/"' not in page
    assert f'href="{SECURITY}app/remove/"' in page
    assert held
    assert "your recovery codes go with it" in asked
    assert f'href="{SECURITY}"' in asked
    assert "It was taken away. Your recovery codes went with it." in done
    assert not AuthenticatorApp.objects.filter(user=robin).exists()
    assert client.get(f"{SECURITY}app/remove/").headers["Location"] == SECURITY


def test_who_signs_in_by_a_recovery_code_reads_how_many_are_left_and_goes_on(client: Client, robin: User) -> None:
    with_app(robin)
    codes = recovery.draw(robin, AT)
    sign_in(client, "robin")

    shown = client.post(SECOND, {"code": codes[0], "next": "/boards/"}, follow=True)

    text = shown.content.decode()
    assert shown.redirect_chain[-1][0].startswith(SECURITY)
    assert "You used a recovery code: 9 are left." in text
    assert 'href="/boards/">Go on' in text


def _typed(spelled: str) -> str:
    return b32decode(spelled.replace(" ", "")).hex()


def test_the_app_is_set_up_on_the_phone_that_shows_the_page_by_a_link_or_a_copy(client: Client, robin: User) -> None:
    sign_in(client, "robin")

    html = unescape(client.get("/accounts/security/app/").content.decode())

    secret = re.findall(r'<code class="secret">([A-Z2-7 ]+)</code>', html)[0].replace(" ", "")
    link = re.findall(r'href="(otpauth://totp/[^"]+)"', html)[0]
    assert f"secret={secret}" in link
    assert f'data-copy="{secret}"' in html


@pytest.mark.parametrize(
    ("address", "page"),
    [
        ("/accounts/security/passkeys/", "/accounts/security/"),
        ("/accounts/security/passkeys/challenge/", "/accounts/security/"),
        ("/accounts/security/codes/", "/accounts/security/"),
        ("/accounts/confirm/passkey/", "/accounts/confirm/"),
        ("/accounts/passkey/", "/accounts/login/"),
        ("/accounts/passkey/challenge/", "/accounts/login/"),
    ],
)
def test_an_address_that_takes_a_form_leads_to_the_form_where_it_is_only_opened(
    client: Client, robin: User, address: str, page: str
) -> None:
    with_app(robin)
    client.force_login(robin)

    opened = client.get(address)

    assert (opened.status_code, opened.headers["Location"]) == (302, page)
    assert AuthenticatorApp.objects.filter(user=robin).exists()
    assert client.put(address).status_code == 405


def test_who_has_no_app_is_asked_for_no_code_of_it(client: Client, robin: User) -> None:
    sign_in(client, "robin")
    add_passkey(client, Authenticator())
    other = Client()
    sign_in(other, "robin")

    html = other.get(SECOND).content.decode()

    assert "Recovery code" in html
    assert "authenticator app" not in html
