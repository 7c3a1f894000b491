#!/usr/bin/env bash
# Lints the OpenAPI document with the Redocly CLI and Spectral from .tools/openapi. A warning fails.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
bin="$here/../../.tools/openapi/node_modules/.bin"
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
cd "$here/../../pkg/httpapi/openapi"
"$bin/redocly" lint --config "$here/.redocly.yaml" openapi.json
"$bin/spectral" lint --ruleset "$here/.spectral.yaml" --fail-severity hint openapi.json
