// The parts of a document: one is shown at a time, so that what was typed beside them stays. A
// picture is turned, scaled, and moved with the pointer.

const looks = new Map([...document.querySelectorAll("[data-part]")].map((part) => [part, { turn: 0, zoom: 1 }]));
const tabs = document.querySelectorAll(".tabs a");
let shown = null;

/** Shows one part. */
function show(part) {
  shown = part;
  for (const other of looks.keys()) other.hidden = other !== part;
  for (const tab of tabs) {
    if (tab.hash === `#${part.id}`) tab.setAttribute("aria-current", "true");
    else tab.removeAttribute("aria-current");
  }
  for (const tool of document.querySelectorAll("[data-view]")) tool.hidden = !part.querySelector("img");
}

function apply(look) {
  const view = shown.querySelector(".part"), image = view.querySelector("img");
  view.classList.remove("turn1", "turn2", "turn3");
  if (look.turn) view.classList.add(`turn${look.turn}`);
  view.classList.toggle("zoomed", look.zoom > 1);
  image.width = look.zoom > 1 ? Math.round(view.clientWidth * look.zoom) : image.naturalWidth;
}

const acts = {
  turn: (look) => { look.turn = (look.turn + 1) % 4; },
  in: (look) => { look.zoom = Math.min(look.zoom * 1.4, 6); },
  out: (look) => { look.zoom = Math.max(look.zoom / 1.4, 1); },
};

if (looks.size) {
  show(looks.keys().next().value);
  document.addEventListener("click", (event) => {
    const tab = event.target.closest(".tabs a");
    if (tab) { event.preventDefault(); show(document.querySelector(tab.hash)); }
    const act = event.target.closest("[data-view]")?.dataset.view;
    if (act && shown.querySelector("img")) { acts[act](looks.get(shown)); apply(looks.get(shown)); }
  });
}

for (const image of document.querySelectorAll(".part img")) {
  const view = image.closest(".part");
  let from = null;
  image.draggable = false;
  view.addEventListener("pointerdown", (event) => { from = [event.clientX + view.scrollLeft, event.clientY + view.scrollTop]; });
  window.addEventListener("pointermove", (event) => {
    if (from && event.buttons) view.scrollTo(from[0] - event.clientX, from[1] - event.clientY);
    else from = null;
  });
}

/** A date as the file has it: the day comes first. */
function plain(text) {
  return text.trim().replace(/^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/, (_, day, __, month, year) => `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`);
}

// Whoever changes a value sees that it is no longer the one that was read, and whether it is the
// one on file.
document.getElementById("values")?.addEventListener("input", ({ target }) => {
  const field = target.closest(".field"), { read, file } = target.dataset;
  if (read === undefined) return;
  const now = plain(target.value), same = now === read || target.value === read;
  const said = field.querySelector(".conf"), meter = field.querySelector("meter"), differs = field.querySelector(".differs");
  said.textContent = same ? said.dataset.said : "changed by you";
  said.classList.toggle("low", same && said.dataset.said === "please compare");
  if (meter) meter.hidden = !same;
  if (differs) differs.hidden = !now || now.toLowerCase() === file.toLowerCase();
});

// What was typed about this version of the document is there again on coming back to it: after
// looking at the next one, and after loading the page again.
const typed = document.querySelector("[data-version]");
if (typed) {
  const key = `review ${typed.dataset.version}`;
  const inputs = [...typed.querySelectorAll("form input[id]")], note = document.getElementById("typed"), discard = document.getElementById("discard");
  const now = (input) => (input.type === "radio" ? input.checked : input.value);
  const first = (input) => (input.type === "radio" ? false : input.dataset.read ?? "");
  const put = (input, value) => {
    if (input.type === "radio") input.checked = value;
    else input.value = value;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const kept = JSON.parse(sessionStorage.getItem(key)) ?? {};
  for (const input of inputs) {
    if (!(input.id in kept) || kept[input.id] === now(input)) continue;
    put(input, kept[input.id]);
    note.textContent = "What you typed here before is back.";
    note.append(discard);
    note.hidden = discard.hidden = false;
  }
  typed.addEventListener("input", () => {
    const all = inputs.filter((input) => now(input) !== first(input)).map((input) => [input.id, now(input)]);
    if (all.length) sessionStorage.setItem(key, JSON.stringify(Object.fromEntries(all)));
    else sessionStorage.removeItem(key);
  });
  discard.addEventListener("click", () => {
    for (const input of inputs) put(input, first(input));
    note.hidden = true;
    inputs[0].focus();
  });
}

// The place of a value on its picture stands out while its field has the caret.
for (const name of ["focusin", "focusout"]) document.addEventListener(name, ({ target }) => {
  for (const place of document.querySelectorAll("[data-box]")) place.classList.toggle("on", name === "focusin" && place.dataset.box === target.name);
});

// A PDF comes by a link that downloads it; it is shown here by the browser's own viewer, of a type
// that is no page.
for (const frame of document.querySelectorAll("[data-pdf]")) {
  try {
    const answer = await fetch(frame.dataset.pdf, { credentials: "omit" });
    if (!answer.ok) throw new Error(String(answer.status));
    const viewer = document.createElement("iframe");
    viewer.title = "The document";
    viewer.src = `${URL.createObjectURL(new Blob([await answer.arrayBuffer()], { type: "application/pdf" }))}#navpanes=0`;
    frame.replaceChildren(viewer);
  } catch { /* the link stays */ }
}
