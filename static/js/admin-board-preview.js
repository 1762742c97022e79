// The preview of a board's settings follows the form as one types. Without this module the same
// preview stands there from the server, as of the last save.

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
      pane.classList.add("is-old"); // what stands there no longer follows the form
    }
    pane.removeAttribute("aria-busy");
  };

  const follow = () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, 200);
  };

  form.addEventListener("input", follow);
  form.addEventListener("change", follow);
}
