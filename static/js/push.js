// Subscribes this browser to notices, or takes that back: asks the browser, and posts what it answers. Without a way to
// be told here the buttons stay hidden, and the page says why.

const place = document.querySelector("[data-push]");
const form = place.querySelector("[data-push-form]");
const say = (name) => place.querySelector(`[data-push-${name}]`).removeAttribute("hidden");
const decoded = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
const encoded = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

function send(subscription, wanted) {
  form.elements.endpoint.value = subscription.endpoint;
  form.elements.browser_key.value = encoded(subscription.getKey("p256dh"));
  form.elements.secret.value = encoded(subscription.getKey("auth"));
  form.elements.wanted.value = wanted;
  form.submit();
}

async function begin() {
  if ((await Notification.requestPermission()) !== "granted") {
    say("refused");
    return;
  }
  const worker = await navigator.serviceWorker.register(place.dataset.worker);
  await navigator.serviceWorker.ready;
  const wanted = { userVisibleOnly: true, applicationServerKey: decoded(place.dataset.push) };
  try {
    send(await worker.pushManager.subscribe(wanted), "1");
  } catch {
    say("failed");
  }
}

async function end(subscription) {
  await subscription.unsubscribe();
  send(subscription, "0");
}

async function offer() {
  if (!("serviceWorker" in navigator && "PushManager" in window && "Notification" in window)) {
    say("none");
    return;
  }
  const worker = await navigator.serviceWorker.getRegistration();
  let subscription = await worker?.pushManager.getSubscription();
  // The site may have another key since; what was subscribed with the one before is of no use.
  const key = subscription?.options.applicationServerKey;
  if (key && encoded(key) !== place.dataset.push) {
    await subscription.unsubscribe();
    subscription = null;
  }
  const button = place.querySelector(subscription ? "[data-push-off]" : "[data-push-on]");
  button.addEventListener("click", () => (subscription ? end(subscription) : begin()));
  button.hidden = false;
}

offer();
