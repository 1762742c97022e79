// Announces changes to screen readers: one summary at most every thirty seconds, never each row.

const pause = 30_000;
const announcer = document.querySelector("[data-announcer]");
let said = summary();
let saidAt = performance.now();
let timer;

function summary() {
  return document.querySelector('[data-part="summary"]')?.textContent.trim() ?? "";
}

function say() {
  timer = undefined;
  if (summary() === said) return;
  said = summary();
  saidAt = performance.now();
  announcer.textContent = said;
}

document.addEventListener("live:changed", () => {
  timer ??= setTimeout(say, Math.max(0, saidAt + pause - performance.now()));
});
