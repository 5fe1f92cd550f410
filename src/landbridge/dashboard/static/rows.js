// Adds and removes rows of a form in the page. Without this script the same buttons ask the server for it.
const form = document.querySelector("form[data-rows]");
const list = form?.querySelector("[data-row-list]"), add = form?.querySelector("[data-row-add]");
const template = document.querySelector("[data-row-template]"), changed = document.querySelector("[data-rows-changed]");
let next = list?.children.length ?? 0;
const update = () => {
  changed.hidden = false;
  if (add) add.disabled = list.children.length >= Number(add.dataset.rowAdd);
};
form?.addEventListener("input", ({ target }) => { if (target.closest("[data-row]")) changed.hidden = false; });
form?.addEventListener("click", (event) => {
  const button = event.target.closest("[data-row-add], [data-row-remove]");
  if (!button) return;
  event.preventDefault();
  if (button === add) {
    const row = template.content.cloneNode(true).firstElementChild;
    const number = `[${next++}]`;
    for (const each of [row, ...row.querySelectorAll("*")]) {
      for (const { name, value } of [...each.attributes]) if (value.includes("[new]")) each.setAttribute(name, value.replaceAll("[new]", number));
    }
    form.querySelector(".empty")?.remove();
    list.append(row);
    row.dispatchEvent(new CustomEvent("row:added", { bubbles: true }));
    row.querySelector("input:not([type=hidden])").focus();
  } else {
    const row = button.closest("[data-row]");
    const neighbour = row.nextElementSibling ?? row.previousElementSibling;
    row.remove();
    (neighbour?.querySelector("input:not([type=hidden])") ?? add)?.focus();
  }
  update();
});
