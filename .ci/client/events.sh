#!/usr/bin/env bash
# Reads every golden event with two clients generated from the OpenAPI document, one in TypeScript
# and one in Python, and compares what each encodes again with the golden event.
set -euo pipefail
root="$(cd "$(dirname "$0")/../.." && pwd)"
build="$root/.tools/client"
python="$root/.tools/venv-client/bin"
export EVENTS="$root/events"

"$root/.ci/client/compile.sh"
node "$build/out/events.js"

rm -rf "$build/python"
mkdir "$build/python"
"$python/openapi-python-client" generate --fail-on-warning --meta none \
	--path "$root/pkg/httpapi/openapi/openapi.json" --config "$root/.ci/client/python.yaml" \
	--output-path "$build/python/dossier_client"
PYTHONPATH="$build/python" "$python/python" "$root/.ci/client/events.py"
