// Buttons that copy what stands in the element that they name; without a clipboard they stay hidden.

for (const button of document.querySelectorAll("[data-copies]")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent.trim());
      button.textContent = button.dataset.copied;
    } catch {
      button.textContent = button.dataset.refused; // the browser denied it
    }
  });
}
