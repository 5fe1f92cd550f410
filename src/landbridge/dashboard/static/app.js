// Enhancements of pages; without scripts everything still works.

const words = document.body.dataset;
const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
const announce = (text) => { document.getElementById("live").textContent = text; };
const isTyping = (target) => target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]") !== null;

// Progress bar while a page loads or a request takes long.
const progress = document.getElementById("progress");
let delay, fetching = 0;
const showProgress = () => { clearTimeout(delay); delay = setTimeout(() => { progress.hidden = false; announce(words.wordsWorking); }, 200); };
const hideProgress = () => { clearTimeout(delay); progress.hidden = true; };

// Text and URL of a page; null if the request failed. Polling is quiet.
async function fetchPage(url, { isQuiet = false, body = null } = {}) {
  if (!isQuiet && fetching++ === 0) showProgress();
  try {
    const response = await fetch(url, { method: body ? "POST" : "GET", body, headers: { Accept: "text/html" } });
    return { ok: response.ok, redirected: response.redirected, url: response.url, text: await response.text() };
  } catch {
    if (!isQuiet) announce(words.wordsFailed);
    return null;
  } finally {
    if (!isQuiet && --fetching === 0) hideProgress();
  }
}

// Numbers are read as the server reads them (number_formats.py); what is understood is shown while it is typed.
function readNumber(text, { point, groups }) {
  const quoted = (set) => [...set].map((each) => `\\u{${each.codePointAt(0).toString(16)}}`).join("");
  const shape = new RegExp(`^([-\u2212]?)([1-9]\\d{0,2}([${quoted(groups)}])\\d{3}(?:\\3\\d{3})*|\\d*)(?:${quoted(point)}(\\d+))?$`, "u");
  const found = shape.exec(text);
  return found && (found[2] || found[4]) ? [found[1], found[2].replace(/\D/g, ""), found[4] ?? ""] : null;
}
function groupDigits(whole, part, { group, point }) {
  const grouped = (whole.replace(/^0+(?=.)/, "") || "0").replace(/\B(?=(\d{3})+$)/g, group);
  return `${grouped}${point}${part.replace(/0+$/, "").padEnd(2, "0")}`;
}
function showNumber(input) {
  const output = document.getElementById(`${input.id}-number`) ?? document.createElement("output");
  if (!output.id) { Object.assign(output, { id: `${input.id}-number`, className: "hint" }); output.setAttribute("for", input.id); input.after(output); }
  const text = input.value.trim(), found = readNumber(text, input.dataset);
  const shown = found && `= ${found[0]}${groupDigits(found[1], found[2], input.dataset)}`;
  output.value = text === "" ? "" : shown ?? input.dataset.unreadable;
}
document.addEventListener("input", ({ target }) => { if (target.dataset?.groups) showNumber(target); });

// Buttons that copy ids, addresses and hashes.
const initCopyButtons = (inside = document) => all("[data-copy]", inside).forEach((each) => {
  each.hidden = false;
  if (each.textContent.trim()) return; // it has a label of its own
  each.title = words.wordsCopy;
  each.setAttribute("aria-label", `${words.wordsCopy} ${each.dataset.copy}`);
});
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  announce(words.wordsCopied);
  button.classList.add("copied");
  setTimeout(() => button.classList.remove("copied"), 1500);
});

// Countdowns: based on the server's seconds, so that clocks need not agree.
const startedAt = performance.now();
const unit = (value, name) => new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit: name, unitDisplay: "narrow" }).format(value);
const expired = new Set();
function updateCountdowns() {
  const elapsed = Math.floor((performance.now() - startedAt) / 1000);
  for (const each of all("time[data-left]")) {
    const left = Number(each.dataset.left) - elapsed;
    const days = Math.floor(left / 86400), hours = Math.floor(left / 3600) % 24, minutes = Math.floor(left / 60) % 60;
    each.textContent = left <= 0 ? words.wordsExpired
      : days ? `${unit(days, "day")} ${unit(hours, "hour")}`
      : hours ? `${unit(hours, "hour")} ${unit(minutes, "minute")}`
      : minutes ? `${unit(minutes, "minute")} ${unit(left % 60, "second")}` : unit(left, "second");
    // Once per deadline, even if this tab was suspended.
    const part = left <= 0 && each.closest("[data-renew]");
    if (part && !expired.has(part.id + each.dateTime)) { expired.add(part.id + each.dateTime); refresh(part); }
  }
}

// Fetches a page again and replaces parts of it, by their ids: filters, polling, quotes.
const latest = new Map();
async function replace(ids, url, options) {
  const token = Symbol(ids);
  latest.set(ids, token);
  const parts = ids.split(" ").map((id) => document.getElementById(id));
  if (!options?.isQuiet) for (const each of parts) each?.setAttribute("aria-busy", "true");
  const response = await fetchPage(url, options);
  if (latest.get(ids) !== token) return;
  for (const each of parts) each?.removeAttribute("aria-busy");
  if (!response) return null;
  if (response.redirected && new URL(response.url).pathname.startsWith("/dashboard/sign-in")) { location.assign(location.href); return; }
  const page = new DOMParser().parseFromString(response.text, "text/html");
  const isWhole = ids.split(" ").every((id) => page.getElementById(id));
  for (const id of ids.split(" ")) put(page.getElementById(id), document.getElementById(id));
  // The counts of the menu are as new as the part; where the answer is to a form, another page has them.
  const menu = document.getElementById("menu");
  if (new URL(response.url).pathname === location.pathname && !menu?.contains(document.activeElement)) put(page.getElementById("menu"), menu);
  return isWhole && page;
}
// Countdowns of a part that was fetched start now, not when the page was loaded.
function startCountdowns(part) {
  for (const each of all("time[data-left]", part)) each.dataset.left = Number(each.dataset.left) + Math.floor((performance.now() - startedAt) / 1000);
}
function put(fresh, old) {
  if (!fresh || !old) return;
  startCountdowns(fresh);
  const at = old.querySelector("tr.at a")?.href;
  if (at) all("tbody tr", fresh).find((each) => each.querySelector("a")?.href === at)?.classList.add("at");
  for (const each of all("details[id]", old)) { const same = fresh.querySelector(`#${each.id}`); if (same) same.open = each.open; }
  const focusedId = document.activeElement?.id;
  old.replaceWith(fresh);
  if (focusedId && fresh.contains(document.getElementById(focusedId))) document.getElementById(focusedId).focus();
  initCopyButtons(fresh);
  showCurrentTabs(fresh);
  showSelected();
}
const refresh = (part, options) => replace(part.id, part.dataset.renew || location.href, options);
setInterval(updateCountdowns, 1000);
updateCountdowns();
// Parts that poll are fetched together. Nothing is fetched in a background tab, and at once on the return to it.
// A part stays while it has the focus, entries that are not sent, or a dialog above it; a tab keeps its focus.
const isEntered = (part) => all("input, textarea, select", part).some((each) => each.type === "checkbox" ? each.checked !== each.defaultChecked : each.localName === "select" ? false : each.value !== each.defaultValue);
function pollParts() {
  if (document.hidden || document.querySelector("dialog[open]")) return;
  const focus = document.activeElement, isOnTab = focus.closest("nav[data-part]");
  const due = all("[data-poll]").filter((each) => (isOnTab || !each.contains(focus)) && !isEntered(each));
  if (!due.length) return;
  for (const url of new Set(due.map((each) => each.dataset.renew || location.href))) {
    const parts = due.filter((each) => (each.dataset.renew || location.href) === url);
    replace(parts.map((each) => each.id).join(" "), url, { isQuiet: true });
  }
}
let polledAt = performance.now();
setInterval(() => {
  const every = Math.min(...all("[data-poll]").map((each) => Number(each.dataset.poll)));
  if (performance.now() - polledAt >= every * 1000) { polledAt = performance.now(); pollParts(); }
}, 500);
document.addEventListener("visibilitychange", () => { if (!document.hidden) { polledAt = performance.now(); pollParts(); } });

// Search as you type: data-live of a form names the part to replace; the URL is updated too.
// A form that posts changes the part by its button "preview"; its other buttons send it as usual.
for (const form of all("form[data-live]")) {
  let timer;
  const run = () => {
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
    if (form.method === "post") { replace(form.dataset.live, form.action, { body: query }); return; }
    // The part says what is wrong with the new filters; what the page said of earlier ones is over.
    for (const each of form.querySelectorAll(".wrongs")) each.remove();
    for (const each of form.querySelectorAll("[aria-invalid]")) {
      each.removeAttribute("aria-invalid");
      each.removeAttribute("aria-describedby");
      each.closest(".field")?.classList.remove("wrong");
    }
    const url = `${form.action.split("?")[0]}?${query}`;
    history.replaceState(null, "", url);
    replace(form.dataset.live, url);
  };
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(run, 200); });
  form.addEventListener("submit", (event) => {
    if (form.method === "post" && event.submitter?.value !== "preview") return;
    event.preventDefault();
    clearTimeout(timer);
    run();
  });
}

// Forms: confirmation, protection from double submits, progress bar.
// The dialog's button reads as the one that was pressed; Escape and "Go back" leave the form as it is.
const confirmation = document.getElementById("confirmation");
let confirmed = null;
function confirmSubmit(question, form, submitter) {
  const [text, button] = [confirmation.querySelector("p"), confirmation.querySelector("button[value=yes]")];
  text.textContent = question;
  button.textContent = submitter?.textContent.trim() || button.dataset.text;
  button.className = submitter?.classList.contains("main") ? "main" : "danger";
  confirmation.returnValue = "";
  confirmation.onclose = () => {
    if (confirmation.returnValue !== "yes") return;
    confirmed = form;
    form.requestSubmit(submitter);
    confirmed = null;
  };
  confirmation.showModal();
}
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || event.defaultPrevented) return;
  const submitter = event.submitter;
  const [name, value] = form.dataset.confirmIf?.split("=") ?? [];
  const question = submitter?.dataset.confirm || ((!name || form.elements[name].value === value) && form.dataset.confirm);
  if (question && confirmed !== form) { event.preventDefault(); confirmSubmit(question, form, submitter); return; }
  setTimeout(() => { if (submitter) { submitter.disabled = true; submitter.setAttribute("aria-busy", "true"); submitter.dataset.sent = ""; } });
});
window.addEventListener("beforeunload", showProgress);
window.addEventListener("pageshow", () => {
  hideProgress();
  all("button[data-sent]").forEach((each) => { each.disabled = false; each.removeAttribute("aria-busy"); delete each.dataset.sent; });
});
document.addEventListener("click", (event) => { if (event.target.closest("a[download]")) setTimeout(hideProgress, 1500); });

// On a narrow screen the tabs scroll: the current one is in view.
function showCurrentTabs(inside = document) {
  for (const each of all(".tabs [aria-current]", inside)) {
    const list = each.closest("ul"), [outer, box] = [list.getBoundingClientRect(), each.getBoundingClientRect()];
    list.scrollLeft += box.x + box.width / 2 - outer.x - outer.width / 2;
  }
}
showCurrentTabs();
// The menu of a low window scrolls by itself: its current item is in view, above the member's name.
const menuList = document.querySelector(".side > details"), current = document.querySelector("#menu [aria-current]");
if (menuList && current) menuList.scrollTop = Math.max(0, current.offsetTop + current.offsetHeight * 2 + document.querySelector(".me").offsetHeight - menuList.clientHeight);
// Tabs of a record: only the part is replaced, so what is above the tabs stays in its place.
async function showTab(part, url, isInDialog) {
  const page = await replace(part, url);
  if (page === undefined) return; // a later tab was chosen
  if (!page) { location.assign(url); return; }
  if (isInDialog) delete document.getElementById(part).dataset.poll;
  else document.title = page.title;
}
document.addEventListener("click", (event) => {
  const link = event.target.closest("nav[data-part] a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const isInDialog = Boolean(link.closest("dialog"));
  if (!isInDialog && link.href !== location.href) history.pushState(null, "", link.href);
  showTab(link.closest("nav").dataset.part, link.href, isInDialog);
});
window.addEventListener("popstate", () => {
  const tabs = document.querySelector("main > * > nav[data-part]");
  if (tabs && tabs.querySelector("[aria-current]")?.pathname !== location.pathname) showTab(tabs.dataset.part, location.href, false);
});
// Older links name the part of a long page that is a tab now.
const oldTab = document.getElementById(location.hash.slice(1))?.closest("nav[data-part] li");
if (oldTab) location.replace(oldTab.querySelector("a").href);

// The page below may have the same ids, as both have a vote: those of the part get others.
function renameIds(part) {
  for (const each of all("[id]", part).filter(({ id }) => document.getElementById(id))) {
    const id = each.id;
    each.id = `drawer-${id}`;
    for (const name of ["for", "aria-describedby", "aria-labelledby", "aria-controls"]) {
      for (const other of all(`[${name}~="${CSS.escape(id)}"]`, part)) other.setAttribute(name, other.getAttribute(name).split(" ").map((each) => each === id ? `drawer-${id}` : each).join(" "));
    }
  }
}
// A payment opens beside its list: the list stays, and a modified click still opens the page.
const drawer = document.getElementById("drawer");
let drawn = 0;
document.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-drawers] tbody th a");
  if (!link || !drawer || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const request = ++drawn, content = drawer.querySelector("[data-content]");
  content.replaceChildren(drawer.querySelector("template").content.cloneNode(true));
  content.setAttribute("aria-busy", "true");
  drawer.querySelector("[data-open]").href = link.href;
  drawer.showModal();
  drawer.scrollTop = 0;
  const response = await fetchPage(link.href);
  if (request !== drawn || !drawer.open) return;
  content.removeAttribute("aria-busy");
  const part = response?.ok && new DOMParser().parseFromString(response.text, "text/html").getElementById("payment");
  if (!part) { location.assign(link.href); return; }
  delete part.dataset.poll;
  renameIds(part);
  content.replaceChildren(part);
  startCountdowns(part);
  initCopyButtons(part);
});
drawer?.addEventListener("click", (event) => { if (event.target === drawer) drawer.close(); });

// Charts: the values of a period beside the pointer, or by the arrow keys.
function showTip(chart, hit) {
  const tip = chart.parentElement.querySelector(".tip");
  for (const each of all(".hit.on", chart)) each.classList.remove("on");
  tip.hidden = !hit;
  if (!hit) return;
  hit.classList.add("on");
  tip.value = hit.dataset.tip;
  const [outer, box] = [chart.parentElement.getBoundingClientRect(), hit.getBoundingClientRect()];
  tip.style.left = `${Math.max(0, Math.min(box.x + box.width / 2 - outer.x - tip.offsetWidth / 2, outer.width - tip.offsetWidth))}px`;
}
document.addEventListener("pointerover", ({ target }) => {
  for (const chart of all("svg[data-tips]")) if (!chart.contains(document.activeElement) || chart.contains(target)) showTip(chart, chart.contains(target) ? target.closest(".hit") : null);
});
document.addEventListener("focusout", ({ target }) => { if (target.matches("svg[data-tips]")) showTip(target, null); });
document.addEventListener("keydown", (event) => {
  const chart = event.target.closest("svg[data-tips]");
  if (!chart || !["ArrowLeft", "ArrowRight", "Escape"].includes(event.key)) return;
  event.preventDefault();
  const hits = all(".hit", chart), at = hits.findIndex((each) => each.classList.contains("on"));
  const next = event.key === "ArrowRight" ? Math.min(at + 1, hits.length - 1) : at < 0 ? hits.length - 1 : Math.max(at - 1, 0);
  showTip(chart, event.key === "Escape" ? null : hits[next]);
});

// Checkbox that selects all rows; how many are selected, and their sum by currency, to the last digit.
const SCALE = 30; // more decimals than any currency or coin has
function sumsOf(rows) {
  const sums = new Map();
  for (const { amount, currency } of rows.map((each) => each.dataset)) {
    if (!amount) continue;
    const [whole, part = ""] = amount.split(".");
    sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(whole + part.padEnd(SCALE, "0")));
  }
  return sums;
}
function showSelected() {
  for (const output of all("output[data-ticked]")) {
    const rows = all(`input[name="${output.dataset.ticked}"]`), selected = rows.filter((each) => each.checked);
    const sums = [...sumsOf(selected)].map(([currency, sum]) => {
      const digits = String(sum).padStart(SCALE + 1, "0");
      return `${groupDigits(digits.slice(0, -SCALE), digits.slice(-SCALE), output.dataset)}\u00a0${currency}`;
    });
    const text = [`${output.dataset.text}: ${selected.length} / ${rows.length}`, ...sums].join(" · ");
    if (output.value !== text) output.value = text;
  }
}
document.addEventListener("change", (event) => {
  const selectAll = event.target.closest("[data-ticks]");
  if (selectAll) all(`input[name="${selectAll.dataset.ticks}"]`).forEach((each) => { each.checked = selectAll.checked; });
  showSelected();
});
showSelected();

// Command palette.
const palette = document.getElementById("palette");
const shortcuts = document.getElementById("shortcuts");
if (palette) {
  const input = palette.querySelector("input");
  const found = document.getElementById("palette-found");
  const loading = document.getElementById("palette-loading");
  // Earlier results stay while others are on their way; without any there is a skeleton in their place.
  const setLoading = (isLoading) => {
    isLoading ? found.setAttribute("aria-busy", "true") : found.removeAttribute("aria-busy");
    loading.hidden = !isLoading || found.children.length > 0;
  };
  const options = () => all('[role="option"]', palette).filter((each) => !each.hidden);
  const choose = (option) => {
    all('[aria-selected="true"]', palette).forEach((each) => each.setAttribute("aria-selected", "false"));
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    option ? input.setAttribute("aria-activedescendant", option.id) : input.removeAttribute("aria-activedescendant");
  };
  const open = () => { palette.showModal(); input.value = ""; filter(); input.focus(); };
  let timer, requests = 0;
  const filter = () => {
    const text = input.value.trim().toLowerCase();
    all("#palette-list [data-text]").forEach((each) => { each.hidden = !each.dataset.text.includes(text); });
    choose(options()[0]);
    clearTimeout(timer);
    const number = ++requests;
    if (text.length < 2) { found.replaceChildren(); setLoading(false); return; }
    setLoading(true);
    timer = setTimeout(async () => {
      const response = await fetchPage(`/dashboard/search?part=1&q=${encodeURIComponent(input.value.trim())}`);
      if (number !== requests) return;
      if (response?.ok) found.replaceChildren(...all('[role="option"]', new DOMParser().parseFromString(response.text, "text/html")));
      setLoading(false);
      if (!palette.querySelector('[aria-selected="true"]')) choose(options()[0]);
    }, 150);
  };
  input.addEventListener("input", filter);
  input.addEventListener("keydown", (event) => {
    const list = options();
    const at = list.findIndex((each) => each.getAttribute("aria-selected") === "true");
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(list[(at + (event.key === "ArrowDown" ? 1 : list.length - 1)) % list.length]);
    } else if (event.key === "Enter" && list[at]) {
      event.preventDefault();
      location.assign(list[at].dataset.to);
    }
  });
  palette.addEventListener("click", (event) => {
    const option = event.target.closest('[role="option"]');
    if (option) location.assign(option.dataset.to);
  });
  palette.addEventListener("click", (event) => { if (event.target === palette) palette.close(); });
  all("[data-palette]").forEach((each) => { each.hidden = false; each.addEventListener("click", open); });
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") { event.preventDefault(); palette.open ? palette.close() : open(); }
  });
}

// Shortcuts: key sequences, and navigation in the rows of the first table.
let typed = [], typedAt = 0;
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("dialog[open]")) return;
  if (event.key === "?" && shortcuts) { shortcuts.showModal(); document.getElementById("shortcuts-title").focus(); return; }
  if (event.key === "/") {
    const field = document.querySelector("main input[type=search], main .filters input");
    if (field) { event.preventDefault(); field.focus(); field.select(); }
    return;
  }
  const now = performance.now(), isSecond = now - typedAt < 1200 && "gn".includes(typed.at(-1) ?? " ");
  const rows = all("table[data-rows] tbody tr");
  if (!isSecond && rows.length && ["j", "k", "x", "v", "Enter"].includes(event.key)) {
    const at = rows.findIndex((each) => each.classList.contains("at"));
    if (event.key === "Enter") { if (at >= 0 && event.target === document.body) rows[at].querySelector("a")?.click(); return; }
    if (event.key === "x") { rows[at]?.querySelector("input[type=checkbox]")?.click(); return; }
    if (event.key === "v") { const comment = document.querySelector(".votes input"); if (comment) { event.preventDefault(); comment.focus(); } return; }
    const next = rows[Math.min(Math.max(at + (event.key === "j" ? 1 : -1), 0), rows.length - 1)];
    rows[at]?.classList.remove("at");
    next.classList.add("at");
    next.scrollIntoView({ block: "nearest" });
    return;
  }
  if (event.key.length !== 1) return;
  typed = now - typedAt < 1200 ? [...typed, event.key].slice(-2) : [event.key];
  typedAt = now;
  const item = all("[data-keys]").find((each) => each.dataset.keys === typed.join(" "));
  if (item) location.assign(item.dataset.to);
});

// On narrow screens the menu is initially closed.
const menu = document.querySelector("details.menu");
if (menu && matchMedia("(max-width: 56rem)").matches) menu.open = false;
initCopyButtons();
const wrong = document.querySelector("[aria-invalid][autofocus], :is(fieldset, details)[autofocus]");
for (let fold = wrong?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
(wrong ?? document.querySelector("[data-focus]"))?.focus();
