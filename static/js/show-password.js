// Shows what is typed into a password's field while its button is pressed down. Without JavaScript there is no button.

function offer(button) {
  const field = document.getElementById(button.getAttribute("aria-controls"));
  const show = (shown) => {
    field.type = shown ? "text" : "password";
    button.setAttribute("aria-pressed", String(shown));
  };
  button.hidden = false;
  button.addEventListener("click", () => show(field.type === "password"));
  // Browsers keep what was typed into a text's field, to propose it again.
  field.form.addEventListener("submit", () => show(false));
}

document.querySelectorAll("[data-show-password]").forEach(offer);
