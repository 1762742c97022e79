// Asks for the site's typeface when the style sheets are there, and before the page is laid out. An element in the head
// would ask for it beside them, and on a slow line the first paint would wait for all of it. Without this module the
// browser asks when it has laid the page out; until the typeface comes, the system's stands there.

const link = document.createElement("link");
const { typeface } = document.querySelector("[data-typeface]").dataset;
Object.assign(link, { rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", href: typeface });
document.head.append(link);
