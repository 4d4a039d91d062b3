/**
 * The optional script of the developer's pages: times in the reader's zone, a code that signs in
 * after its sixth digit, copying, drafts until they are sent, and a link's token, which is behind
 * `#`. Drafts are kept by developer: another developer's sign-in removes the earlier ones.
 */
"use strict";
const all = (selector) => document.querySelectorAll(selector);
const language = document.documentElement.lang;
const known = Intl.DateTimeFormat.supportedLocalesOf([language]).length ? language : "en";
for (const one of all("time[datetime]")) {
  const style = one.dataset.day === undefined
    ? { dateStyle: "medium", timeStyle: "long" }
    : { dateStyle: "medium" };
  one.textContent = new Intl.DateTimeFormat(known, style).format(new Date(one.dateTime));
}
for (const one of all("[data-zone]")) {
  one.textContent = Intl.DateTimeFormat().resolvedOptions().timeZone;
}
for (const one of all("[data-end-of]")) {
  one.form.addEventListener("submit", () => {
    const end = new Date(document.getElementById(one.dataset.endOf).value + "T23:59:59");
    one.value = isNaN(end) ? "" : end.toISOString();
  });
}
for (const one of all("input.digits")) {
  const { form } = one;
  // Enter behind the sixth digit does not send a code twice: it works once.
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent !== undefined) event.preventDefault();
    form.dataset.sent = "";
  });
  addEventListener("pageshow", () => delete form.dataset.sent);
  one.addEventListener("input", () => {
    one.value = one.value.replace(/\D/g, "").slice(0, 6);
    if (one.value.length === 6 && form.dataset.sent === undefined) form.requestSubmit();
  });
}
for (const one of all("button[data-copy]")) {
  one.hidden = false;
  one.addEventListener("click", async () => {
    const text = document.getElementById(one.dataset.copy).textContent;
    await navigator.clipboard.writeText(text);
    one.textContent = one.dataset.done;
  });
}
for (const one of all("form[data-scripted]")) one.hidden = false;
for (const form of all("form[data-try]")) {
  const { tryKey, base, header, failed, outside } =
    document.querySelector("[data-try-key]").dataset;
  const [said, shown] = [form.querySelector("[role=status]"), form.querySelector("pre")];
  // No path and no value may lead the key away from the base URL.
  const root = new URL(base.replace(/\/*$/, "/")).href;
  const request = () => {
    let path = form.dataset.path.replace(/^\/+/, "");
    const [query, headers] = [new URLSearchParams(), new Headers()];
    let body;
    for (const { dataset: { in: place, name }, value } of form.querySelectorAll("[data-in]")) {
      if (place === "path") path = path.replaceAll("{" + name + "}", encodeURIComponent(value));
      else if (value === "") continue;
      else if (place === "query") query.append(name, value);
      else if (place === "header") headers.set(name, value);
      else {
        body = value;
        headers.set("content-type", name);
      }
    }
    headers.set(header, tryKey);
    const { method } = form.dataset;
    if (["GET", "HEAD"].includes(method)) body = undefined;
    return [new URL(root + path + (query.size > 0 ? "?" + query : "")), { method, headers, body }];
  };
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    shown.hidden = true;
    said.textContent = "…";
    try {
      const [url, init] = request();
      if (!url.href.startsWith(root)) {
        said.textContent = outside;
        return;
      }
      const began = performance.now();
      const answer = await fetch(url, {
        ...init,
        credentials: "omit",
        redirect: "error",
        referrerPolicy: "no-referrer",
        cache: "no-store",
      });
      const text = (await answer.text()).slice(0, 100000);
      const took = Math.round(performance.now() - began);
      said.textContent = answer.status + " " + answer.statusText + " · " + took + " ms";
      shown.textContent = [...answer.headers].map((pair) => pair.join(": ")).join("\n") + "\n\n" +
        text;
      shown.hidden = false;
    } catch {
      said.textContent = failed;
    }
  });
}
const owner = document.documentElement.dataset.drafts;
const mine = "draft " + owner + " ";
if (owner) {
  try {
    for (const name of Object.keys(localStorage)) {
      if (name.startsWith("draft ") && !name.startsWith(mine)) localStorage.removeItem(name);
    }
  } catch { /* Storage may be closed. */ }
}
for (const form of owner ? all("form[data-draft]") : []) {
  const name = mine + form.dataset.draft;
  const fields = () =>
    [...form.elements].filter((one) => one.name && one.type !== "hidden" && one.type !== "submit");
  try {
    const kept = JSON.parse(localStorage.getItem(name) ?? "{}");
    for (const one of fields()) {
      if (!one.value && typeof kept[one.name] === "string") one.value = kept[one.name];
    }
    form.addEventListener("input", () => {
      localStorage.setItem(
        name,
        JSON.stringify(Object.fromEntries(fields().map((one) => [one.name, one.value]))),
      );
    });
  } catch { /* Storage may be closed. */ }
}
for (const one of all("[data-sent-draft]")) {
  try {
    localStorage.removeItem(mine + one.dataset.sentDraft);
  } catch { /* Storage may be closed. */ }
}
for (const form of all("form[data-from-hash]")) {
  const token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  if (token !== "") {
    form.elements.namedItem("link").value = token;
    form.hidden = false;
    form.requestSubmit();
  }
}
for (const form of all("form[data-at-once]")) {
  history.replaceState(null, "", location.pathname);
  form.requestSubmit();
}
for (const form of all("form[data-guard]")) {
  const tick = form.querySelector("input[type=checkbox]");
  const done = form.querySelector("button.main");
  const secrets = all("[data-env]");
  done.disabled = !tick.checked;
  tick.addEventListener("change", () => {
    done.disabled = !tick.checked;
  });
  addEventListener("beforeunload", (event) => {
    if (!tick.checked) event.preventDefault();
  });
  form.addEventListener("submit", () => {
    for (const one of secrets) one.textContent = "";
  });
  const save = form.querySelector("[data-save-env]");
  save.hidden = false;
  save.addEventListener("click", () => {
    const lines = [...secrets].map((one) => one.dataset.env + "=" + one.textContent + "\n");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(lines, { type: "text/plain" }));
    link.download = ".env";
    link.click();
    URL.revokeObjectURL(link.href);
  });
}
for (const one of all("[data-first-call]")) {
  one.hidden = false;
  let left = 900;
  const look = async () => {
    if (document.hidden) return setTimeout(look, 1000);
    try {
      const answer = await fetch(one.dataset.firstCall);
      const { last_used_at: at, use: { total } } = await answer.json();
      const refused = [401, 403, 429].find((status) => total["refused_" + status] > 0);
      if (at !== null || refused) {
        one.className = at === null ? "said bad" : "said good";
        one.textContent = at === null
          ? one.dataset.refused + " " + refused
          : one.dataset.passed + " " +
            new Intl.DateTimeFormat(known, { timeStyle: "long" }).format(new Date(at));
        if (at !== null) return;
      }
    } catch { /* The next look may be luckier. */ }
    if (--left > 0) setTimeout(look, 1000);
  };
  look();
}
for (const one of all("[data-here]")) history.replaceState(null, "", one.dataset.here);
for (const one of all("[data-for-seconds]")) {
  setTimeout(() => {
    one.hidden = true;
  }, 1000 * one.dataset.forSeconds);
}
for (const one of all("[data-offline]")) {
  const now = one.querySelector("time");
  now.textContent = new Intl.DateTimeFormat(known, { timeStyle: "short" }).format(new Date());
  const tell = () => {
    one.hidden = navigator.onLine;
  };
  addEventListener("online", tell);
  addEventListener("offline", tell);
}
const places = { a: "/portal", k: "/portal/keys", r: "/portal/requests" };
let went = -Infinity;
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    document.querySelector("form[data-draft]")?.requestSubmit();
  }
  if (
    event.ctrlKey || event.metaKey || event.altKey ||
    document.documentElement.dataset.noShortcuts !== undefined
  ) return;
  const field = event.target.closest("input,textarea,select");
  if (field) {
    if (event.key === "Escape") field.blur();
    return;
  }
  const key = event.key.toLowerCase();
  const isPlace = performance.now() - went < 1500;
  went = -Infinity;
  if (key === "escape") { for (const one of all("details[data-key][open]")) one.open = false; }
  else if (isPlace && places[key] && document.querySelector("nav.main")) {
    location.assign(places[key]);
  } else if (key === "g") went = performance.now();
  else if (key === "n") {
    const ask = document.querySelector("a[data-ask]");
    if (ask) location.assign(ask.href + "#f-0");
  } else if (key === "/") {
    const search = document.querySelector("input[type=search]");
    if (search) {
      event.preventDefault();
      search.focus();
    }
  } else if (key.length === 1 && /[a-z]/.test(key)) {
    const one = document.querySelector("details[data-key=" + key + "]");
    if (one) {
      one.open = true;
      one.querySelector("form button").focus();
    }
  }
});
