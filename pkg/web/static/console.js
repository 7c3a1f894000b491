// What script adds to the console: exact times in the reader's zone, copying, pages that follow
// work under way, keys.

const zoned = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "long", timeStyle: "medium" });

/** Writes exact times in the reader's zone, and shows what needs script. */
function prepare(root) {
  for (const time of root.querySelectorAll("time[datetime]")) time.title = zoned.format(new Date(time.dateTime));
  if (navigator.clipboard) for (const button of root.querySelectorAll("[data-copy]")) button.hidden = false;
  for (const node of root.querySelectorAll("[data-script]")) node.hidden = false;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  const before = button.innerHTML;
  button.textContent = "Copied";
  setTimeout(() => { button.innerHTML = before; }, 1500);
});

/** Asks before a form does what can't be undone, and sends each form once. */
document.addEventListener("submit", (event) => {
  const ask = event.submitter?.dataset.confirm ?? event.target.dataset.confirm;
  if (ask && !confirm(ask)) { event.preventDefault(); return; }
  if (event.target.dataset.sent) { event.preventDefault(); return; }
  event.target.dataset.sent = "yes";
});
window.addEventListener("pageshow", () => { for (const form of document.forms) delete form.dataset.sent; });

// What a reviewer types is kept for the tab, until the document is decided on or they sign out.
const decided = document.querySelector("[data-decided]")?.dataset.decided;
if (decided) for (const key of Object.keys(sessionStorage)) if (key.startsWith(`review ${decided} `)) sessionStorage.removeItem(key);
document.addEventListener("submit", (event) => { if (event.target.matches("[action='/console/signout']")) sessionStorage.clear(); });

let tag = "";

/** Replaces the parts of the page that live, by their ids, unless somebody types in them. */
function replace(html) {
  const next = new DOMParser().parseFromString(html, "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const fresh = next.getElementById(part.id);
    if (!fresh || part.contains(document.activeElement) || part.querySelector("details[open]")) continue;
    if (fresh.innerHTML === part.dataset.html) continue;
    part.dataset.html = fresh.innerHTML;
    part.replaceChildren(...fresh.childNodes);
    prepare(part);
  }
  return next.body.hasAttribute("data-poll");
}

/** Follows what is under way: asks every second at first, then slower. */
async function follow(wait) {
  await new Promise((done) => setTimeout(done, wait));
  if (document.hidden) return follow(wait);
  let more = true;
  try {
    const answer = await fetch(location.href, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
    if (answer.status === 200) {
      tag = answer.headers.get("ETag") ?? "";
      more = replace(await answer.text());
      wait = 1000;
    } else if (answer.status !== 304) return;
  } catch { /* the connection is away for a moment */ }
  if (more) follow(Math.min(wait * 1.4, 15000));
}

/** Puts the caret into the form that a control has opened. */
function enter(details) {
  if (!details.open || details.querySelector("form")?.contains(document.activeElement)) return;
  details.querySelector("form :is(input:not([type=hidden]), textarea, select)")?.focus();
}
document.addEventListener("toggle", (event) => {
  if (event.target.matches(".actions > details")) enter(event.target);
}, true);

/** One key for one control: data-hot="v" is pressed by V, unless somebody types or a form is open. Escape closes that. */
document.addEventListener("keydown", (event) => {
  const target = event.target instanceof Element ? event.target : document.body;
  const open = target.closest(".actions > details[open]") ?? document.querySelector(".actions > details[open]");
  if (event.key === "Escape") {
    if (open) { open.open = false; open.querySelector("summary").focus(); } else target.blur();
    return;
  }
  if (open || event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.isContentEditable || target.closest("input, textarea, select")) return;
  const control = [...document.querySelectorAll("[data-hot]")].find((c) => c.dataset.hot === event.key.toLowerCase());
  if (!control) return;
  event.preventDefault();
  if (control.localName === "summary") { control.parentElement.open = true; enter(control.parentElement); }
  else if (control.localName === "input") control.focus();
  else control.click();
});

/** Rows of a form that can be added and taken away; without script a saved form has empty rows to fill in. */
document.addEventListener("click", (event) => {
  const add = event.target.closest("[data-add]");
  const remove = event.target.closest("[data-remove]");
  if (add) {
    const copy = document.getElementById(add.dataset.add).content.cloneNode(true);
    const place = add.closest("[data-rows]").querySelector("[data-list]");
    place.append(copy);
    prepare(place);
    place.lastElementChild.querySelector("input, select, textarea")?.focus();
  }
  if (remove) remove.closest("[data-row]").remove();
});

/** Chooses all rows of a table at once. */
document.addEventListener("change", (event) => {
  if (!event.target.matches("[data-all]")) return;
  for (const box of event.target.closest("table").querySelectorAll("tbody [type=checkbox]")) box.checked = event.target.checked;
});

/** A sign-in link carries its secret behind the #, which no server sees: it is sent as a form. */
function useLink() {
  const signin = document.querySelector("[data-signin]");
  if (!signin || !location.hash.startsWith("#dsl_")) return;
  signin.elements.key.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  signin.requestSubmit();
}
window.addEventListener("hashchange", useLink);
useLink();

// A form for many candidates goes on by itself.
const rest = document.querySelector("[data-continue]");
if (rest) setTimeout(() => rest.requestSubmit(), 400);

prepare(document);
if (document.body.hasAttribute("data-poll")) follow(1000);
