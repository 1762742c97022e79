// The share menu: shows a page's `…/share/` as a dialog, copies texts, and hands links and pictures to the device's
// share sheet. Without scripts the links lead to that page, where all can be copied by hand.

let dialog;

function offer(menu) {
  const sends = Boolean(navigator.share);
  for (const each of menu.querySelectorAll("[data-copies]")) each.hidden = !navigator.clipboard;
  for (const each of menu.querySelectorAll("[data-sends]")) each.hidden = !sends;
  for (const each of menu.querySelectorAll("[data-sends-picture]")) each.hidden = !sends || !navigator.canShare;
}

async function open(link) {
  const asked = new URL(link.href);
  asked.searchParams.set("menu", "1");
  try {
    const answer = await fetch(asked);
    if (!answer.ok) throw new Error(answer.status);
    dialog ??= document.body.appendChild(document.createElement("dialog"));
    dialog.className = "share-dialog";
    dialog.setAttribute("aria-labelledby", "share-heading");
    dialog.innerHTML = await answer.text();
    offer(dialog);
    if (!dialog.open) dialog.showModal();
  } catch {
    location.assign(link.href);
  }
}

function done(button) {
  const words = button.textContent;
  document.querySelector("[data-share-said]").textContent = button.dataset.done;
  button.textContent = button.dataset.done;
  setTimeout(() => (button.textContent = words), 2000);
}

async function copy(button) {
  const field = document.getElementById(button.dataset.copies);
  try {
    await navigator.clipboard.writeText(field.value);
    done(button);
  } catch {
    field.select(); // it can then be copied with the keyboard
  }
}

async function send(button) {
  const title = button.dataset.title;
  try {
    if (button.dataset.sends) return await navigator.share({ title, url: button.dataset.sends });
    const picture = await (await fetch(button.dataset.sendsPicture)).blob();
    const files = [new File([picture], "sunwi.png", { type: "image/png" })];
    if (navigator.canShare({ files })) return await navigator.share({ title, files });
    button.closest(".share-ways").querySelector("a").click();
  } catch {
    // closed without sending
  }
}

document.addEventListener("click", (event) => {
  const hit = event.target.closest("[data-share-menu], [data-copies], [data-sends], [data-sends-picture]");
  if (!hit) return dialog && event.target === dialog && dialog.close();
  if (hit.dataset.copies) return copy(hit);
  if (!("shareMenu" in hit.dataset)) return send(hit);
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  open(hit);
});

offer(document);
