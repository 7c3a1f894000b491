#!/usr/bin/env bash
# Writes NOTICE: the modules that are linked into the programs, and the texts of their licences, each
# text once. A test in pkg/app holds the list of modules.
set -euo pipefail
cd "$(dirname "$0")/../.."
export GOOS=linux GOARCH=amd64 CGO_ENABLED=0 LC_ALL=C
programs="./functions/... ./pkg/check/child/parser"
texts="$(mktemp -d)"
trap 'rm -rf "$texts"' EXIT

# The tool tells the standard library by GOROOT. It warns of assembly, which it does not read.
GOROOT="$(go env GOROOT)" .tools/go-licenses save $programs --ignore github.com/dossierhq/dossier \
	--ignore github.com/ebitengine/purego \
	--save_path "$texts/of" >"$texts/log" 2>&1 || { cat "$texts/log" >&2; exit 1; }
# The WebAssembly of the HEIC decoder is built from libheif and libde265.
cp "$(go list -m -f '{{.Dir}}' github.com/gen2brain/heic)"/lib/LICENSE.* \
	"$texts/of/github.com/gen2brain/heic/"
mkdir "$texts/of/std"
cp "$(go env GOROOT)/LICENSE" "$texts/of/std/"

{
	echo "Dossier is built from the modules below and from the standard library of Go (std)."
	echo "Their source is published under these paths. The texts of their licences and notices follow."
	echo "\`make notice\` writes this file."
	echo
	go list -deps -f '{{with .Module}}{{if not (or .Main .Replace)}}{{.Path}} {{.Version}}{{end}}{{end}}' $programs |
		sort -u
	(cd "$texts/of" && find . -type f \( -iname 'licen[cs]e*' -o -iname 'notice*' -o -iname 'copying*' \) \
		-printf '%P\0' | sort -z | xargs -0 sha256sum) | sort -s -k 1,1 |
		while read -r sum path; do
			if test "$sum" != "${before:-}"; then
				test -z "${before:-}" || { echo; cat "$texts/of/$shown"; }
				printf '\n%s\n' "--------------------------------------------------------------------------------"
			fi
			echo "$path"
			before="$sum" shown="$path"
			echo "$shown" >"$texts/last"
		done
	echo
	cat "$texts/of/$(cat "$texts/last")"
} >"$texts/NOTICE"
mv "$texts/NOTICE" NOTICE
chmod 644 NOTICE
