// Converts times to the reader's time zone. The server renders them in the zone in [data-zone], which stays in each
// title. If both zones are the same, nothing changes. The first frame does not wait for it: a browser's calendar takes
// as long to load as a tenth of all that comes before that frame.

const page = document.documentElement.lang;
const language = page === "en" ? "en-GB" : page; // day before month, as the server formats dates
const minute = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const second = { ...minute, second: "2-digit" };
const moment = { ...minute, weekday: "short", day: "numeric", month: "short" };

const day = (at) => at.toLocaleDateString(language);

function form(text, at, after) {
  const isSameDay = !after || day(new Date(after)) === day(at);
  if (/^[0-9:]+$/.test(text) && isSameDay) return text.length > 5 ? second : minute;
  const known = /:\d\d:\d\d/.test(text) ? { ...moment, second: "2-digit" } : moment;
  return at.getFullYear() === new Date().getFullYear() ? known : { ...known, year: "numeric" };
}

function retell() {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const place of document.querySelectorAll("[data-zone]")) {
    if (place.dataset.zone === own) continue;
    for (const time of place.querySelectorAll("time:not([data-countdown], [title])")) {
      time.title = `${time.textContent} ${place.dataset.zone}`;
      const at = new Date(time.dateTime);
      time.textContent = new Intl.DateTimeFormat(language, form(time.textContent, at, time.dataset.after)).format(at);
    }
    for (const tick of place.querySelectorAll("text[data-at]")) {
      tick.textContent = new Intl.DateTimeFormat(language, minute).format(new Date(tick.dataset.at));
    }
    for (const name of place.querySelectorAll(".zone")) name.textContent = own;
  }
}

requestAnimationFrame(() => setTimeout(retell));
document.addEventListener("live:changed", retell);
