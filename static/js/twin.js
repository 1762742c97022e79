// Opens the table of a drawing below the link that leads to it ([data-twin]), instead of leaving the page. The table comes
// from the link's address when it is first wanted, and again when the page has changed. It is marked [data-local], so
// patch.js leaves it where it is.

const root = document.querySelector(".board");
const tables = new Map(); // name → the element that holds the open table

function links() {
  return root.querySelectorAll("a[data-twin]");
}

function tell() {
  for (const link of links()) {
    link.setAttribute("role", "button");
    link.setAttribute("aria-expanded", tables.has(link.dataset.twin));
  }
}

async function load(link) {
  const answer = await fetch(link.href, { signal: AbortSignal.timeout(8000) });
  if (!answer.ok) throw new Error(`answered ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return page.querySelector(`.twin-inside[data-twin="${link.dataset.twin}"]`);
}

function show(holder, found) {
  const scrolled = holder.querySelector(".race-scroll")?.scrollLeft ?? 0;
  holder.replaceChildren(found);
  const now = holder.querySelector(".race-scroll");
  if (now) now.scrollLeft = scrolled;
}

async function open(link) {
  try {
    const found = await load(link);
    if (!found) throw new Error("no such table");
    const holder = document.createElement("div");
    holder.className = "twin-holder";
    holder.dataset.local = "";
    show(holder, found);
    link.after(holder);
    tables.set(link.dataset.twin, holder);
    tell();
  } catch {
    location.assign(link.href);
  }
}

function close(link) {
  tables.get(link.dataset.twin).remove();
  tables.delete(link.dataset.twin);
  tell();
}

async function renew() {
  tell();
  for (const link of links()) {
    const holder = tables.get(link.dataset.twin);
    if (!holder) continue;
    const found = await load(link).catch(() => undefined); // what was shown stays until the next change
    if (found && tables.get(link.dataset.twin) === holder) show(holder, found);
  }
}

root.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-twin]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (tables.has(link.dataset.twin)) close(link);
  else open(link);
});
root.addEventListener("keydown", (event) => {
  const link = event.key === " " && event.target.closest("a[data-twin]");
  if (!link) return;
  event.preventDefault();
  link.click();
});
document.addEventListener("live:changed", renew);
tell();
