// What is wrong with a page as it stands, in short sentences, each with the place. `thumbs`: it is read on a phone.
({ thumbs }) => {
  const wrong = [];
  const say = (what, each) => wrong.push(`${what}: ${each.outerHTML.slice(0, 140)}`);
  const all = [...document.body.querySelectorAll("*")];
  const shown = all.filter((each) => each.checkVisibility() && !each.closest("td > i, .visually-hidden, .skip-link, svg *"));

  // Nothing sticks out, but of boxes that scroll by themselves.
  const scrolls = (each) => each && (/auto|scroll/.test(getComputedStyle(each).overflowX) || scrolls(each.parentElement));
  for (const each of shown) {
    const { left, right, width } = each.getBoundingClientRect();
    const out = width > 1 && (right > innerWidth + 0.5 || left < -0.5);
    if (out && !scrolls(each.parentElement)) say("sticks out", each);
  }

  // Nothing sticks out of its panel, but of boxes in it that scroll by themselves.
  for (const panel of shown.filter((each) => each.matches(".panel"))) {
    const { left, right } = panel.getBoundingClientRect();
    for (const each of panel.querySelectorAll("*")) {
      const at = each.getBoundingClientRect();
      const isSeen = at.width > 1 && shown.includes(each) && !each.closest("[popover]");
      const out = isSeen && (at.right > right + 0.5 || at.left < left - 0.5);
      if (out && !scrolls(each.parentElement)) say("sticks out of its panel", each);
    }
  }

  // No text is cut off, but names and words of players that end in dots.
  const hides = (overflow) => overflow === "hidden" || overflow === "clip";
  for (const each of shown) {
    const style = getComputedStyle(each);
    if (style.display === "inline" || each.localName === "textarea" || !each.textContent.trim()) continue;
    const [wide, high] = [each.scrollWidth > each.clientWidth + 1, each.scrollHeight > each.clientHeight + 1];
    const dotted = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
    if (!dotted && ((wide && hides(style.overflowX)) || (high && hides(style.overflowY)))) say("cut off", each);
    if (dotted && wide && !each.closest("bdi, [dir=auto], .figure")) say("ends in dots", each);
    if (wide && each.matches("a, button, td, th, label, summary")) say("text beyond its box", each);
  }

  // What is pressed is as high as a thumb; a link that fills its card is as large as the card.
  const pressed = "a, button, input, textarea, select, summary";
  for (const each of thumbs ? shown : []) {
    if (!each.matches(pressed) || each.closest(".board-card")) continue;
    const { height } = (each.closest("label") ?? each).getBoundingClientRect();
    if (height < 44) say(`${Math.round(height)} px high`, each);
  }

  // Whoever listens: one h1, headings in order, a name for everything, references that lead somewhere.
  let level = 0;
  for (const each of document.querySelectorAll("h1, h2, h3, h4")) {
    if (Number(each.localName[1]) > level + 1) say("skips a level", each);
    level = Number(each.localName[1]);
  }
  if (document.querySelectorAll("h1").length !== 1) wrong.push("not one h1");
  for (const each of document.querySelectorAll("input:not([type=hidden]), select, textarea")) {
    if (!each.labels.length) say("no label", each);
  }
  for (const each of document.querySelectorAll("a, button")) {
    if (!each.textContent.trim() && !each.ariaLabel) say("no name", each);
  }
  for (const each of document.querySelectorAll("[aria-labelledby], [aria-describedby]")) {
    const ids = `${each.getAttribute("aria-labelledby") ?? ""} ${each.getAttribute("aria-describedby") ?? ""}`;
    for (const id of ids.trim().split(/\s+/)) if (!document.getElementById(id)) wrong.push(`nothing is ${id}`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
  wrong.push(...ids.filter((id, nth) => ids.indexOf(id) !== nth).map((id) => `twice: ${id}`));
  return wrong;
}
