// What pages gain where scripts run; without them everything still works.

const words = document.body.dataset;
const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
const tell = (text) => { document.getElementById("live").textContent = text; };
const isTyping = (target) => target.closest("input, textarea, select, [contenteditable]") !== null;

// A line that runs where something takes long: a page that loads, or what is fetched.
const progress = document.getElementById("progress");
let slow, fetching = 0;
const runs = () => { clearTimeout(slow); slow = setTimeout(() => { progress.hidden = false; tell(words.wordsWorking); }, 200); };
const rests = () => { clearTimeout(slow); progress.hidden = true; };

// The text of a page and where it came from; null if it did not come. What asks by itself is quiet.
async function fetched(url, { isQuiet = false } = {}) {
  if (!isQuiet && fetching++ === 0) runs();
  try {
    const answer = await fetch(url, { headers: { Accept: "text/html" } });
    return { ok: answer.ok, redirected: answer.redirected, url: answer.url, text: await answer.text() };
  } catch {
    if (!isQuiet) tell(words.wordsFailed);
    return null;
  } finally {
    if (!isQuiet && --fetching === 0) rests();
  }
}

// Ids, addresses and hashes are copied by a button.
const readyCopies = (inside = document) => all("[data-copy]", inside).forEach((each) => {
  each.hidden = false;
  if (each.textContent.trim()) return; // it says itself what it copies
  each.title = words.wordsCopy;
  each.setAttribute("aria-label", `${words.wordsCopy} ${each.dataset.copy}`);
});
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  tell(words.wordsCopied);
  button.classList.add("copied");
  setTimeout(() => button.classList.remove("copied"), 1500);
});

// What is left of a time: by the seconds that the server said, so that clocks need not agree.
const begun = performance.now();
const unit = (value, name) => new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit: name, unitDisplay: "narrow" }).format(value);
const over = new Set();
function countDown() {
  const passed = Math.floor((performance.now() - begun) / 1000);
  for (const each of all("time[data-left]")) {
    const left = Number(each.dataset.left) - passed;
    const days = Math.floor(left / 86400), hours = Math.floor(left / 3600) % 24, minutes = Math.floor(left / 60) % 60;
    each.textContent = left <= 0 ? words.wordsOver
      : days ? `${unit(days, "day")} ${unit(hours, "hour")}`
      : hours ? `${unit(hours, "hour")} ${unit(minutes, "minute")}`
      : minutes ? `${unit(minutes, "minute")} ${unit(left % 60, "second")}` : unit(left, "second");
    // Once for each deadline, however late this tab was woken.
    const part = left <= 0 && each.closest("[data-renew]");
    if (part && !over.has(part.id + each.dateTime)) { over.add(part.id + each.dateTime); renew(part); }
  }
}

// A part of a page is fetched anew and put in its place: filters, polling, quotes.
const latest = new Map();
async function replace(id, url, options) {
  const mine = Symbol(id);
  latest.set(id, mine);
  const answer = await fetched(url, options);
  if (!answer || latest.get(id) !== mine) return;
  if (answer.redirected && new URL(answer.url).pathname.startsWith("/dashboard/sign-in")) { location.assign(location.href); return; }
  const fresh = new DOMParser().parseFromString(answer.text, "text/html").getElementById(id);
  const old = document.getElementById(id);
  if (!fresh || !old || latest.get(id) !== mine) return;
  // What is left was told now, not when the page came.
  for (const each of all("time[data-left]", fresh)) each.dataset.left = Number(each.dataset.left) + Math.floor((performance.now() - begun) / 1000);
  const held = document.activeElement?.id;
  old.replaceWith(fresh);
  if (held && fresh.contains(document.getElementById(held))) document.getElementById(held).focus();
  readyCopies(fresh);
}
const renew = (part, options) => replace(part.id, part.dataset.renew || location.href, options);
setInterval(countDown, 1000);
countDown();
for (const part of all("[data-poll]")) {
  const id = part.id, every = Number(part.dataset.poll) * 1000;
  const timer = setInterval(() => {
    const now = document.getElementById(id);
    if (!now?.dataset.poll) clearInterval(timer);
    else if (!document.hidden && !now.contains(document.activeElement)) renew(now, { isQuiet: true });
  }, every);
}

// Search as you type: a form with data-live names the part that it changes; the address follows.
for (const form of all("form[data-live]")) {
  let waiting;
  const run = () => {
    const told = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
    const url = `${form.action.split("?")[0]}?${told}`;
    history.replaceState(null, "", url);
    replace(form.dataset.live, url);
  };
  form.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(run, 200); });
  form.addEventListener("submit", (event) => { event.preventDefault(); clearTimeout(waiting); run(); });
}

// Forms: asked before, sent once, and a line that runs where it takes long.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  const by = event.submitter;
  const question = by?.dataset.confirm || form.dataset.confirm;
  if (question && !form.dataset.sure && !confirm(question)) { event.preventDefault(); return; }
  setTimeout(() => { if (by) by.disabled = true; });
});
window.addEventListener("beforeunload", runs);
window.addEventListener("pageshow", () => {
  rests();
  all("button[disabled]").forEach((each) => { each.disabled = false; });
});
document.addEventListener("click", (event) => { if (event.target.closest("a[download]")) setTimeout(rests, 1500); });

// Tick all rows at once.
document.addEventListener("change", (event) => {
  const all_ = event.target.closest("[data-ticks]");
  if (all_) all(`input[name="${all_.dataset.ticks}"]`).forEach((each) => { each.checked = all_.checked; });
});

// The palette.
const palette = document.getElementById("palette");
const shortcuts = document.getElementById("shortcuts");
if (palette) {
  const input = palette.querySelector("input");
  const found = document.getElementById("palette-found");
  const options = () => all('[role="option"]', palette).filter((each) => !each.hidden);
  const choose = (option) => {
    all('[aria-selected="true"]', palette).forEach((each) => each.setAttribute("aria-selected", "false"));
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    option ? input.setAttribute("aria-activedescendant", option.id) : input.removeAttribute("aria-activedescendant");
  };
  const open = () => { palette.showModal(); input.value = ""; filter(); input.focus(); };
  let waiting, asked = 0;
  const filter = () => {
    const text = input.value.trim().toLowerCase();
    all("#palette-list [data-text]").forEach((each) => { each.hidden = !each.dataset.text.includes(text); });
    choose(options()[0]);
    clearTimeout(waiting);
    const mine = ++asked;
    if (text.length < 2) { found.replaceChildren(); return; }
    waiting = setTimeout(async () => {
      const answer = await fetched(`/dashboard/search?part=1&q=${encodeURIComponent(input.value.trim())}`);
      if (mine !== asked || !answer?.ok) return;
      const parsed = new DOMParser().parseFromString(answer.text, "text/html");
      found.replaceChildren(...all('[role="option"]', parsed));
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

// Shortcuts: letters one after another, and rows of the first table.
let typed = [], typedAt = 0;
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("dialog[open]")) return;
  if (event.key === "?" && shortcuts) { shortcuts.showModal(); document.getElementById("shortcuts-title").focus(); return; }
  if (event.key === "/") {
    const field = document.querySelector("main input[type=search], main .filters input");
    if (field) { event.preventDefault(); field.focus(); field.select(); }
    return;
  }
  const rows = all("table[data-rows] tbody tr");
  if (rows.length && ["j", "k", "x", "Enter"].includes(event.key)) {
    const at = rows.findIndex((each) => each.classList.contains("at"));
    if (event.key === "Enter") { if (at >= 0 && event.target === document.body) rows[at].querySelector("a")?.click(); return; }
    if (event.key === "x") { rows[at]?.querySelector("input[type=checkbox]")?.click(); return; }
    const next = rows[Math.min(Math.max(at + (event.key === "j" ? 1 : -1), 0), rows.length - 1)];
    rows[at]?.classList.remove("at");
    next.classList.add("at");
    next.scrollIntoView({ block: "nearest" });
    return;
  }
  if (event.key.length !== 1) return;
  const now = performance.now();
  typed = now - typedAt < 1200 ? [...typed, event.key].slice(-2) : [event.key];
  typedAt = now;
  const place = all("[data-keys]").find((each) => each.dataset.keys === typed.join(" "));
  if (place) location.assign(place.dataset.to);
});

// Narrow screens begin with the menu closed.
const menu = document.querySelector("details.menu");
if (menu && matchMedia("(max-width: 56rem)").matches) menu.open = false;
readyCopies();
document.querySelector("[data-focus]")?.focus();
