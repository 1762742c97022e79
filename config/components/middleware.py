"""The middleware around pages, and around the API's views: the first of a list is outermost."""

PAGES = [
    "foundation.monitoring.request_ids.RequestIds",
    "foundation.http.fast_path.ApiFastPath",
    "django.middleware.security.SecurityMiddleware",
    "foundation.http.middleware.ApiHttpsOnly",
    "leaderboards.middleware.NotModifiedMiddleware",
    "foundation.http.page_middleware.ContentSecurityPolicy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "foundation.http.page_middleware.PageLanguages",
    "foundation.http.middleware.PageThrottle",
    "likes.middleware.GuestVisits",
    "leaderboards.middleware.CachedPagesMiddleware",
    "foundation.http.page_middleware.PageSessions",
    "django.middleware.common.CommonMiddleware",
    "foundation.http.uploads.BodySizeLimit",
    "django.middleware.csrf.CsrfViewMiddleware",
    "accounts.middleware.AccountLogins",
    "foundation.audit.middleware.AuditMiddleware",
    "foundation.http.page_middleware.PageMessages",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "foundation.http.middleware.ServersUnavailable",
    "likes.middleware.UserVisits",
]

# Only middleware that needs no view hooks (``foundation/http/fast_path.py``).
API = [
    "django.middleware.security.SecurityMiddleware",
    "foundation.http.middleware.ApiHttpsOnly",
    "foundation.http.page_middleware.ContentSecurityPolicy",
    "django.middleware.common.CommonMiddleware",
    "foundation.audit.middleware.AuditMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
