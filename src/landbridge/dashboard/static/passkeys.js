// Signing in with a passkey, and making one, where the browser can.

// What the server says in words of its own.
class Refusal extends Error {}

async function ask(form, path, body) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRF-Token": form.dataset.csrf },
    body: JSON.stringify(body),
  });
  const told = await answer.json();
  if (!answer.ok) throw new Refusal(told.message);
  return told;
}

async function signIn(form) {
  const options = await ask(form, "/dashboard/sign-in/passkey/options", {});
  const credential = await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  const query = new URLSearchParams({ next: form.dataset.next });
  return ask(form, `/dashboard/sign-in/passkey/finish?${query}`, credential.toJSON());
}

async function add(form) {
  const name = new FormData(form).get("name");
  const options = await ask(form, "/dashboard/profile/passkeys/options", {});
  const credential = await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
  return ask(form, "/dashboard/profile/passkeys/finish", { name, credential: credential.toJSON() });
}

function run(form, work) {
  const problem = form.querySelector("[data-problem]"), button = form.querySelector("button");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.textContent = "";
    button.disabled = true;
    try {
      const { next } = await work(form);
      location.assign(next);
    } catch (error) {
      problem.textContent = error instanceof Refusal ? error.message : form.dataset.failed;
    } finally {
      button.disabled = false;
    }
  });
}

const entry = document.querySelector("form[data-passkey]");
if (entry && window.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  entry.hidden = false;
  run(entry, signIn);
}

const adding = document.querySelector("form[data-passkey-add]");
if (adding) {
  if (window.PublicKeyCredential?.parseCreationOptionsFromJSON) {
    adding.hidden = false;
    run(adding, add);
  } else {
    adding.hidden = false;
    adding.replaceChildren(adding.dataset.impossible);
  }
}
