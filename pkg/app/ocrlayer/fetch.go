package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// unpacked is a package of Debian's whose files lie in a folder of their own.
type unpacked struct {
	name, version, folder string
}

// packages are Tesseract's and all that it depends on.
type packages []unpacked

// aptConf has apt work for another architecture, in a folder of its own and as if nothing were
// installed. The sources and their keys are the machine's.
const aptConf = `APT::Architecture "%[1]s";
APT::Architectures { "%[1]s"; };
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "3";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Dir::State "%[2]s";
Dir::State::status "%[2]s/status";
Dir::Cache "%[2]s/cache";
`

// fetch downloads the packages and unpacks them in a folder.
func fetch(ctx context.Context, a architecture, folder string) (packages, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	state, conf := filepath.Join(folder, "apt"), filepath.Join(folder, "apt.conf")
	archives := filepath.Join(state, "cache/archives")
	if err := errors.Join(os.MkdirAll(filepath.Join(state, "lists/partial"), 0o755),
		os.MkdirAll(filepath.Join(archives, "partial"), 0o755),
		os.WriteFile(filepath.Join(state, "status"), nil, 0o600),
		os.WriteFile(conf, fmt.Appendf(nil, aptConf, a.debian, state), 0o600)); err != nil {
		return nil, err
	}
	for _, args := range [][]string{{"update"},
		{"install", "--yes", "--download-only", "tesseract-ocr"}} {
		if err := run(ctx, "APT_CONFIG="+conf, "apt-get",
			append([]string{"-qq"}, args...)...); err !=
			nil {
			return nil, err
		}
	}
	files, err := filepath.Glob(filepath.Join(archives, "*.deb"))
	if err != nil {
		return nil, err
	}
	var all packages
	for _, file := range files {
		p, err := unpack(ctx, file, filepath.Join(folder, "packages"))
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// unpack unpacks a package into a folder below the given one.
func unpack(ctx context.Context, file, below string) (unpacked, error) {
	parts := strings.Split(strings.TrimSuffix(filepath.Base(file), ".deb"), "_")
	if len(parts) != 3 {
		return unpacked{}, fmt.Errorf("%s is no name of a package", file)
	}
	version, err := url.PathUnescape(parts[1])
	if err != nil {
		return unpacked{}, err
	}
	p := unpacked{parts[0], version, filepath.Join(below, parts[0])}
	if err := os.MkdirAll(p.folder, 0o755); err != nil {
		return unpacked{}, err
	}
	return p, run(ctx, "", "dpkg-deb", "--extract", file, p.folder)
}

// run runs a command with one more variable in its environment. The error has what it wrote.
func run(ctx context.Context, variable, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), variable)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}
