/**
 * What the developer's pages do with script and can do without: times in the reader's zone, a code
 * that signs in after its sixth digit, copying, drafts until they are sent, and a link's token,
 * which stands behind `#`.
 */
export const script = `"use strict";
const all = (selector) => document.querySelectorAll(selector);
const language = document.documentElement.lang;
const known = Intl.DateTimeFormat.supportedLocalesOf([language]).length ? language : "en";
for (const one of all("time[datetime]")) {
  const style = one.dataset.day === undefined ? { dateStyle: "medium", timeStyle: "long" } : { dateStyle: "medium" };
  one.textContent = new Intl.DateTimeFormat(known, style).format(new Date(one.dateTime));
}
for (const one of all("input.digits")) {
  one.addEventListener("input", () => {
    one.value = one.value.replace(/\\D/g, "").slice(0, 6);
    if (one.value.length === 6 && one.form.dataset.sent === undefined) {
      one.form.dataset.sent = "";
      one.form.requestSubmit();
    }
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
for (const form of all("form[data-draft]")) {
  const name = "draft " + form.dataset.draft;
  const fields = () => [...form.elements].filter((one) => one.name && one.type !== "hidden" && one.type !== "submit");
  try {
    const kept = JSON.parse(localStorage.getItem(name) ?? "{}");
    for (const one of fields()) if (!one.value && typeof kept[one.name] === "string") one.value = kept[one.name];
    form.addEventListener("input", () => {
      localStorage.setItem(name, JSON.stringify(Object.fromEntries(fields().map((one) => [one.name, one.value]))));
    });
  } catch { /* Storage may be closed. */ }
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
}
for (const one of all("[data-sent-draft]")) {
  try { localStorage.removeItem("draft " + one.dataset.sentDraft); } catch { /* Storage may be closed. */ }
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
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.closest("input,textarea,select")) return;
  const search = document.querySelector("input[type=search]");
  if (search) { event.preventDefault(); search.focus(); }
});
`;
