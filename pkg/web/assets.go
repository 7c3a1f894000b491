package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"
)

//go:embed static
var static embed.FS

// assets are the style and the scripts, each under a name that holds the hash of its content.
type assets struct {
	names   map[string]string // "console.js" → "/assets/console.1a2b3c4d.js"
	content map[string][]byte // by hashed name
}

var importFrom = regexp.MustCompile(`from "\./([a-z]+\.js)"`)

// newAssets hashes the files. A module that others import is named by its hash in them, so it is
// hashed first: modules import only modules that come before them in the alphabet.
func newAssets() (*assets, error) {
	a := &assets{names: map[string]string{}, content: map[string][]byte{}}
	files, err := fs.ReadDir(static, "static")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		content, err := static.ReadFile(path.Join("static", file.Name()))
		if err != nil {
			return nil, err
		}
		var missing error
		content = importFrom.ReplaceAllFunc(content, func(match []byte) []byte {
			name := string(importFrom.FindSubmatch(match)[1])
			if a.names[name] == "" {
				missing = fmt.Errorf("%s imports %s, which is not there yet", file.Name(), name)
			}
			return []byte(`from "` + a.names[name] + `"`)
		})
		if missing != nil {
			return nil, missing
		}
		sum := sha256.Sum256(content)
		ext := path.Ext(file.Name())
		hashed := strings.TrimSuffix(file.Name(), ext) + "." + hex.EncodeToString(sum[:5]) + ext
		a.names[file.Name()] = "/assets/" + hashed
		a.content[hashed] = content
	}
	return a, nil
}

// url returns the address of an asset. An unknown one is a mistake in a template.
func (a *assets) url(name string) (string, error) {
	if u := a.names[name]; u != "" {
		return u, nil
	}
	return "", fmt.Errorf("there is no asset %q", name)
}

func (a *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/assets/")
	content, ok := a.content[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}
