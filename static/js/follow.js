// Follows without leaving the page: forms of [data-follow] send the state that their button wants, and the button then
// wants the other one. Without this module, and where it gets no answer that it understands, the form is sent as usual.

async function send(form, button) {
  const body = new FormData(form, button);
  const headers = { Accept: "application/json" };
  const answer = await fetch(form.action, { method: "POST", body, headers, signal: AbortSignal.timeout(8000) });
  return answer.headers.get("Content-Type")?.startsWith("application/json") ? answer.json() : null;
}

function show(form, button, following) {
  const words = following ? form.dataset.unfollowWords : form.dataset.followWords;
  if (button.hasAttribute("aria-label")) button.setAttribute("aria-label", `${words}: ${form.dataset.followName}`);
  button.value = following ? "0" : "1";
  button.textContent = words;
  button.classList.toggle("is-main", !following);
}

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("[data-follow]");
  const button = event.submitter;
  if (!form || !button) return;
  event.preventDefault();
  if (form.dataset.busy) return; // the second press of two
  form.dataset.busy = "yes";
  try {
    const told = await send(form, button);
    if (told === null) throw new Error("no JSON");
    const said = form.querySelector(".follow-said");
    if (said) said.textContent = told.refused ?? "";
    if ("following" in told) show(form, button, told.following);
  } catch {
    form.removeAttribute("data-follow"); // as without scripts, which shows what is wrong
    form.requestSubmit(button);
  }
  delete form.dataset.busy;
});
