// Makes the whole frame of the console's home live, for live.js and patch.js, which follow it: its rail and banner are
// parts too. Once the session is over the answer is a page without parts; then the page is loaded again, to sign in.

const container = document.getElementById("container");
container.dataset.live = document.querySelector("[data-every]").dataset.every;

document.addEventListener("live:parsed", ({ detail }) => {
  if (!detail.querySelector("[data-part]")) location.reload();
});
