// Gives the row under the pointer, or with the keyboard's focus, a button that opens what can be done with it. There is
// one such button, marked [data-local] so that patch.js leaves it alone. Without scripts the row's name leads to the
// player's page, which offers the same.

const root = document.querySelector("[data-row-menu]");
const button = document.createElement("button");
const menu = document.createElement("div");
let asked = 0;

button.type = "button";
button.className = "row-more";
button.dataset.local = "";
button.setAttribute("aria-haspopup", "dialog");
menu.className = "row-menu";
menu.popover = "auto";
menu.setAttribute("role", "dialog");
document.body.append(menu);

function offer({ target }) {
  const row = target.closest?.("tr[data-key]:not(.is-me)");
  const isHeld = menu.matches(":popover-open") || button.matches(":focus-visible");
  if (!row || isHeld || button.closest("tr") === row) return;
  const name = row.querySelector("th bdi")?.textContent ?? "";
  button.setAttribute("aria-label", root.dataset.more.replace("{name}", name));
  row.querySelector("th")?.append(button);
}

function address(player) {
  const url = new URL(root.dataset.rowMenu.replace("/-/", `/${encodeURIComponent(player)}/`), location.href);
  url.searchParams.set("next", location.pathname + location.search);
  return url;
}

function place() {
  const at = button.getBoundingClientRect();
  const [width, height] = [menu.offsetWidth, menu.offsetHeight];
  const below = at.bottom + height < innerHeight;
  menu.style.top = `${Math.max(8, below ? at.bottom : at.top - height)}px`;
  menu.style.left = `${Math.max(8, Math.min(at.right - width, innerWidth - width - 8))}px`;
}

async function open() {
  const player = button.closest("tr")?.dataset.key;
  const turn = (asked += 1);
  if (!player) return;
  try {
    const answer = await fetch(address(player), { signal: AbortSignal.timeout(8000) });
    if (!answer.ok) throw new Error(`answered ${answer.status}`);
    const found = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector(".row-menu-inside");
    if (turn !== asked) return;
    menu.replaceChildren(found);
    menu.setAttribute("aria-label", button.getAttribute("aria-label"));
    menu.showPopover();
    place();
    menu.querySelector("a, button")?.focus();
  } catch {
    const link = button.closest("tr")?.querySelector("th > p > a");
    if (link && turn === asked) location.assign(link.href);
  }
}

root.addEventListener("pointerover", offer);
root.addEventListener("focusin", offer);
button.addEventListener("click", open);
addEventListener("scroll", () => menu.hidePopover(), { passive: true });
