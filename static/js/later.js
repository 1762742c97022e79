// Loads the page's other scripts ([name=script]), in their order. Modules run when the style sheets are there, so what is
// asked for here shares no slow line with them, and the first frame waits for nothing of it.

for (const { content } of document.querySelectorAll('meta[name="script"]')) {
  const script = document.createElement("script");
  Object.assign(script, { type: "module", src: content, async: false });
  document.head.append(script);
}
