package standalone

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dossierhq/dossier/pkg/seal"
)

// keyPath returns the path of the key that seals the secrets of a data folder. It lies beside the
// folder, so that a copy of the folder alone gives no secret away.
func keyPath(data string) string { return filepath.Clean(data) + ".key" }

// openSealKey returns the key of a data folder, as a box and as text; it makes one at the first
// start. A folder whose secrets were sealed with another key is an error: with a new key no webhook
// could be signed.
func openSealKey(data string) (*seal.Box, string, error) {
	path, idPath := keyPath(data), filepath.Join(data, sealFile)
	id, err := os.ReadFile(idPath)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", err
	}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && id != nil:
		return nil, "",
			fmt.Errorf("the key %s is missing: without it the secrets in %s can't be opened; "+
				"put it back, or restore a backup", path, data)
	case errors.Is(err, fs.ErrNotExist):
		text = []byte(seal.NewKey() + "\n")
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		return nil, "", err
	}
	key := strings.TrimSpace(string(text))
	box, err := seal.New([]byte(key))
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	if id != nil && strings.TrimSpace(string(id)) != keyID(key) {
		return nil, "", fmt.Errorf("the key %s is not the one that sealed the secrets in %s; "+
			"put the right one back, or restore a backup", path, data)
	}
	if id == nil {
		err = os.WriteFile(idPath, []byte(keyID(key)+"\n"), 0o600)
	}
	return box, key, err
}

// keyID returns an id by which a key is recognised, which does not reveal it.
func keyID(key string) string {
	sum := sha256.Sum256([]byte("dossier seal key " + key))
	return hex.EncodeToString(sum[:8])
}

// logKey returns the key of the labels of clients in the log: that of a data folder, so that they
// stay the same after a start. secret is the folder's own.
func logKey(secret []byte) string {
	sum := sha256.Sum256(append([]byte("dossier clients in the log "), secret...))
	return string(sum[:])
}
