#!/usr/bin/env bash
# Holds a running process against its OpenAPI document: Schemathesis makes up requests, good and bad, and every answer has to be in
# the document and no failure of the server. Without BASE_URL and KEY a standalone process of bin/dossier is started for it.
#   BASE_URL, KEY   the process and an administrator's key of it
#   MAX_EXAMPLES    test cases per operation and phase [20]
#   SEED            makes the same requests again [1]
#   REPORT_DIR      where the reports go [.tools/schemathesis]
set -euo pipefail
root="$(cd "$(dirname "$0")/../.." && pwd)"
here="$root/.ci/schemathesis"
venv="$root/.tools/venv-schemathesis"
reports="${REPORT_DIR:-$root/.tools/schemathesis}"

if [ ! -f "$venv/.stamp" ] || [ "$here/requirements.txt" -nt "$venv/.stamp" ]; then
	rm -rf "$venv"
	python3 -m venv "$venv"
	"$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
	touch "$venv/.stamp"
fi

if [ -z "${BASE_URL:-}" ]; then
	work="$(mktemp -d)"
	port="$("$venv/bin/python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')"
	DOSSIER_ADDR="127.0.0.1:$port" DOSSIER_DATA="$work/data" "$root/bin/dossier" serve >"$work/out" 2>"$work/log" &
	pid=$!
	trap 'kill "$pid" 2>/dev/null; wait "$pid" 2>/dev/null || true; rm -rf "$work"' EXIT
	for _ in $(seq 100); do
		KEY="$(sed -n 's/^admin key: //p' "$work/out")"
		[ -n "$KEY" ] && break
		kill -0 "$pid" 2>/dev/null || { cat "$work/log" >&2; exit 1; }
		sleep 0.2
	done
	BASE_URL="http://127.0.0.1:$port"
fi
export BASE_URL KEY

status=0
mkdir -p "$reports"
"$venv/bin/python" "$here/seed.py" "$here/schemathesis.toml" "$root/pkg/check/testdata/chromium-plain.pdf" "$reports/schemathesis.toml"
"$venv/bin/schemathesis" --config-file "$reports/schemathesis.toml" run "$root/pkg/httpapi/openapi/openapi.json" \
	--seed "${SEED:-1}" --max-examples "${MAX_EXAMPLES:-20}" --no-color --wait-for-schema 30 \
	--report junit,json --report-dir "$reports" --report-junit-path "$reports/junit.xml" --report-json-path "$reports/run.json" || status=$?

# With a key that was revoked on the way every answer would be a 401, which is in the document.
if ! "$venv/bin/python" -c 'import os, urllib.request as u
u.urlopen(u.Request(os.environ["BASE_URL"] + "/forms", headers={"Authorization": "Bearer " + os.environ["KEY"]})).read()'; then
	echo "the key does not work any more: the run says nothing" >&2
	status=1
fi
exit "$status"
