// Everything that the site itself says on a page, seen or only heard: no names, no words of players.
() => {
  const theirs = "bdi, [dir=auto], [translate=no], .about-text, code, datalist, option, script, style, noscript";
  const said = document.querySelector("main > [translate=no]") ? [] : [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) if (!walker.currentNode.parentElement.closest(theirs)) said.push(walker.currentNode.data);
  const heard = ["alt", "title", "aria-label", "placeholder", "data-done", "data-lost", "data-pause", "data-words"];
  for (const name of heard) {
    for (const each of document.querySelectorAll(`[${name}]`)) {
      if (!each.closest(theirs)) said.push(each.getAttribute(name));
    }
  }
  return said.map((each) => each.trim()).filter(Boolean);
}
