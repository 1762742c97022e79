// Sends likes without leaving the page. A button shows the wanted state at once and sends it (the state, not a toggle),
// one request at a time, and then shows the server's answer. The last press wins; after a failure the button reverts.

const form = document.querySelector("[data-likes]");
const said = document.querySelector("[data-like-said]");
const numbers = new Intl.NumberFormat(document.documentElement.lang);
const known = new WeakMap(); // button → the server's last state, the wanted state, whether a request is pending

function stateOf(button) {
  if (!known.has(button)) {
    const liked = button.getAttribute("aria-pressed") === "true";
    known.set(button, { liked, count: Number(button.dataset.count), wanted: liked, busy: false });
  }
  return known.get(button);
}

function show(button, liked, text) {
  button.setAttribute("aria-pressed", String(liked));
  button.value = liked ? "0" : "1";
  button.querySelector("[data-like-count]").textContent = text;
}

function showWanted(button, state) {
  const more = Number(state.wanted) - Number(state.liked);
  show(button, state.wanted, numbers.format(Math.max(0, state.count + more)));
}

function settle(button, state, answer) {
  Object.assign(state, { liked: answer.liked, count: answer.count });
  if (state.wanted !== state.liked) return;
  show(button, answer.liked, answer.text);
  button.setAttribute("aria-label", answer.label);
  const who = button.parentElement.querySelector("[data-like-who]");
  who.textContent = answer.who;
  who.hidden = answer.count === 0;
}

async function ask(button, liked) {
  const body = new FormData(form);
  body.set("liked", liked ? "1" : "0");
  const headers = { Accept: "application/json" };
  const answer = await fetch(button.formAction, { method: "POST", body, headers, signal: AbortSignal.timeout(8000) });
  const told = answer.headers.get("Content-Type")?.startsWith("application/json") ? await answer.json() : {};
  if (told.sign_in) location.assign(told.sign_in);
  if (!answer.ok) throw new Error(told.refused ?? "");
  return told;
}

async function send(button, state) {
  state.busy = true;
  try {
    while (state.wanted !== state.liked) {
      const sent = state.wanted;
      const answer = await ask(button, sent);
      if (answer.liked !== sent && state.wanted === sent) state.wanted = answer.liked;
      settle(button, state, answer);
    }
  } catch (error) {
    state.wanted = state.liked;
    showWanted(button, state);
    said.textContent = error.name === "Error" && error.message ? error.message : form.dataset.lost;
  }
  state.busy = false;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest('button[form="likes"]');
  if (!button) return;
  event.preventDefault();
  if (event.detail > 1) return; // the second click of a double click, which means one like
  const state = stateOf(button);
  state.wanted = !state.wanted;
  said.textContent = "";
  showWanted(button, state);
  if (!state.busy) send(button, state);
});
