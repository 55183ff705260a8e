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
      // A box that nobody sees is not sent.
      for (const box of item.querySelectorAll("input[type=checkbox]")) box.disabled = item.hidden;
      if (!item.hidden) shown += 1;
    }
    for (const group of groups) {
      group.hidden = !group.querySelector("[data-item]:not([hidden])");
      if (words.length) group.open = true;
    }
    if (count) count.textContent = `${shown} of ${count.dataset.total} ${count.dataset.noun}`;
  };
  input.addEventListener("input", apply);
}

// A link to a check opens it.
const reveal = () => {
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  for (let around = target; around; around = around.parentElement) if (around.localName === "details") around.open = true;
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

// Files are sent one by one, compressed, and imported together once all have arrived. Sizes are checked first, and the
// choice stays if something goes wrong.
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
const canSend = "CompressionStream" in window;
const packed = async (file) => {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  // Archives and compressed files do not shrink.
  if ([0x504b, 0x1f8b].includes((start[0] << 8) | start[1])) return file;
  return new Response(file.stream().pipeThrough(new CompressionStream("gzip"))).blob();
};
const tooLarge = (input, sizes) => {
  const [limit, total] = [Number(input.dataset.limit), Number(input.dataset.total)];
  const large = sizes.find(([, size]) => size > limit);
  const sum = sizes.reduce((sum, [, size]) => sum + size, 0);
  const elsewhere = "Put it into the deployment's import bucket, or import it with the posture command.";
  if (large) return `${large[0]} has ${megabytes(large[1])} compressed. A file can have up to ${megabytes(limit)}. ${elsewhere}`;
  return sum > total ? `The files have ${megabytes(sum)} compressed. All together can have up to ${megabytes(total)}.` : "";
};
const send = async (form, input, show) => {
  const named = [...input.files].map((file) => [file.webkitRelativePath || file.name, file]);
  const files = [];
  for (const [name, file] of named) {
    show(`Compressing ${name}`, files.length, 2 * named.length);
    files.push([name, await packed(file)]);
  }
  const refused = tooLarge(input, files.map(([name, file]) => [name, file.size]));
  if (refused) throw new Error(refused);
  for (const [number, [name, file]] of files.entries()) {
    show(`Sending ${number + 1} of ${files.length}: ${name}`, files.length + number, 2 * files.length);
    const body = new FormData();
    for (const field of ["organization", "upload"]) body.append(field, form.elements[field].value);
    body.append("files", file, name);
    const response = await fetch(input.dataset.send, { method: "POST", body });
    if (!response.ok) {
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      throw new Error(page.querySelector("main p:not(.tag)")?.textContent ?? `The service answered ${response.status}.`);
    }
  }
  show("Importing", 2 * files.length, 2 * files.length);
};
for (const input of document.querySelectorAll("input[data-send]")) {
  const form = input.form;
  const status = form.parentElement.querySelector("[data-chosen]");
  const bar = form.parentElement.querySelector("progress");
  input.addEventListener("change", () => {
    const sum = [...input.files].reduce((sum, file) => sum + file.size, 0);
    const most = Number(input.dataset.limit);
    const message = `These files have ${megabytes(sum)}. An upload can have up to ${megabytes(most)}.`;
    input.setCustomValidity(!canSend && sum > most ? message : "");
    input.reportValidity();
  });
  if (!canSend) continue;
  for (const note of form.querySelectorAll("[data-scripted], [data-plain]")) note.hidden = "plain" in note.dataset;
  form.addEventListener("submit", async (event) => {
    if (input.disabled || input.files.length === 0) return;
    event.preventDefault();
    const button = form.querySelector("button[type=submit]");
    button.disabled = true;
    bar.hidden = false;
    try {
      await send(form, input, (text, done, all) => {
        status.textContent = text;
        [bar.value, bar.max] = [done, all];
      });
      // The files are there: the form names their upload.
      input.disabled = true;
      form.requestSubmit();
    } catch (error) {
      status.textContent = `Nothing was imported. ${error.message}`;
      button.disabled = false;
      bar.hidden = true;
      form.elements.upload.value = `${form.elements.upload.value.slice(0, 40)}.${Date.now()}`;
    }
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
  // A file dropped beside the zone would replace the page.
  for (const name of ["dragover", "drop"]) {
    window.addEventListener(name, (event) => {
      if (event.dataTransfer.types.includes("Files")) event.preventDefault();
    });
  }
}

// Times of day are in UTC; the reader's own are beside them.
for (const note of document.querySelectorAll("footer [data-scripted]")) note.hidden = new Date().getTimezoneOffset() === 0;
for (const time of document.querySelectorAll("time")) {
  if (!time.textContent.endsWith(" UTC")) continue;
  const moment = new Date(time.dateTime);
  const day = moment.getDate() === moment.getUTCDate() ? "" : `${moment.toLocaleDateString("en-GB", { day: "numeric", month: "short" })}, `;
  const local = moment.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  if (moment.getTimezoneOffset() === 0) continue;
  time.insertAdjacentHTML("beforeend", '<span class="local"></span>');
  time.lastChild.textContent = ` (${day}${local} here)`;
}

// A check is edited in its place: what it is now stays beside the form.
document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-edit]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const response = await fetch(link.href).catch(() => null);
  const page = new DOMParser().parseFromString(response?.ok && !response.redirected ? await response.text() : "", "text/html");
  const form = page.querySelector("main form.form");
  if (!form) return location.assign(link.href);
  const check = link.closest("details");
  const [details, foot] = [check.querySelector(".details"), check.querySelector(".check-foot")];
  // Identifiers are those of one form; another one that is open closes.
  for (const other of document.querySelectorAll(".in-place .cancel")) other.click();
  const place = document.createElement("div");
  place.className = "in-place";
  details.replaceWith(place);
  place.append(details, form);
  foot.hidden = true;
  const cancel = form.querySelector(".form-end a");
  cancel.classList.add("cancel");
  cancel.addEventListener("click", (click) => {
    click.preventDefault();
    place.replaceWith(details);
    foot.hidden = false;
    changed = false;
    link.focus();
  });
  form.querySelector("select, textarea").focus();
});
