#!/usr/bin/env bash
# Compiles the session against the generated TypeScript client and runs it against a standalone
# process of bin/dossier that it starts.
set -euo pipefail
root="$(cd "$(dirname "$0")/../.." && pwd)"
"$root/.ci/client/compile.sh"
cd "$root/.tools/client"

work="$(mktemp -d)"
read -r port hook < <(node -e 'const n = require("net"); const a = n.createServer().listen(0, "127.0.0.1"), b = n.createServer().listen(0, "127.0.0.1");
setTimeout(() => { console.log(a.address().port, b.address().port); process.exit() }, 100)')
DOSSIER_ADDR="127.0.0.1:$port" DOSSIER_DATA="$work/data" DOSSIER_ALLOW_TARGETS="127.0.0.1:$hook" "$root/bin/dossier" serve >"$work/out" 2>"$work/log" &
pid=$!
trap 'kill "$pid" 2>/dev/null; wait "$pid" 2>/dev/null || true; rm -rf "$work"' EXIT
for _ in $(seq 100); do
	key="$(sed -n 's/^admin key: //p' "$work/out")"
	[ -n "$key" ] && break
	kill -0 "$pid" 2>/dev/null || { cat "$work/log" >&2; exit 1; }
	sleep 0.2
done
BASE_URL="http://127.0.0.1:$port" KEY="$key" HOOK_PORT="$hook" PDF="$root/pkg/check/testdata/chromium-plain.pdf" node out/session.js
