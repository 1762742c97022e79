// Offers, below a field of [data-suggestions], what is called as what is written there: the combobox of ARIA, whose focus
// stays in the field. Without an option chosen Enter sends the form, as it does without this module.

const pause = 180; // ms after the last letter
let forms = 0;

function offer(form) {
  const field = form.querySelector("input");
  const list = document.createElement("div");
  const status = document.createElement("span");
  const id = `suggestions-${(forms += 1)}`;
  let timer;
  let asking;
  let chosen;

  list.className = "suggestions";
  list.hidden = true;
  list.id = id;
  list.setAttribute("role", "listbox");
  status.className = "visually-hidden";
  status.setAttribute("role", "status");
  field.setAttribute("role", "combobox");
  for (const [name, value] of [["autocomplete", "list"], ["expanded", "false"], ["controls", id]]) {
    field.setAttribute(`aria-${name}`, value);
  }
  form.append(list, status);

  const options = () => [...list.querySelectorAll('[role="option"]')];

  function choose(option) {
    chosen?.setAttribute("aria-selected", "false");
    chosen = option;
    if (!option) {
      field.removeAttribute("aria-activedescendant");
      return;
    }
    option.setAttribute("aria-selected", "true");
    field.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  function close() {
    clearTimeout(timer);
    asking?.abort();
    choose(null);
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
  }

  function show(text) {
    choose(null);
    const found = new DOMParser().parseFromString(text, "text/html").querySelector(".suggestions-list");
    list.replaceChildren(...(found ? found.childNodes : []));
    if (found) list.setAttribute("aria-label", found.getAttribute("aria-label"));
    const all = options();
    for (const [place, option] of all.entries()) {
      option.id = `${id}-${place}`;
      option.setAttribute("aria-selected", "false");
    }
    list.hidden = all.length === 0;
    field.setAttribute("aria-expanded", String(!list.hidden));
    status.textContent = all.length ? `${list.getAttribute("aria-label")}: ${all.length - 1}` : "";
  }

  async function ask() {
    asking?.abort();
    const sought = field.value.trim();
    if (!sought) return close();
    const own = (asking = new AbortController());
    try {
      const address = `${form.dataset.suggestions}?${new URLSearchParams({ q: sought, fragment: 1 })}`;
      const answer = await fetch(address, { signal: AbortSignal.any([own.signal, AbortSignal.timeout(5000)]) });
      const text = answer.ok ? await answer.text() : "";
      if (!own.signal.aborted && document.activeElement === field) show(text);
    } catch {
      if (!own.signal.aborted) close(); // the form still works
    }
  }

  function move(event, step) {
    const all = options();
    if (list.hidden || all.length === 0) {
      if (step) ask();
      return;
    }
    event.preventDefault();
    const ring = [...all, null]; // past the last one is the field itself
    const place = ring.indexOf(chosen ?? null);
    choose(ring[(place + step + ring.length) % ring.length]);
  }

  field.addEventListener("input", () => {
    clearTimeout(timer);
    asking?.abort(); // what comes of it would be of fewer letters
    choose(null);
    timer = setTimeout(ask, pause);
  });
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown") move(event, 1);
    else if (event.key === "ArrowUp") move(event, -1);
    else if (event.key === "Enter" && chosen) {
      event.preventDefault();
      chosen.click();
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault(); // the first closes the list, the second empties the field
      close();
    }
  });
  list.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
  field.addEventListener("blur", close);
  addEventListener("pagehide", close);
}

document.querySelectorAll("[data-suggestions]").forEach(offer);
