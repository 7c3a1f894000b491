package app

import (
	"cmp"
	"runtime/debug"
)

// stamp is the version that the Makefile links into a function, which is built from a copy without
// the repository.
var stamp string

// Version returns the program's version: the one that was linked into it, that of its module, or
// the commit it was built from.
func Version() string {
	if stamp != "" {
		return stamp
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	version := cmp.Or(info.Main.Version, "unknown")
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && (version == "unknown" || version == "(devel)") {
			version = s.Value
		}
	}
	return version
}
