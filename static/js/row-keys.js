// Gives each row of live standings the key of its player (data-key), by which patch.js matches rows: the server leaves it
// out where the row's link says the same, since fifty rows say it twice. Also in answers, before they are put in.

function key(page) {
  for (const row of page.querySelectorAll("[data-part] > .is-rows tr:not([data-key])")) {
    const link = row.querySelector("th > p > a");
    if (link) row.dataset.key = decodeURIComponent(link.getAttribute("href").split("/").at(-2));
  }
}

key(document);
document.dispatchEvent(new Event("rows:keyed"));
document.addEventListener("live:parsed", ({ detail }) => key(detail));
