// Copies the text in data-copy. The button stays hidden if the browser cannot copy: without JavaScript, or over http.

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
