// Lets rows of standings travel to their new places, and whole numbers count on, when live.js has put in an
// answer. Nothing travels for those who want less motion; what stands there is right from the first moment.

const still = matchMedia("(prefers-reduced-motion: reduce)");
const root = document.querySelector("[data-live]");
const lasting = { duration: 500, easing: "cubic-bezier(0.2, 0, 0, 1)" };
const counting = new Map(); // cell that counts on → what it was told, and its next frame
const spelling = new Intl.NumberFormat(document.documentElement.lang);

let before = new Map(); // player → where their row was, and its points

function rows() {
  return root.querySelectorAll('[data-part="top"] tbody tr[data-key]');
}

function note() {
  before = new Map();
  for (const row of rows()) {
    before.set(row.dataset.key, { top: row.getBoundingClientRect().top, points: points(row)?.textContent });
  }
  settle();
}

function points(row) {
  const cells = row.querySelectorAll(".result");
  return cells.length === 1 ? cells[0] : undefined;
}

function travel(row, from) {
  for (const moving of row.getAnimations()) moving.cancel();
  row.classList.remove("is-moving");
  const shift = from - row.getBoundingClientRect().top;
  if (!shift) return;
  const farthest = Math.sign(shift) * Math.min(Math.abs(shift), innerHeight); // from beyond the screen is far enough
  row.classList.add("is-moving");
  const moving = row.animate([{ transform: `translateY(${farthest}px)` }, { transform: "none" }], lasting);
  moving.finished.then(() => row.classList.remove("is-moving"), () => {});
}

function whole(text) {
  const number = Number(text.replace(/\D/g, ""));
  return spelling.format(number) === text ? number : undefined; // times, decimals and words do not count on
}

function count(cell, from) {
  const told = cell.textContent;
  const [start, end] = [whole(from), whole(told)];
  if (start === undefined || end === undefined || start === end) return;
  const began = performance.now();
  const goOn = () => counting.set(cell, { told, frame: requestAnimationFrame(step) });
  const step = (now) => {
    const part = Math.min(1, Math.max(0, (now - began) / lasting.duration));
    cell.textContent = spelling.format(Math.round(start + (end - start) * part));
    if (part < 1) goOn();
    else counting.delete(cell);
  };
  goOn();
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
    if (was?.points && cell) count(cell, was.points);
  }
});
