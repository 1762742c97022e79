// Criteria of a board: rows move by buttons, blank ones wait behind "Add a criterion", and a preset fills them. Without
// this module all rows are there, with a position each.

const builder = document.querySelector("[data-criteria]");
const form = builder?.closest("form");
const rows = () => [...builder.querySelectorAll("[data-criterion]")];
const part = (row, name) => row.querySelector(`[name$="-${name}"]`);
const isBlank = (row) => !part(row, "name").value && !part(row, "max").value && part(row, "kind").value === "number";

function number() {
  rows().forEach((row, nth) => {
    part(row, "place").value = nth + 1;
    row.querySelector("[data-up]").disabled = nth === 0;
  });
}

function follow(row) {
  const isTime = part(row, "kind").value !== "number";
  for (const name of ["name", "max"]) part(row, name).disabled = isTime;
}

function move(row, up) {
  const other = up ? row.previousElementSibling : row.nextElementSibling;
  if (!other || other.hidden) return;
  if (up) other.before(row);
  else other.after(row);
  number();
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

function offer() {
  builder.querySelector("[data-add]").hidden = !rows().some((row) => row.hidden);
}

function fill(criteria) {
  rows().forEach((row, nth) => {
    const { name = "", max = "", bits, unit, order = "desc" } = criteria[nth] ?? {};
    part(row, "kind").value = unit ?? "number";
    part(row, "name").value = unit ? "" : name;
    part(row, "max").value = unit ? "" : (bits ? 2 ** bits - 1 : max);
    part(row, "order").value = order;
    part(row, "off").checked = false;
    row.hidden = nth >= criteria.length && nth > 0;
    follow(row);
  });
  number();
  offer();
}

if (builder?.querySelector("[data-add]") && rows().length) {
  for (const button of builder.querySelectorAll("[data-up], [data-down]")) button.hidden = false;
  for (const row of rows()) {
    row.hidden = isBlank(row) && row !== rows()[0];
    follow(row);
  }
  number();
  offer();
  builder.addEventListener("click", ({ target }) => {
    const row = target.closest("[data-criterion]");
    if (target.closest("[data-up]")) move(row, true);
    if (target.closest("[data-down]")) move(row, false);
    if (target.closest("[data-up], [data-down]")) target.focus();
    if (!target.closest("[data-add]")) return;
    const next = rows().find((each) => each.hidden);
    next.hidden = false;
    part(next, "name").focus();
    offer();
  });
  builder.addEventListener("change", ({ target }) => {
    if (target.name?.endsWith("-kind")) follow(target.closest("[data-criterion]"));
  });
  form.addEventListener("board:preset", ({ detail }) => fill(JSON.parse(detail.criteria || "[]")));
}
