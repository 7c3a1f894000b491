package settingsfile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// state is the file beside the settings: what the last apply left in each company.
type state struct {
	path      string
	Companies map[string]map[string]string `json:"companies"` // company, path of an entity, its sum
}

// StatePath returns the path of the state file of a settings file.
func StatePath(file string) string { return file + ".state" }

func readState(file string) (*state, error) {
	s := &state{path: StatePath(file), Companies: map[string]map[string]string{}}
	text, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	} else if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, s); err != nil || s.Companies == nil {
		return nil, fmt.Errorf("%s is not a state file: %w", s.path, err)
	}
	return s, nil
}

// of returns the sums of a company.
func (s *state) of(company string) map[string]string {
	if s.Companies[company] == nil {
		s.Companies[company] = map[string]string{}
	}
	return s.Companies[company]
}

// save replaces the file at once: an interrupted save leaves the one before.
func (s *state) save() error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(s.path), ".state-*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), s.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// sum identifies the content of an entity.
func sum(e entity) string {
	text, err := json.Marshal(e)
	if err != nil {
		panic(err) // it came from JSON
	}
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:16])
}
