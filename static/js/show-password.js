// Shows the text of a password field while its button is pressed. Without JavaScript there is no button.

function offer(button) {
  const field = document.getElementById(button.getAttribute("aria-controls"));
  const show = (shown) => {
    field.type = shown ? "text" : "password";
    button.setAttribute("aria-pressed", String(shown));
  };
  button.hidden = false;
  button.addEventListener("click", () => show(field.type === "password"));
  // Browsers store the values of text fields for autocompletion.
  field.form.addEventListener("submit", () => show(false));
}

document.querySelectorAll("[data-show-password]").forEach(offer);
