// Shares the address in data-share: by the device's own sheet where there is one, else it is copied.

async function share(button) {
  const url = new URL(button.dataset.share, location.href).href;
  try {
    if (navigator.share) {
      await navigator.share({ title: document.title, url });
      return;
    }
    await navigator.clipboard.writeText(url);
    const label = button.querySelector("span") ?? button; // a sign may stand beside it
    const words = label.textContent;
    label.textContent = button.dataset.done;
    setTimeout(() => (label.textContent = words), 2000);
  } catch (error) {
    if (error.name !== "AbortError") location.assign(url); // the address bar then holds what can be copied
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-share]");
  if (button) share(button);
});
