// Polls the parts of [data-live] every few seconds (the server's header Poll-Interval sets the interval), at once when the
// tab becomes visible, and never while it is hidden. patch.js applies the answers. `data-state` says whether polling
// works; style sheets show it.

const root = document.querySelector("[data-live]");
const shortest = Number(root.dataset.live) * 1000;
const longest = 60_000;

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

async function ask() {
  clearTimeout(timer);
  if (asking || document.hidden) return;
  asking = true;
  try {
    const headers = etag ? { "If-None-Match": etag } : {};
    const answer = await fetch(address(), { headers, cache: "no-store", signal: AbortSignal.timeout(8000) });
    if (answer.status === 200) {
      document.dispatchEvent(new CustomEvent("live:answer", { detail: await answer.text() }));
      etag = answer.headers.get("ETag");
    } else if (answer.status !== 304) {
      throw new Error(`answered ${answer.status}`);
    }
    wait = Math.max(shortest, Number(answer.headers.get("Poll-Interval")) * 1000);
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
requestAnimationFrame(() => setTimeout(ask)); // the first frame is drawn before
