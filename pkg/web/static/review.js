// The picture of a part: zoom, turn, and moving it with the pointer.

const view = document.querySelector(".part");
const image = view?.querySelector("img");
let turn = 0, zoom = 1;

function apply() {
  view.classList.remove("turn1", "turn2", "turn3");
  if (turn) view.classList.add(`turn${turn}`);
  view.classList.toggle("zoomed", zoom > 1);
  image.width = zoom > 1 ? Math.round(view.clientWidth * zoom) : image.naturalWidth;
}

const acts = {
  turn: () => { turn = (turn + 1) % 4; },
  in: () => { zoom = Math.min(zoom * 1.4, 6); },
  out: () => { zoom = Math.max(zoom / 1.4, 1); },
};

if (image) {
  document.addEventListener("click", (event) => {
    const act = event.target.closest("[data-view]")?.dataset.view;
    if (act) { acts[act](); apply(); }
  });
  let from = null;
  image.draggable = false;
  view.addEventListener("pointerdown", (event) => { from = [event.clientX + view.scrollLeft, event.clientY + view.scrollTop]; });
  window.addEventListener("pointermove", (event) => {
    if (from && event.buttons) view.scrollTo(from[0] - event.clientX, from[1] - event.clientY);
    else from = null;
  });
}

// A PDF comes by a link that downloads it; it is shown here by the browser's own viewer, of a type
// that is no page.
const frame = document.querySelector("[data-pdf]");
if (frame) {
  try {
    const answer = await fetch(frame.dataset.pdf, { credentials: "omit" });
    if (!answer.ok) throw new Error(String(answer.status));
    const shown = document.createElement("iframe");
    shown.title = "The document";
    shown.src = URL.createObjectURL(new Blob([await answer.arrayBuffer()], { type: "application/pdf" }));
    frame.replaceChildren(shown);
  } catch { /* the link stays */ }
}
