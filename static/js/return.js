// On the page that stands in while a server is away: asks for the page that was wanted every few seconds, ever less
// often, never while it is hidden, and loads it once it is there. Nothing is sent again: only what is read is asked for.

const first = 5_000;
const longest = 60_000;

let wait = first;

async function ask() {
  try {
    const answer = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout(8000) });
    if (![502, 503, 504].includes(answer.status)) return location.reload();
  } catch {
    // No answer at all: the next may come.
  }
  wait = Math.min(wait * 1.5, longest);
  later();
}

function later() {
  setTimeout(() => (document.hidden ? document.addEventListener("visibilitychange", ask, { once: true }) : ask()), wait * (0.8 + 0.4 * Math.random()));
}

later();
