"""Web push on the settings' page of notices: subscribe this browser, unsubscribe it or all, and the worker script."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe

from competitions.models import PushSubscription
from competitions.services.notices.push import Device, subscribe, unsubscribe
from competitions.views.access import player_required
from foundation import clock
from foundation.errors import SunwiError
from foundation.push.keys import public_key
from foundation.sunwi_settings import sunwi_settings
from foundation.throttling.rate_limit import throttle
from foundation.translate import translated
from leaderboards.models import Player


@require_POST
@player_required
def push(request: HttpRequest, player: Player) -> HttpResponse:
    """Subscribe the posted browser (``wanted=1``), or unsubscribe it, or all where no ``endpoint`` is posted."""
    if not sunwi_settings.PUSH_KEY:
        raise Http404
    typed = request.POST
    try:
        throttle("profile", player.pk)
        if typed.get("wanted") == "1":
            device = Device(typed.get("endpoint", ""), typed.get("browser_key", ""), typed.get("secret", ""))
            subscribe(player, device, clock.now())
            messages.success(request, _("This browser tells you from now on."))
        else:
            unsubscribe(player, typed.get("endpoint", ""))
            messages.success(request, _("Saved."))
    except SunwiError as error:
        messages.error(request, translated(error.detail))
    return redirect("inbox-settings")


@require_safe
@cache_control(max_age=3600)
def push_worker(request: HttpRequest) -> HttpResponse:
    """Answer the script that shows messages while no page is open. Its address, at the root, never changes."""
    return render(request, "competitions/push_worker.js", content_type="text/javascript; charset=utf-8")


def push_offer(player: Player) -> dict[str, object]:
    """Return what the page of settings needs: the site's public key (empty: no web push), the number of browsers."""
    if not sunwi_settings.PUSH_KEY:
        return {"push_key": "", "push_devices": 0}
    devices = PushSubscription.objects.filter(player=player).count()
    return {"push_key": public_key(sunwi_settings.PUSH_KEY), "push_devices": devices}
