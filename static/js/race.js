// When somebody new takes the lead, their line of the race draws itself. Not for those who want less motion.

const still = matchMedia("(prefers-reduced-motion: reduce)");
const root = document.querySelector("[data-live]");
const drawing = 900; // ms

let leader;

function first() {
  return root.querySelector('[data-part="top"] tbody tr[data-key]')?.dataset.key;
}

function draw(line) {
  line.setAttribute("pathLength", "1");
  line.classList.add("is-drawing");
  setTimeout(() => {
    line.classList.remove("is-drawing");
    line.removeAttribute("pathLength");
  }, drawing);
}

document.addEventListener("live:changing", () => {
  leader = first();
});
document.addEventListener("live:changed", () => {
  const line = root.querySelector(".race-line.is-1");
  if (line && leader && first() !== leader && !still.matches && !document.hidden) draw(line);
});
