// Gives each row of players a button that opens what can be done with it. Buttons are marked [data-local], so that patch.js
// leaves them where they are. On a touch screen they are always shown, elsewhere for the row under the pointer or in focus.
// Without scripts the row leads to the player's page, which offers the same.

const root = document.querySelector("[data-row-menu]");
const model = document.createElement("button");
const menu = document.createElement("div");
let asked = 0;
let opener; // the button whose menu is open

model.type = "button";
model.className = "row-more";
model.dataset.local = "";
model.setAttribute("aria-haspopup", "dialog");
menu.className = "row-menu";
menu.popover = "auto";
menu.setAttribute("role", "dialog");
document.body.append(menu);

function offer() {
  for (const head of root.querySelectorAll("[data-part] > .is-rows tr[data-key] > th")) {
    const label = root.dataset.more.replace("{name}", head.querySelector("bdi")?.textContent ?? "");
    const button = head.querySelector(":scope > .row-more") ?? head.appendChild(model.cloneNode());
    if (button.ariaLabel !== label) button.ariaLabel = label;
  }
}

function address(player) {
  const url = new URL(root.dataset.rowMenu.replace("/-/", `/${encodeURIComponent(player)}/`), location.href);
  url.searchParams.set("next", location.pathname + location.search);
  return url;
}

// Beside the button; on a phone the style sheet puts it at the foot of the screen.
function place(at) {
  const [width, height] = [menu.offsetWidth, menu.offsetHeight];
  const below = at.bottom + height < innerHeight;
  menu.style.setProperty("--top", `${Math.max(8, below ? at.bottom : at.top - height)}px`);
  menu.style.setProperty("--left", `${Math.max(8, Math.min(at.right - width, innerWidth - width - 8))}px`);
}

async function open(button) {
  const row = button.closest("tr");
  const turn = (asked += 1);
  try {
    const answer = await fetch(address(row.dataset.key), { signal: AbortSignal.timeout(8000) });
    if (!answer.ok) throw new Error(`answered ${answer.status}`);
    const found = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector(".row-menu-inside");
    if (turn !== asked) return;
    menu.replaceChildren(found);
    menu.ariaLabel = button.ariaLabel;
    opener = button;
    menu.showPopover();
    place(button.getBoundingClientRect());
    menu.querySelector("a, button")?.focus();
  } catch {
    const link = row.querySelector("th > p > a");
    if (link && turn === asked) location.assign(link.href);
  }
}

root.addEventListener("click", ({ target }) => {
  const button = target.closest(".row-more");
  if (button) open(button);
});
menu.addEventListener("toggle", ({ newState }) => {
  opener?.classList.toggle("is-open", newState === "open");
});
addEventListener("scroll", () => menu.hidePopover(), { passive: true });
document.addEventListener("live:changed", offer);
document.addEventListener("rows:keyed", offer); // where row-keys.js is in another bundle, which may come later
requestAnimationFrame(() => setTimeout(offer)); // the first frame is drawn before
