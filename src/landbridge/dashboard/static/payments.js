// Forms of payments: users are offered while one types, and only the fields that fit are shown.

const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

// A part with data-when="select=value" is there while the select has this value; `*` is any,
// and a value that ends in a colon is a beginning.
function fit() {
  for (const part of all("[data-when]")) {
    const [name, wanted] = part.dataset.when.split("=");
    const value = document.getElementById(`f-${name}`)?.value ?? "";
    const fits = wanted === "*" ? value !== "" : wanted.endsWith(":") ? value.startsWith(wanted) : value === wanted;
    part.hidden = !fits;
    for (const field of all("input, select, textarea", part)) field.disabled = !fits;
  }
}
document.addEventListener("change", fit);
window.addEventListener("pageshow", fit);
fit();

// A field with data-users offers users; the one that is chosen goes along by its id.
for (const input of all("input[data-users]")) {
  const list = document.createElement("ul");
  list.className = "offers";
  list.id = `${input.id}-offers`;
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", document.querySelector(`label[for="${input.id}"]`)?.textContent ?? "");
  input.after(list);
  for (const [name, value] of Object.entries({ role: "combobox", "aria-expanded": "false", "aria-controls": list.id, "aria-autocomplete": "list" })) input.setAttribute(name, value);
  const find = input.closest("div[data-when], details")?.querySelector("[data-find]");
  if (find) find.hidden = true;
  const options = () => all('[role="option"]', list);
  const at = () => options().findIndex((each) => each.getAttribute("aria-selected") === "true");
  const show = (is) => { list.hidden = !is; input.setAttribute("aria-expanded", String(is)); if (!is) input.removeAttribute("aria-activedescendant"); };
  const choose = (option) => {
    options().forEach((each) => each.setAttribute("aria-selected", String(each === option)));
    if (option) { input.setAttribute("aria-activedescendant", option.id); option.scrollIntoView({ block: "nearest" }); }
  };
  const forget = () => { for (const each of all(`[data-chosen="${input.name}"]`)) each.remove(); };
  let waiting, asked = 0;
  const take = (option) => {
    // What is still looked for would open the list again.
    clearTimeout(waiting);
    asked += 1;
    forget();
    input.value = option.dataset.text;
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
    forget();
    clearTimeout(waiting);
    const mine = ++asked, text = input.value.trim();
    if (text.length < 2) { show(false); return; }
    waiting = setTimeout(async () => {
      // Where nothing comes, nothing is offered: what was typed is understood when it is sent.
      const answer = await fetch(`${input.dataset.users}?q=${encodeURIComponent(text)}`).catch(() => null);
      const found = answer?.ok ? await answer.text().catch(() => "") : "";
      if (mine !== asked) return;
      const parsed = new DOMParser().parseFromString(found, "text/html");
      list.replaceChildren(...all('[role="option"]', parsed));
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
      take(found[at()]);
    } else if (event.key === "Escape") show(false);
  });
  list.addEventListener("mousedown", (event) => {
    const option = event.target.closest('[role="option"]');
    if (option) { event.preventDefault(); take(option); }
  });
  input.addEventListener("blur", () => show(false));
}
