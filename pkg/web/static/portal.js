// What script adds to the candidate's pages: the token of a link, dates in the reader's words,
// smaller pictures, progress and another try after a lost connection, and a page that follows what
// is being read.

const lang = document.documentElement.lang;
const longDay = new Intl.DateTimeFormat(lang, { dateStyle: "long", timeZone: "UTC" });
const longMoment = new Intl.DateTimeFormat(lang, { dateStyle: "medium", timeStyle: "short" });

function prepare(root) {
  for (const form of root.querySelectorAll("[data-upload]")) form.querySelector(".wide").hidden = form.querySelectorAll("fieldset").length === 1;
  const change = document.querySelector("[data-language] button");
  if (change) change.hidden = true;
  for (const time of root.querySelectorAll("time[data-day]")) time.textContent = longDay.format(new Date(time.dateTime));
  for (const time of root.querySelectorAll("time[data-moment]")) time.textContent = longMoment.format(new Date(time.dateTime));
}

/** Trades the token behind the # of a link, which no server sees, for the cookie; the newest link wins. */
function useLink() {
  if (!location.hash.startsWith("#dst_")) return;
  const entry = document.createElement("form"), token = document.createElement("input");
  Object.assign(entry, { method: "post", action: "/c/signin", hidden: true });
  Object.assign(token, { name: "token", value: location.hash.slice(1) });
  entry.append(token);
  document.body.append(entry);
  history.replaceState(null, "", location.pathname);
  entry.requestSubmit();
}
window.addEventListener("hashchange", useLink);
useLink();

/** Makes a picture at most 2,500 pixels wide and high; what is no picture stays as it is. */
async function shrink(file) {
  if (!file.type.startsWith("image/")) return file;
  try {
    const picture = await createImageBitmap(file, { imageOrientation: "from-image" });
    const scale = Math.min(1, 2500 / Math.max(picture.width, picture.height));
    if (scale === 1 && file.size < 1_500_000 && /png|jpeg/.test(file.type)) return file;
    const canvas = new OffscreenCanvas(Math.round(picture.width * scale), Math.round(picture.height * scale));
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    const blob = await canvas.convertToBlob({ type: "image/jpeg", quality: 0.88 });
    return new File([blob], file.name.replace(/\.\w+$/, "") + ".jpg", { type: "image/jpeg" });
  } catch { return file; }
}

// What a form of this site takes; larger files go straight to where files are kept.
const inline = 3_900_000;

/** Sends a form; after a lost connection again, with the same key, so that it acts once. */
async function deliver(form) {
  const said = form.querySelector(".progress");
  const data = new FormData(), files = [];
  for (const [name, value] of new FormData(form)) {
    const sent = value instanceof File && value.size > 0 ? await shrink(value) : value;
    if (sent instanceof File && sent.size === 0) continue;
    data.append(name, sent);
    if (sent instanceof File) files.push([name, sent]);
  }
  const large = crypto.subtle && files.reduce((sum, [, file]) => sum + file.size, 0) > inline;
  for (const control of form.querySelectorAll("button, input")) control.disabled = true;
  said.textContent = document.body.dataset.sending;
  for (let wait = 1000; ; wait = Math.min(wait * 2, 30000)) {
    try {
      const answer = large ? await (await import(document.body.dataset.large)).send(form.dataset.upload, data.get("_key"), files) :
        await fetch(form.action, { method: "POST", body: data });
      if (answer.ok) { location.assign("/c"); return; }
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      document.getElementById("main").replaceChildren(...page.getElementById("main").childNodes);
      prepare(document);
      return;
    } catch {
      said.textContent = document.body.dataset.lost;
      await new Promise((done) => setTimeout(done, wait));
    }
  }
}

/** Keeps what was typed while the page comes back in another language, and sends a form once. */
const typed = document.querySelector("form[data-keep]");
if (typed) {
  const kept = sessionStorage.getItem(location.pathname);
  sessionStorage.removeItem(location.pathname);
  for (const [name, value] of JSON.parse(kept) ?? []) if (name !== "website") typed.elements[name].value = value;
  let sent = false;
  typed.addEventListener("submit", (event) => { if (sent) event.preventDefault(); sent = true; });
  window.addEventListener("pageshow", () => { sent = false; });
  document.querySelector("[data-language]").addEventListener("submit", () => {
    const values = [...new FormData(typed)].filter(([name]) => name !== "language");
    sessionStorage.setItem(location.pathname, JSON.stringify(values));
  });
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-upload]")) return;
  event.preventDefault();
  deliver(event.target);
});
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-language] select")) event.target.form.requestSubmit();
  const form = event.target.closest("[data-upload]");
  if (!form || event.target.type !== "file") return;
  const set = event.target.closest("fieldset");
  for (const other of set.querySelectorAll("input")) if (other !== event.target) other.value = "";
  set.querySelector(".chosen").textContent = event.target.files[0]?.name ?? "";
  if (form.querySelectorAll("fieldset").length === 1) form.requestSubmit();
});

/** Follows what is being read. */
async function follow(wait, tag) {
  await new Promise((done) => setTimeout(done, wait));
  try {
    const answer = await fetch(location.href, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
    if (answer.status === 200) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const part of document.querySelectorAll("[data-live]")) {
        const fresh = page.getElementById(part.id);
        if (fresh && !part.contains(document.activeElement)) part.replaceChildren(...fresh.childNodes);
      }
      prepare(document);
      if (!page.body.hasAttribute("data-poll")) return;
      return follow(1000, answer.headers.get("ETag"));
    }
  } catch { /* the connection is away for a moment */ }
  return follow(Math.min(wait * 1.4, 15000), tag);
}

prepare(document);
if (document.body.hasAttribute("data-poll")) follow(1000, "");
