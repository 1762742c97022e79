// "/" focuses the search field, unless another field has the focus.

const field = document.querySelector("[data-search-key]");
const writes = "input, textarea, select, [contenteditable]";

addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (!field?.checkVisibility() || event.target.closest?.(writes)) return;
  event.preventDefault();
  field.focus();
  field.select();
});
