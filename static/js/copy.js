// Copies what stands in data-copy. The button stays hidden where the browser cannot: without JavaScript, or over plain http.

function offer(button) {
  const words = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = button.dataset.done;
    setTimeout(() => (button.textContent = words), 2000);
  });
}

if (navigator.clipboard) document.querySelectorAll("[data-copy]").forEach(offer);
