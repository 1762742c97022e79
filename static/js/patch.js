// Applies the answers of live.js to the parts of [data-live]. It changes the existing elements, which are matched by
// data-key where they have one. While a pointer is down on a part or its text is selected, the latest answer waits;
// `data-held` says that a selection holds it back.

const root = document.querySelector("[data-live]");
const afterTouch = 300; // ms; after a touch, the click event comes a moment later
const known = new Map(); // part → its HTML as last sent by the server
const pressing = new Set(); // pointers that are down
let waiting;

function put(text) {
  document.dispatchEvent(new CustomEvent("live:changing"));
  const page = new DOMParser().parseFromString(text, "text/html");
  document.dispatchEvent(new CustomEvent("live:parsed", { detail: page }));
  for (const fresh of page.querySelectorAll("[data-part]")) {
    const name = fresh.dataset.part;
    const old = root.querySelector(`[data-part="${name}"]`);
    const source = fresh.outerHTML;
    if (!old || known.get(name) === source) continue;
    known.set(name, source);
    keepingFocus(old, () => (old.localName === fresh.localName ? patch(old, fresh) : old.replaceWith(fresh)));
  }
  document.dispatchEvent(new CustomEvent("live:changed"));
}

function keepingFocus(part, change) {
  const held = part.contains(document.activeElement) ? document.activeElement : null;
  change();
  if (held?.isConnected && held !== document.activeElement) held.focus({ preventScroll: true });
}

function patch(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeType !== Node.ELEMENT_NODE) {
    old.data = fresh.data;
    return;
  }
  patchAttributes(old, fresh);
  patchChildren(old, fresh);
}

function patchAttributes(old, fresh) {
  const ofReader = (name) => name === "open" && old.localName === "details";
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !ofReader(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && !ofReader(name)) old.setAttribute(name, value);
  }
}

function patchChildren(old, fresh) {
  const keyed = new Map([...old.children].filter((each) => each.dataset.key).map((each) => [each.dataset.key, each]));
  let spot = ofServer(old.firstChild);
  for (const wanted of [...fresh.childNodes]) {
    const twin = [spot, keyed.get(wanted.dataset?.key)].find((each) => each && alike(each, wanted));
    if (twin && twin === spot) spot = ofServer(spot.nextSibling);
    else old.insertBefore(twin ?? document.adoptNode(wanted), spot);
    if (!twin) continue;
    keyed.delete(wanted.dataset?.key);
    patch(twin, wanted);
  }
  while (spot) {
    const following = ofServer(spot.nextSibling);
    spot.remove();
    spot = following;
  }
}

// What another module has put there, marked data-local, is none of the server's and stays.
function ofServer(node) {
  let here = node;
  while (here?.dataset?.local !== undefined) here = here.nextSibling;
  return here;
}

function alike(one, other) {
  return one.nodeName === other.nodeName && one.dataset?.key === other.dataset?.key;
}

function isSelected() {
  const selection = getSelection();
  return selection.type === "Range" && selection.getRangeAt(0).intersectsNode(root);
}

function tryNow() {
  const selected = isSelected();
  root.toggleAttribute("data-held", selected && waiting !== undefined);
  if (waiting === undefined || selected || pressing.size) return;
  const text = waiting;
  waiting = undefined;
  put(text);
}

function letGo({ pointerId }) {
  setTimeout(() => pressing.delete(pointerId) && tryNow(), afterTouch);
}

document.addEventListener("live:answer", ({ detail }) => {
  waiting = detail;
  tryNow();
});
root.addEventListener("pointerdown", ({ button, pointerId }) => button === 0 && pressing.add(pointerId));
for (const name of ["pointerup", "pointercancel"]) addEventListener(name, letGo);
for (const name of ["blur", "contextmenu"]) { // after these some browsers send no pointerup
  addEventListener(name, () => {
    pressing.clear();
    tryNow();
  });
}
document.addEventListener("selectionchange", tryNow);
