// Package e2e deploys the stack of template.yaml onto an emulated AWS and does the main job there,
// with the binaries that would run in Lambda: `make e2e`. Its tests have the build tag e2e.
package e2e
