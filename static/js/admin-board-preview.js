// Updates the preview of a board's settings while the form is edited. Without this module the server's preview of the
// last save is shown.

const pane = document.querySelector("[data-board-preview]");

if (pane) {
  const form = pane.closest("form");
  const body = pane.querySelector("[data-board-preview-body]");
  let waiting = 0;
  let asked = null;

  const ask = async () => {
    asked?.abort(); // an older answer must not overtake a newer one
    asked = new AbortController();
    pane.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(pane.dataset.boardPreview, {
        method: "POST",
        body: new FormData(form),
        signal: asked.signal,
        redirect: "error",
      });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      body.innerHTML = await answer.text();
      pane.classList.remove("is-old");
    } catch (error) {
      if (error.name === "AbortError") return;
      pane.classList.add("is-old"); // the preview no longer matches the form
    }
    pane.removeAttribute("aria-busy");
  };

  const follow = () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, 200);
  };

  const period = form.elements.namedItem("period");
  const section = form.querySelector("#id_schedule")?.closest("details");
  let chosen;

  // A schedule's fields are in a closed section; after a refusal the form has them open, in no section.
  const reveal = () => {
    if (section && period?.value !== chosen && period.value === "schedule") section.open = true;
    chosen = period?.value;
  };

  reveal();
  form.addEventListener("input", reveal);
  form.addEventListener("input", follow);
  form.addEventListener("change", follow);
}
