// Payment forms: user suggestions while typing, and only the fields that apply are shown.

const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

// A part with data-when="select=value" is shown while the select has this value; `*` is any, a value
// that ends in a colon is a prefix, and `a|b` is either of two.
function showApplicable() {
  for (const part of all("[data-when]")) {
    const [name, expected] = part.dataset.when.split("=");
    const value = document.getElementById(`f-${name}`)?.value ?? "";
    const applies = expected === "*" ? value !== "" : expected.endsWith(":") ? value.startsWith(expected) : expected.split("|").includes(value);
    part.hidden = !applies;
    for (const field of all("input, select, textarea", part)) field.disabled = !applies;
  }
}
document.addEventListener("change", showApplicable);
window.addEventListener("pageshow", showApplicable);
showApplicable();

// A field with data-users suggests users; the chosen one is submitted by its id, in a filter by its e-mail.
function suggestUsers(input) {
  const list = document.createElement("ul");
  list.className = "suggestions";
  list.id = `${input.id}-suggestions`;
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", document.querySelector(`label[for="${input.id}"]`)?.textContent ?? "");
  input.after(list);
  for (const [name, value] of Object.entries({ role: "combobox", "aria-expanded": "false", "aria-controls": list.id, "aria-autocomplete": "list" })) input.setAttribute(name, value);
  // Shown while the first suggestions are on their way; earlier ones stay until others replace them.
  const skeleton = document.createElement("li");
  skeleton.className = "skeleton";
  skeleton.append(document.createElement("span"), document.createElement("span"));
  skeleton.setAttribute("aria-hidden", "true");
  const find = input.closest("div[data-when], details")?.querySelector("[data-find]");
  if (find) find.hidden = true;
  const options = () => all('[role="option"]', list);
  const at = () => options().findIndex((each) => each.getAttribute("aria-selected") === "true");
  const show = (isOpen) => { list.hidden = !isOpen; input.setAttribute("aria-expanded", String(isOpen)); if (!isOpen) input.removeAttribute("aria-activedescendant"); };
  const choose = (option) => {
    options().forEach((each) => each.setAttribute("aria-selected", String(each === option)));
    if (option) { input.setAttribute("aria-activedescendant", option.id); option.scrollIntoView({ block: "nearest" }); }
  };
  const clearChoice = () => { for (const each of all(`[data-chosen="${input.name}"]`)) each.remove(); };
  let timer, requests = 0;
  const accept = (option) => {
    // A pending search would open the list again.
    clearTimeout(timer);
    requests += 1;
    clearChoice();
    input.value = option.dataset.text;
    if (input.form.method === "get") { show(false); if (input.form.dataset.live) input.form.requestSubmit(); return; }
    const chosen = document.createElement("div");
    chosen.className = "hint";
    chosen.dataset.chosen = input.name;
    for (const [name, value] of [["Id", option.dataset.id], ["For", option.dataset.text]]) {
      const hidden = document.createElement("input");
      Object.assign(hidden, { type: "hidden", name: input.name + name, value });
      chosen.append(hidden);
    }
    chosen.append(`${option.textContent.trim()} · ${option.dataset.id}`);
    list.after(chosen);
    show(false);
  };
  input.addEventListener("input", () => {
    clearChoice();
    clearTimeout(timer);
    const number = ++requests, text = input.value.trim();
    if (text.length < 2) { list.replaceChildren(); show(false); return; }
    list.setAttribute("aria-busy", "true");
    if (!options().length) list.replaceChildren(skeleton);
    show(true);
    timer = setTimeout(async () => {
      // Without a response nothing is suggested: the server resolves the typed text on submit.
      const response = await fetch(`${input.dataset.users}?q=${encodeURIComponent(text)}`).catch(() => null);
      const found = response?.ok ? await response.text().catch(() => "") : "";
      if (number !== requests) return;
      const parsed = new DOMParser().parseFromString(found, "text/html");
      list.replaceChildren(...all('[role="option"]', parsed));
      list.removeAttribute("aria-busy");
      show(options().length > 0);
    }, 150);
  });
  input.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const found = options();
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      choose(found[at() < 0 ? (step > 0 ? 0 : found.length - 1) : (at() + step + found.length) % found.length]);
    } else if (event.key === "Enter" && at() >= 0) {
      event.preventDefault();
      accept(found[at()]);
    } else if (event.key === "Escape") show(false);
  });
  list.addEventListener("mousedown", (event) => {
    const option = event.target.closest('[role="option"]');
    if (option) { event.preventDefault(); accept(option); }
  });
  input.addEventListener("blur", () => show(false));
}
all("input[data-users]").forEach(suggestUsers);
document.addEventListener("row:added", ({ target }) => all("input[data-users]", target).forEach(suggestUsers));
