// Reviewer shortcuts: a number selects a decision and focuses its text field; Ctrl Enter submits.
const form = document.getElementById("decide");
if (form) {
  document.querySelectorAll("[data-keyed]").forEach((each) => { each.hidden = false; });
  const next = { reject: "rejectReasons", retry: "rejectReasons", revoke: "rejectReasons", requestInformation: "comment" };
  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]")) return;
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") { event.preventDefault(); form.requestSubmit(form.querySelector("button.main")); return; }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("textarea, select, [contenteditable], input:not([type=radio], [type=checkbox])")) return;
    const radio = form.querySelector(`input[data-key="${CSS.escape(event.key)}"]`);
    if (!radio) return;
    event.preventDefault();
    radio.checked = true;
    (form.elements[next[radio.value]] ?? form.querySelector("button.main")).focus();
  });
}
