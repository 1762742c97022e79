// Keeps the parts of [data-live] as they are on the server: asks every few seconds, later where a crowd follows (the
// server says when), at once when one comes back to the tab, never while it is hidden. An answer replaces only the
// parts that differ; scrolling and the keyboard's place stay. `data-state` says whether it works; style sheets show it.

const root = document.querySelector("[data-live]");
const shortest = Number(root.dataset.live) * 1000;
const longest = 60_000;
const known = new Map(); // part → its source, as the server last sent it

let etag = root.dataset.etag;
let wait = shortest;
let timer;
let asking = false;

function address() {
  const url = new URL(location.href);
  url.searchParams.set("fragment", "1");
  url.hash = "";
  return url;
}

function swap(text) {
  document.dispatchEvent(new CustomEvent("live:changing"));
  const page = new DOMParser().parseFromString(text, "text/html");
  for (const fresh of page.querySelectorAll("[data-part]")) {
    const name = fresh.dataset.part;
    const old = root.querySelector(`[data-part="${name}"]`);
    const source = fresh.outerHTML;
    if (!old || known.get(name) === source) continue;
    known.set(name, source);
    replace(old, document.adoptNode(fresh));
  }
  document.dispatchEvent(new CustomEvent("live:changed"));
}

function replace(old, fresh) {
  const held = old.contains(document.activeElement) ? document.activeElement : null;
  for (const open of old.querySelectorAll("details[open]")) {
    const twin = fresh.querySelectorAll("details")[[...old.querySelectorAll("details")].indexOf(open)];
    if (twin) twin.open = true;
  }
  old.replaceWith(fresh);
  if (!held) return;
  const alike = [...fresh.querySelectorAll(held.localName)];
  const twin = alike.find((each) => each.getAttribute("href") === held.getAttribute("href"));
  twin?.focus({ preventScroll: true });
}

async function ask() {
  clearTimeout(timer);
  if (asking || document.hidden) return;
  asking = true;
  try {
    const headers = etag ? { "If-None-Match": etag } : {};
    const answer = await fetch(address(), { headers, cache: "no-store", signal: AbortSignal.timeout(8000) });
    if (answer.status === 200) {
      swap(await answer.text());
      etag = answer.headers.get("ETag");
    } else if (answer.status !== 304) {
      throw new Error(`answered ${answer.status}`);
    }
    wait = Math.max(shortest, Number(answer.headers.get("Look-Again")) * 1000);
    root.dataset.state = "live";
  } catch {
    wait = Math.min(wait * 2, longest);
    root.dataset.state = "lost";
  }
  asking = false;
  if (!document.hidden) timer = setTimeout(ask, wait * (0.9 + 0.2 * Math.random()));
}

document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : ask()));
addEventListener("online", ask);
addEventListener("pageshow", (event) => event.persisted && ask());
ask();
