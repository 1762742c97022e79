// Forms that use a passkey: fetch the challenge, let the browser sign it, and submit the form with the result. In
// browsers without passkeys the forms stay hidden; other ways to sign in remain.

const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const opened = (list) => (list ?? []).map((each) => ({ ...each, id: bytes(each.id) }));

function options({ publicKey }, kind) {
  const asked = { ...publicKey, challenge: bytes(publicKey.challenge) };
  if (kind === "get") return { ...asked, allowCredentials: opened(publicKey.allowCredentials) };
  const user = { ...publicKey.user, id: bytes(publicKey.user.id) };
  return { ...asked, user, excludeCredentials: opened(publicKey.excludeCredentials) };
}

function written(made) {
  const response = {};
  for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
    if (made.response[name]) response[name] = text(made.response[name]);
  }
  return JSON.stringify({ id: made.id, rawId: text(made.rawId), type: made.type, clientExtensionResults: {}, response });
}

// If the server refuses the challenge, show its reason, or else the sentence in the page.
class Refused extends Error {}

async function detailOf(answer) {
  try {
    return (await answer.json()).detail ?? "";
  } catch {
    return "";
  }
}

async function answered(form) {
  const body = new URLSearchParams({ csrfmiddlewaretoken: form.elements.csrfmiddlewaretoken.value });
  const answer = await fetch(form.dataset.challenge, { method: "POST", body, signal: AbortSignal.timeout(8000) });
  if (!answer.ok) throw new Refused(await detailOf(answer));
  const kind = form.dataset.passkey;
  return written(await navigator.credentials[kind]({ publicKey: options(await answer.json(), kind) }));
}

async function send(event) {
  event.preventDefault();
  const form = event.currentTarget;
  const failed = form.querySelector("[data-passkey-failed]");
  failed.hidden = true;
  failed.dataset.usual ??= failed.textContent;
  try {
    form.elements.credential.value = await answered(form);
  } catch (error) {
    failed.textContent = (error instanceof Refused && error.message) || failed.dataset.usual;
    failed.hidden = false;
    return;
  }
  form.submit();
}

if (window.PublicKeyCredential) {
  for (const form of document.querySelectorAll("form[data-passkey]")) {
    form.hidden = false;
    form.addEventListener("submit", send);
  }
}
