// Sign-in with a passkey and registration of passkeys, where the browser supports them.

// A refusal with the server's message.
class Refusal extends Error {}

async function postJson(form, path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRF-Token": form.dataset.csrf },
    body: JSON.stringify(body),
  });
  const result = await response.json();
  if (!response.ok) throw new Refusal(result.message);
  return result;
}

async function signIn(form) {
  const options = await postJson(form, "/dashboard/sign-in/passkey/options", {});
  const credential = await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  const query = new URLSearchParams({ next: form.dataset.next });
  return postJson(form, `/dashboard/sign-in/passkey/finish?${query}`, credential.toJSON());
}

async function register(form) {
  const name = new FormData(form).get("name");
  const options = await postJson(form, "/dashboard/profile/passkeys/options", {});
  const credential = await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
  return postJson(form, "/dashboard/profile/passkeys/finish", { name, credential: credential.toJSON() });
}

function handleSubmit(form, action) {
  const problem = form.querySelector("[data-problem]"), button = form.querySelector("button");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.textContent = "";
    button.disabled = true;
    try {
      const { next } = await action(form);
      location.assign(next);
    } catch (error) {
      problem.textContent = error instanceof Refusal ? error.message : form.dataset.failed;
    } finally {
      button.disabled = false;
    }
  });
}

const signInForm = document.querySelector("form[data-passkey]");
if (signInForm && window.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  signInForm.hidden = false;
  handleSubmit(signInForm, signIn);
}

const registration = document.querySelector("form[data-passkey-add]");
if (registration) {
  if (window.PublicKeyCredential?.parseCreationOptionsFromJSON) {
    registration.hidden = false;
    handleSubmit(registration, register);
  } else {
    registration.hidden = false;
    registration.replaceChildren(registration.dataset.impossible);
  }
}
