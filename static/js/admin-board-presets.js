// A preset fills the form in place and keeps the typed name. Without this module each preset is a link to a form that
// is already filled. `board:preset` tells others what it has set.

const form = document.querySelector("#board_form");
const presets = [...document.querySelectorAll("[data-preset]")];
const titles = presets.map((preset) => preset.textContent.trim());

const choose = (preset) => {
  const settings = JSON.parse(preset.dataset.preset);
  for (const [name, value] of Object.entries(settings)) {
    const field = form.elements.namedItem(name);
    if (field) field.value = value;
  }
  const name = form.elements.namedItem("name");
  if (!name.value || titles.includes(name.value)) name.value = preset.textContent.trim();
  for (const each of presets) each.toggleAttribute("aria-current", each === preset);
  form.dispatchEvent(new CustomEvent("board:preset", { detail: settings }));
  form.dispatchEvent(new Event("input", { bubbles: true }));
};

for (const preset of presets) {
  preset.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(preset);
  });
}
