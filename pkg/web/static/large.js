// Sends files that are too large for a form of this site straight to where files are kept. The
// portal loads it for them only.

const hex = (bytes) => [...new Uint8Array(bytes)].map((b) => b.toString(16).padStart(2, "0")).join("");

/** Says what a file is, for announcing it: by its first bytes, as the server looks at it. */
async function announcement(name, file) {
  const bytes = await file.arrayBuffer();
  const kinds = { "25504446": "application/pdf", ffd8ffe0: "image/jpeg", ffd8ffe1: "image/jpeg", "89504e47": "image/png" };
  const heic = /^66747970(68656963|68656978|6d696631)/.test(hex(bytes.slice(4, 12))) && "image/heic";
  return { name, fileName: file.name, contentType: kinds[hex(bytes.slice(0, 4))] ?? (heic || file.type), size: file.size,
    sha256: hex(await crypto.subtle.digest("SHA-256", bytes)) };
}

const post = (path, fields) => fetch(path, { method: "POST", body: new URLSearchParams(fields) });

/** Sends large files: announces them, gives each to its form, and has them taken. */
export async function send(request, key, files) {
  const parts = await Promise.all(files.map(([name, file]) => announcement(name, file)));
  const planned = await post("/c/announce/" + request, { _key: key, parts: JSON.stringify(parts) });
  if (!planned.headers.get("Content-Type").startsWith("application/json")) return planned;
  const { uploadId, forms } = await planned.json();
  for (const [n, form] of forms.entries()) {
    const data = new FormData();
    for (const [name, value] of Object.entries(form.fields)) data.append(name, value);
    data.append("file", files[n][1]);
    const taken = await fetch(form.url, { method: "POST", body: data });
    if (taken.status >= 500) throw new Error("again");
  }
  return post("/c/commit/" + request, { _key: key + "-commit", uploadId });
}
