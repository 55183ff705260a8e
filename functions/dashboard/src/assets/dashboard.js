// Makes pages nicer; every page works without it.
"use strict";

// Lists that are filtered while typing, by the rules of the server. The form still works for what the address says.
const folded = (text) => text.toLowerCase().normalize("NFD").replace(/[\u0300-\u036f]/g, "");
const searched = (item) => [...item.querySelectorAll("[data-text]")].map((part) => part.textContent).join("\n");
for (const input of document.querySelectorAll("input[data-filter]")) {
  // The address has filtered the list already: without its words, the other items are asked for.
  input.addEventListener("input", () => {
    if (input.defaultValue.trim() && !input.value.trim()) input.form.requestSubmit();
  });
  const list = document.getElementById(input.dataset.filter);
  const count = document.getElementById(input.dataset.count);
  if (!list) continue;
  const items = [...list.querySelectorAll("[data-item]")].map((item) => [item, folded(searched(item))]);
  const groups = [...list.querySelectorAll("[data-group]")];
  const apply = () => {
    const words = folded(input.value).split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [item, text] of items) {
      item.hidden = !words.every((word) => text.includes(word));
      if (!item.hidden) shown += 1;
    }
    for (const group of groups) group.hidden = !group.querySelector("[data-item]:not([hidden])");
    if (count) count.textContent = `${shown} of ${count.dataset.total} ${count.dataset.noun}`;
  };
  input.addEventListener("input", apply);
}

// A link to a check opens it.
const reveal = () => {
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  const details = target && target.querySelector("details");
  if (details) details.open = true;
};
window.addEventListener("hashchange", reveal);
reveal();

// Buttons that need a script are hidden without one.
for (const button of document.querySelectorAll("button[data-expand]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const all = [...document.querySelectorAll(`#${button.dataset.expand} details`)];
    const open = all.some((details) => !details.open);
    for (const details of all) details.open = open;
    button.textContent = open ? "Collapse all" : "Expand all";
  });
}
for (const button of document.querySelectorAll("button[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  if (!source || !navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(source.textContent.trim());
    button.textContent = "Copied";
  });
}

// Menus close by Escape and by a click elsewhere.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

// Leaving a form with unsaved changes asks first.
let changed = false;
document.addEventListener("input", (event) => {
  if (event.target.form?.method === "post") changed = true;
});
document.addEventListener("submit", () => {
  changed = false;
});
window.addEventListener("beforeunload", (event) => {
  if (changed) event.preventDefault();
});

// An upload that is too large is refused before it is sent, and the choice stays.
for (const input of document.querySelectorAll("input[data-limit]")) {
  input.addEventListener("change", () => {
    const size = [...input.files].reduce((sum, file) => sum + file.size, 0);
    const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
    const most = Number(input.dataset.limit);
    const message = `These files have ${megabytes(size)}. An upload can have up to ${megabytes(most)}.`;
    input.setCustomValidity(size > most ? message : "");
    input.reportValidity();
  });
}

// Files and folders can be dropped on the upload form.
const filesOf = async (entry) => {
  if (entry.isFile) return [await new Promise((resolve, reject) => entry.file(resolve, reject))];
  const reader = entry.createReader();
  const files = [];
  // A reader gives a folder in pieces, the last of which is empty.
  for (;;) {
    const piece = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (piece.length === 0) return files;
    for (const inner of piece) files.push(...(await filesOf(inner)));
  }
};
for (const zone of document.querySelectorAll("[data-drop]")) {
  const input = document.getElementById(zone.dataset.drop);
  const list = zone.querySelector("[data-chosen]");
  const tell = () => {
    const names = [...input.files].map((file) => file.name);
    const more = names.length > 5 ? ` and ${names.length - 5} more` : "";
    list.textContent = names.length ? `Chosen: ${names.slice(0, 5).join(", ")}${more}` : "";
  };
  for (const name of ["dragenter", "dragover"]) {
    zone.addEventListener(name, (event) => {
      event.preventDefault();
      zone.classList.add("over");
    });
  }
  zone.addEventListener("dragleave", (event) => {
    if (!zone.contains(event.relatedTarget)) zone.classList.remove("over");
  });
  zone.addEventListener("drop", async (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
    const all = new DataTransfer();
    for (const entry of entries) for (const file of await filesOf(entry)) all.items.add(file);
    input.files = all.files;
    input.dispatchEvent(new Event("change"));
  });
  input.addEventListener("change", tell);
  // A drop beside the zone would open the file.
  for (const name of ["dragover", "drop"]) window.addEventListener(name, (event) => event.preventDefault());
}
