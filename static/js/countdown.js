// Counts <time data-countdown> down to its datetime, in the two greatest units, as the server spells them.

const sizes = [86_400, 3600, 60, 1];

function spelled(seconds, units) {
  const found = sizes.findIndex((size) => seconds >= size);
  const first = found < 0 ? 3 : found;
  const parts = [units[first].replace("#", Math.floor(seconds / sizes[first]))];
  if (first < 3) parts.push(units[first + 1].replace("#", Math.floor((seconds % sizes[first]) / sizes[first + 1])));
  return parts.join(" ");
}

function tick() {
  for (const time of document.querySelectorAll("time[data-countdown]")) {
    const seconds = Math.max(0, Math.floor((Date.parse(time.dateTime) - Date.now()) / 1000));
    const text = spelled(seconds, time.dataset.units.split("|"));
    if (time.textContent !== text) time.textContent = text;
  }
}

setInterval(() => document.hidden || tick(), 1000);
document.addEventListener("live:changed", tick);
document.addEventListener("visibilitychange", () => document.hidden || tick());
