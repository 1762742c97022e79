// Shows under a field with [data-left] how many characters are left, once something is typed.

for (const field of document.querySelectorAll("[data-left]")) {
  const place = document.getElementById(field.dataset.left);
  const numbers = new Intl.NumberFormat(document.documentElement.lang);
  const say = () => {
    place.textContent = place.dataset.words.replace("#", numbers.format(field.maxLength - field.value.length));
  };
  field.addEventListener("input", say);
  if (field.value) say();
}
