// Times of a competition are typed in its own time zone, so "Now", "Today" and the line beneath use that zone. Django's
// shortcuts read a UTC offset from an attribute of the body; this module sets the competition's offset there.

const chosen = document.querySelector("#id_timezone");
const clock = document.querySelector("[data-event-clock]");
const zone = () => chosen?.value || clock.dataset.eventClock;

const face = (zone, at) => {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  }).formatToParts(at);
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
};

const show = () => {
  const at = new Date();
  let shown;
  try {
    shown = face(zone(), at);
  } catch {
    clock.hidden = true; // unknown zone: saving the form reports it
    return;
  }
  const { year, month, day, hour, minute, second } = shown;
  const there = Date.UTC(year, month - 1, day, hour, minute, second);
  document.body.dataset.adminUtcOffset = Math.round((there - at.setMilliseconds(0)) / 1000);
  clock.hidden = false;
  clock.querySelector("time").textContent = `${year}-${month}-${day} ${hour}:${minute}`;
  clock.querySelector("[data-zone]").textContent = zone();
};

show();
setInterval(show, 1000);
chosen?.addEventListener("input", show);
