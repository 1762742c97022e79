// Shows who has gained: their row glows for some seconds, and what they gained stands for what they have gained today.
// And when somebody new leads, the line of the leader draws itself. Nothing of that for those who want less motion.

const still = matchMedia("(prefers-reduced-motion: reduce)");
const root = document.querySelector("[data-live]");
const lasting = 4000; // ms
const drawing = 900;
const spelling = new Intl.NumberFormat(document.documentElement.lang);
const lit = new Map(); // player → what is told, until when

let before = new Map(); // player → their points
let leader;

function rows() {
  return [...root.querySelectorAll('[data-part="top"] tbody tr[data-key]')];
}

function points(row) {
  const cells = row.querySelectorAll(".result");
  const number = cells.length === 1 ? Number(cells[0].textContent.replace(/\D/g, "")) : NaN;
  return cells.length === 1 && spelling.format(number) === cells[0].textContent ? number : undefined;
}

function note() {
  const shown = rows();
  before = new Map(shown.map((row) => [row.dataset.key, points(row)]));
  leader = shown[0]?.dataset.key;
}

function light(row) {
  const told = lit.get(row.dataset.key);
  row.classList.toggle("is-gaining", Boolean(told));
  const today = row.querySelector(".today");
  if (told) today?.setAttribute("data-gain", told.text);
  else today?.removeAttribute("data-gain");
}

function goOut(player, told) {
  if (lit.get(player) !== told) return;
  lit.delete(player);
  rows().filter((row) => row.dataset.key === player).forEach(light);
}

function gained(row) {
  const [was, has] = [before.get(row.dataset.key), points(row)];
  if (was === undefined || has === undefined || has <= was) return;
  const told = { text: `+${spelling.format(has - was)}` };
  lit.set(row.dataset.key, told);
  setTimeout(goOut, lasting, row.dataset.key, told);
}

function draw() {
  const line = root.querySelector(".race-line.is-1");
  if (!line) return;
  line.setAttribute("pathLength", "1");
  line.classList.add("is-drawing");
  setTimeout(() => {
    line.classList.remove("is-drawing");
    line.removeAttribute("pathLength");
  }, drawing);
}

document.addEventListener("live:changing", note);
document.addEventListener("live:changed", () => {
  if (still.matches || document.hidden || !before.size) return;
  const shown = rows();
  for (const row of shown) {
    gained(row);
    light(row); // the answer took the marks away
  }
  if (leader && shown[0] && shown[0].dataset.key !== leader) draw();
});
