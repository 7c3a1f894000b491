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
      if (answer.status === 401) {
        for (const control of form.querySelectorAll("button, input")) control.disabled = false;
        said.textContent = document.body.dataset.ended;
        form.querySelector(".wide").hidden = false;
        return;
      }
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

// What is typed is kept in the browser until it was sent: for a day under the candidate's id, or,
// before there is one, for the tab. It is never kept on the server.
const who = document.body.dataset.candidate, store = who ? localStorage : sessionStorage;
const mark = "typed " + (who ?? "") + " ", day = 86400000;

/** Returns [key, draft] of everything that is kept on this device and is younger than a day. */
function drafts() {
  const all = [];
  for (const area of [localStorage, sessionStorage]) for (const key of Object.keys(area)) {
    if (!key.startsWith("typed ")) continue;
    const draft = JSON.parse(area[key]);
    if (draft.at < Date.now() - day) area.removeItem(key);
    else all.push([key, draft, area]);
  }
  return all;
}

/** Keeps what is typed in a form, also when it comes back in another language, and sends it once. */
function keep(form) {
  const key = mark + form.getAttribute("action"), own = form.elements._key, fresh = own?.value;
  const kept = form.querySelector(".bad") ? null : JSON.parse(store.getItem(key));
  for (const [name, value] of kept?.values ?? []) if (form.elements[name]) form.elements[name].value = value;
  if (kept?.key && own) own.value = kept.key;
  let sent = false;
  const save = () => {
    const values = [...new FormData(form)].filter(([name, value]) => value && !/^_|^language$|^website$/.test(name));
    store.setItem(key, JSON.stringify({ at: Date.now(), values, key: sent && own?.value }));
  };
  form.addEventListener("input", () => { if (own) own.value = fresh; save(); });
  form.addEventListener("submit", (event) => { if (sent) event.preventDefault(); sent = true; save(); });
  window.addEventListener("pageshow", () => { sent = false; });
}

const arrived = new URLSearchParams(location.search).get("sent");
if (arrived) {
  for (const [key, draft, area] of drafts()) if (draft.key === arrived) area.removeItem(key);
  history.replaceState(null, "", location.pathname);
}
for (const form of document.querySelectorAll("form[data-keep]")) keep(form);
const unsent = document.querySelector("[data-unsent]"), draft = drafts().find(([key]) => who && key.startsWith(mark + "/c/"));
if (unsent && draft) {
  unsent.hidden = false;
  unsent.querySelector("a").href = draft[0].slice(mark.length);
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-upload]")) return;
  event.preventDefault();
  deliver(event.target);
});
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[action='/c/signout']")) return;
  for (const [key, , area] of drafts()) if (key.startsWith(mark)) area.removeItem(key);
});
/** Whether a picture that was chosen is blurred; where that can't be said, it is not. */
async function isBlurred(file) {
  if (!file?.type.startsWith("image/")) return false;
  try { return await (await import(document.body.dataset.sharp)).blurred(file); } catch { return false; }
}

document.addEventListener("change", async (event) => {
  if (event.target.matches("[data-language] select")) event.target.form.requestSubmit();
  const form = event.target.closest("[data-upload]");
  if (!form || event.target.type !== "file") return;
  const set = event.target.closest("fieldset");
  for (const other of set.querySelectorAll("input")) if (other !== event.target) other.value = "";
  const file = event.target.files[0], warning = set.querySelector("[data-blurred]");
  set.querySelector(".chosen").textContent = file?.name ?? "";
  warning.hidden = true;
  const blurred = await isBlurred(file);
  if (file !== event.target.files[0]) return; // another one was chosen meanwhile
  warning.hidden = !blurred;
  if (file && !blurred && form.querySelectorAll("fieldset").length === 1) form.requestSubmit();
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
