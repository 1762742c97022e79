// Makes the whole console's home live, for live.js and patch.js. Once the session is over the answer is a page without
// parts; then the page is loaded again, to sign in, unless it is being left.

const container = document.getElementById("container");
container.dataset.live = document.querySelector("[data-every]").dataset.every;

let isLeft = false;
addEventListener("beforeunload", () => { isLeft = true; });
document.addEventListener("live:parsed", ({ detail }) => {
  if (!isLeft && !detail.querySelector("[data-part]")) location.reload();
});
