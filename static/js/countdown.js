// Counts <time data-countdown> down to its datetime, in the two largest units, in the server's wording; also the tiles
// after it, one for each digit, whose units do not change.

const sizes = [86_400, 3600, 60, 1];

function spelled(seconds, units) {
  const found = sizes.findIndex((size) => seconds >= size);
  const first = found < 0 ? 3 : found;
  const parts = [units[first].replace("#", Math.floor(seconds / sizes[first]))];
  if (first < 3) parts.push(units[first + 1].replace("#", Math.floor((seconds % sizes[first]) / sizes[first + 1])));
  return parts.join(" ");
}

function write(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

function lay(tiles, seconds, units) {
  const first = seconds >= sizes[0] ? 0 : 1;
  const names = units.map((each) => each.replace("#", "").trim());
  [...tiles.children].forEach((group, nth) => {
    const size = sizes[first + nth];
    const number = Math.floor((first + nth ? seconds % sizes[first + nth - 1] : seconds) / size);
    const digits = group.querySelectorAll(".tiles-digit");
    const text = String(number).padStart(digits.length, "0");
    digits.forEach((digit, place) => write(digit, text[place]));
    write(group.lastElementChild, names[first + nth]);
  });
}

function tick() {
  for (const time of document.querySelectorAll("time[data-countdown]")) {
    const seconds = Math.max(0, Math.floor((Date.parse(time.dateTime) - Date.now()) / 1000));
    const units = time.dataset.units.split("|");
    write(time, spelled(seconds, units));
    const tiles = time.nextElementSibling;
    if (tiles?.matches("[data-tiles]")) lay(tiles, seconds, units);
  }
}

setInterval(() => document.hidden || tick(), 1000);
document.addEventListener("live:changed", tick);
document.addEventListener("visibilitychange", () => document.hidden || tick());
