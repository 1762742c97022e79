// Shares the address in data-share with the device's share sheet, or copies it if there is none.

async function share(button) {
  const url = new URL(button.dataset.share, location.href).href;
  try {
    if (navigator.share) {
      await navigator.share({ title: document.title, url });
      return;
    }
    await navigator.clipboard.writeText(url);
    const label = button.querySelector("span") ?? button; // an icon may be beside it
    const words = label.textContent;
    label.textContent = button.dataset.done;
    setTimeout(() => (label.textContent = words), 2000);
  } catch (error) {
    if (error.name !== "AbortError") location.assign(url); // the address can then be copied from the address bar
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-share]");
  if (button) share(button);
});
