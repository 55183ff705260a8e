// Shows the document, and gives what the viewer leaves without them a name, a role and the reader's colours.
"use strict";

const root = document.getElementById("swagger-ui");
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

const nameOf = (field) =>
  field.dataset.variable ||
  (field.id === "servers" && "Server") ||
  field.closest("tr")?.querySelector("td")?.innerText.split("\n")[0] ||
  field.closest("section, div")?.querySelector("label, h4, h5, small")?.innerText ||
  "Value";
const set = (element, name, value) => {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
};
const mend = () => {
  for (const field of root.querySelectorAll("select, input, textarea")) {
    if (field.id === "servers" || ![...(field.labels ?? [])].some((label) => label.innerText.trim())) set(field, "aria-label", nameOf(field).trim());
  }
  // What scrolls takes the focus.
  for (const element of root.querySelectorAll("pre, .opblock-body")) set(element, "tabindex", "0");
  // A table of responses is no landmark, but what is above the operations is one.
  for (const table of root.querySelectorAll("table[role=region]")) set(table, "role", "table");
  for (const [part, name] of [[".information-container", "About the API"], [".scheme-container", "Server and key"]]) {
    const element = root.querySelector(part);
    if (element) set(element, "role", "region"), set(element, "aria-label", name);
  }
  for (const heading of root.querySelectorAll("h4, h5")) set(heading, "aria-level", heading.closest("#operations") ? "4" : "2"), set(heading, "role", "heading");
};
new MutationObserver(mend).observe(root, { childList: true, subtree: true });

if (window.SwaggerUIBundle) window.ui = SwaggerUIBundle({ url: "/openapi.yaml", dom_id: "#swagger-ui", syntaxHighlight: { activated: false } });
