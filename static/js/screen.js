// Shows the next rows of a big screen after some seconds. The space bar pauses and resumes. The next page is requested
// first, so if the server is unavailable the current rows stay.

const hall = document.querySelector(".hall");
const every = Number(hall.dataset.every);
let left = every;
let held = false;

async function goOn() {
  left = every;
  const { following } = hall.querySelector(".hall-foot").dataset; // there is none while all are shown and live
  const answer = following && (await fetch(following, { method: "HEAD", cache: "no-store" }).catch(() => undefined));
  if (answer?.ok && !held) location.replace(following);
}

setInterval(() => {
  if (held || document.hidden) return;
  left -= 1;
  if (left <= 0) goOn();
}, 1000);

addEventListener("keydown", (event) => {
  if (event.key !== " ") return;
  event.preventDefault();
  held = !held;
  hall.classList.toggle("is-held", held);
});
