"""The addresses of the pages of accounts."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from accounts.mail_urls import ROUTES
from accounts.views import confirm, passwords, privacy, restore_email, security, sign_in, sign_up
from foundation.http.own_transactions import own_transactions

urlpatterns = [
    path("accounts/login/", sign_in.SignIn.as_view(), name="login"),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
    path("accounts/second-factor/", sign_in.second_factor, name="account-second-factor"),
    path("accounts/passkey/", sign_in.passkey_sign_in, name="account-passkey-sign-in"),
    path("accounts/passkey/challenge/", sign_in.passkey_challenge, name="account-passkey-challenge"),
    path("accounts/confirm/", confirm.confirm, name="account-confirm"),
    path("accounts/confirm/passkey/", confirm.confirm_by_passkey, name="account-confirm-passkey"),
    path("accounts/password/", passwords.change_password, name="account-password"),
    path(ROUTES["account-reset"], passwords.reset, name="account-reset"),
    path("accounts/reset/done/", passwords.reset_done, name="account-reset-done"),
    path(ROUTES["account-reset-confirm"], passwords.ResetConfirm.as_view(), name="account-reset-confirm"),
    path("accounts/sign-up/", sign_up.sign_up, name="account-sign-up"),
    path(ROUTES["account-sign-up-finish"], sign_up.sign_up_finish, name="account-sign-up-finish"),
    path(ROUTES["account-invitation"], sign_up.invitation, name="account-invitation"),
    path("accounts/privacy/", privacy.privacy, name="privacy"),
    path("accounts/email/", sign_up.email, name="account-email"),
    path(ROUTES["account-email-confirm"], sign_up.email_confirm, name="account-email-confirm"),
    path(ROUTES["account-email-back"], restore_email.restore_email, name="account-email-back"),
    path("accounts/security/", security.security, name="account-security"),
    path("accounts/security/app/", security.app, name="account-app"),
    path("accounts/security/app/remove/", security.remove_app, name="account-app-remove"),
    path("accounts/security/passkeys/", security.add_passkey, name="account-passkey-add"),
    path("accounts/security/passkeys/challenge/", security.passkey_challenge, name="account-passkey-new-challenge"),
    path("accounts/security/passkeys/<int:number>/remove/", security.remove_passkey, name="account-passkey-remove"),
    path("accounts/security/codes/", security.recovery_codes, name="account-codes"),
]
own_transactions(urlpatterns)
