#!/usr/bin/env bash
# Generates a TypeScript client from the OpenAPI document with openapi-typescript and compiles
# session.ts and events.ts against it, in .tools/client.
set -euo pipefail
root="$(cd "$(dirname "$0")/../.." && pwd)"
cp "$root"/.ci/client/{tsconfig.json,session.ts,events.ts} "$root/.tools/client"
cd "$root/.tools/client"
rm -rf out golden.ts
{
	echo 'import type { components } from "./api.js";'
	echo 'export const golden = ['
	for event in "$root"/events/*.v1.json; do cat "$event"; echo ,; done
	echo '] as const satisfies components["schemas"]["Event"][];'
} >golden.ts
node_modules/.bin/openapi-typescript "$root/pkg/httpapi/openapi/openapi.json" \
	--output api.d.ts --default-non-nullable=false
node_modules/.bin/tsc
