// Plays [data-reveal]: the rows are hidden at first, then shown one by one from the last to the first, with the space
// bar, an arrow key or the button, or automatically. The pauses before the best three are longer. Each row is announced
// to screen readers. The latest row is also shown large on the stage.

const root = document.querySelector("[data-reveal]");
const rows = [...root.querySelectorAll("li")];
const controls = root.querySelector("[data-reveal-controls]");
const stage = root.querySelector("[data-reveal-stage]");
const said = root.querySelector("[data-reveal-said]");
const [next, play, all] = ["next", "play", "all"].map((name) => root.querySelector(`[data-reveal-${name}]`));
const words = { play: play.textContent, pause: play.dataset.pause };
const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
const pause = 900;
const longPause = 3000;

let left = rows.length;
let timer;

function show() {
  if (left === 0) return stop();
  left -= 1;
  const row = rows[left];
  row.hidden = false;
  row.classList.add("is-new");
  rows[left + 1]?.classList.remove("is-new");
  raise(row);
  row.scrollIntoView({ block: "center", behavior: calm ? "auto" : "smooth" });
  said.textContent = row.textContent.replace(/\s+/g, " ").trim();
  if (left === 0) stop();
}

function raise(row) {
  const rank = row.querySelector(".reveal-rank").textContent.trim();
  stage.replaceChildren(...[...row.children].map((each) => each.cloneNode(true)));
  const place = [...row.classList].find((each) => /^is-\d+$/.test(each)) ?? "";
  stage.className = `reveal-stage ${place}`;
  name(rows.filter((each) => each !== row && !each.hidden && each.classList.contains(place)));
  stage.classList.toggle("is-long", rank.length > 2);
  stage.hidden = false;
}

// Nobody of those who share a place is left out: who was shown before stands on the stage by name.
function name(equals) {
  if (equals.length === 0) return;
  const names = equals.slice(0, 4).map((each) => each.querySelector(".reveal-name").textContent);
  const more = equals.length > names.length ? ` +${equals.length - names.length}` : "";
  const text = `= ${names.join(" · ")}${more}`;
  stage.append(Object.assign(document.createElement("span"), { className: "reveal-equals", textContent: text }));
}

function stop() {
  clearTimeout(timer);
  timer = undefined;
  play.textContent = words.play;
  next.disabled = play.disabled = all.disabled = left === 0;
}

function tick() {
  show();
  if (left > 0) timer = setTimeout(tick, left <= 3 ? longPause : pause);
}

function toggle() {
  if (timer !== undefined) return stop();
  play.textContent = words.pause;
  tick();
}

function showAll() {
  for (const row of rows) row.hidden = false;
  if (rows.length) raise(rows[0]);
  left = 0;
  stop();
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest("button, a") && event.key === " ") return; // the space bar activates the focused element
  if (![" ", "ArrowUp", "ArrowRight", "PageUp"].includes(event.key) || left === 0) return;
  event.preventDefault();
  show();
}

for (const row of rows) row.hidden = true;
if (rows.length > 0) controls.hidden = stage.hidden = false;
stage.classList.toggle("is-long", rows.length > 9);
root.classList.add("is-ready");
next.addEventListener("click", show);
play.addEventListener("click", toggle);
all.addEventListener("click", showAll);
document.addEventListener("keydown", onKey);
