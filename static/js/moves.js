// Animates standings after live.js has applied an answer: rows move to their new places, whole numbers count up, and a
// row whose points changed is highlighted with its gain. The face of a new leader turns once. With reduced motion there
// are no animations. The content is correct before any animation starts.

const still = matchMedia("(prefers-reduced-motion: reduce)");
const root = document.querySelector("[data-live]");
const lasting = { duration: 500, easing: "cubic-bezier(0.2, 0, 0, 1)" };
const counting = new Map(); // counting cell → its target and its next frame
let spelling; // made when it is needed: that takes long

function spelled(number) {
  spelling ??= new Intl.NumberFormat(document.documentElement.lang);
  return spelling.format(number);
}

const glow = 4000; // ms
const gains = new Map(); // player → their recent gain, and until when it is shown

let before = new Map(); // player → the earlier position of their row, and its points
let led; // the earlier leader

function rows() {
  return root.querySelectorAll('[data-part="top"] tbody tr[data-key]');
}

function note() {
  before = new Map();
  for (const row of rows()) {
    const cell = points(row);
    const shown = cell?.textContent;
    before.set(row.dataset.key, { top: row.getBoundingClientRect().top, points: shown, told: counting.get(cell)?.told ?? shown });
  }
  led = document.querySelector(".board-lead-words bdi")?.textContent;
  settle();
}

function points(row) {
  const cells = row.querySelectorAll(".result");
  if (cells.length) return cells.length === 1 ? cells[0] : undefined;
  return row.cells[row.cells.length - (row.closest(".has-gaps") ? 2 : 1)]; // found by place (row_html.py)
}

function travel(row, from) {
  for (const moving of row.getAnimations()) moving.cancel();
  row.classList.remove("is-moving");
  const shift = from - row.getBoundingClientRect().top;
  if (!shift) return;
  const farthest = Math.sign(shift) * Math.min(Math.abs(shift), innerHeight); // at most one screen height
  row.classList.add("is-moving");
  const moving = row.animate([{ transform: `translateY(${farthest}px)` }, { transform: "none" }], lasting);
  moving.finished.then(() => row.classList.remove("is-moving"), () => {});
}

function whole(text) {
  const number = Number(text.replace(/\D/g, ""));
  return spelled(number) === text ? number : undefined; // times, decimals and words do not count
}

function count(cell, from) {
  const told = cell.textContent;
  const [start, end] = [whole(from), whole(told)];
  if (start === undefined || end === undefined || start === end) return;
  const began = performance.now();
  const goOn = () => counting.set(cell, { told, frame: requestAnimationFrame(step) });
  const step = (now) => {
    const part = Math.min(1, Math.max(0, (now - began) / lasting.duration));
    cell.textContent = spelled(Math.round(start + (end - start) * part));
    if (part < 1) goOn();
    else counting.delete(cell);
  };
  goOn();
}

function light(row, cell, from) {
  const style = getComputedStyle(row);
  const [up, surface] = ["--up", "--surface"].map((name) => style.getPropertyValue(name).trim());
  // Opaque: the viewer's own row is pinned, and rows scroll behind it.
  const lit = { backgroundColor: `color-mix(in srgb, ${up} 14%, ${surface})`, offset: 0 };
  const isGrid = style.display === "grid"; // on a phone, where the cells do not fill the row
  for (const each of isGrid ? [row] : row.children) each.animate([lit], { duration: glow, easing: "ease-in" });
  const by = whole(cell.textContent) - whole(from);
  if (by > 0) gains.set(row.dataset.key, { words: `+${spelled(by)}`, until: Date.now() + glow });
}

function tellGains() {
  for (const row of rows()) {
    const gain = gains.get(row.dataset.key);
    const today = row.querySelector(".has-today th + td + td");
    const cell = today?.checkVisibility() ? today : points(row);
    if (!cell || !gain) continue;
    if (gain.until > Date.now()) cell.dataset.gain = gain.words;
    else {
      delete cell.dataset.gain;
      gains.delete(row.dataset.key);
    }
  }
}

function turnLeader() {
  const now = document.querySelector(".board-lead-words bdi")?.textContent;
  if (!led || !now || led === now) return;
  const turn = [{ transform: "perspective(20rem) rotateX(90deg)" }, { transform: "none" }];
  document.querySelector(".board-lead > .face")?.animate(turn, { duration: 900, easing: "cubic-bezier(0.2, 0, 0, 1)" });
}

function settle() {
  for (const [cell, { told, frame }] of counting) {
    cancelAnimationFrame(frame);
    cell.textContent = told;
  }
  counting.clear();
}

document.addEventListener("live:changing", note);
document.addEventListener("live:changed", () => {
  if (still.matches || document.hidden || !before.size) return;
  for (const row of rows()) {
    const was = before.get(row.dataset.key);
    const cell = points(row);
    if (was) travel(row, was.top);
    else row.animate([{ opacity: 0 }, { opacity: 1 }], lasting);
    if (!was?.points || !cell) continue;
    if (was.told !== cell.textContent) light(row, cell, was.told);
    count(cell, was.points);
  }
  tellGains();
  setTimeout(tellGains, glow + 100);
  turnLeader();
});
