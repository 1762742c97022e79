// On the error page shown while a server is unavailable: requests the wanted page at growing intervals, never while the
// tab is hidden, and loads it once it is available. It only sends GET requests; no form is sent again.

const first = 5_000;
const longest = 60_000;

let wait = first;

async function ask() {
  try {
    const answer = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout(8000) });
    if (![502, 503, 504].includes(answer.status)) return location.reload();
  } catch {
    // No answer: try again later.
  }
  wait = Math.min(wait * 1.5, longest);
  later();
}

function later() {
  setTimeout(() => (document.hidden ? document.addEventListener("visibilitychange", ask, { once: true }) : ask()), wait * (0.8 + 0.4 * Math.random()));
}

later();
