// A form of the admin that was changed is not left without a word: the browser asks, in its own language. What counts is
// what would be sent, so that a change that was taken back asks nothing.

const form = document.querySelector("#content-main form[method='post'][id$='_form']");

const sent = () =>
  JSON.stringify([...new FormData(form)].map(([name, value]) => [name, value instanceof File ? value.name : value]));

if (form) {
  let before;
  let isSending = false;
  const begin = () => {
    before = sent();
  };
  // Other scripts fill and add fields until the page is loaded.
  if (document.readyState === "complete") begin();
  else addEventListener("load", () => setTimeout(begin));
  form.addEventListener("submit", () => {
    isSending = true;
  });
  addEventListener("pageshow", () => {
    isSending = false;
  });
  addEventListener("beforeunload", (event) => {
    if (before !== undefined && !isSending && sent() !== before) event.preventDefault();
  });
}
