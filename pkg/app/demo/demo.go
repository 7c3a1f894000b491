// Package demo plays the main job in one terminal: a process of its own on a temporary data folder,
// a webhook receiver, and each request with what came back.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/app"
	"github.com/dossierhq/dossier/pkg/app/standalone"
)

// Run plays the session and writes it to out. Its data is deleted when it ends. The error names the
// step that failed.
func Run(ctx context.Context, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "dossier-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	receiver, err := newReceiver(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, receiver.close()) }()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	base := "http://" + listener.Addr().String()
	process, err := standalone.Open(app.Config{Data: filepath.Join(dir, "data"), URL: base,
		Lease: 30 * time.Second, AllowTargets: []string{receiver.address}},
		slog.New(slog.DiscardHandler))
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	serving, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- process.Serve(serving, listener) }()
	defer func() {
		stop()
		err = errors.Join(err, <-ended, process.Close())
	}()
	company, err := process.Store().CreateCompany(ctx, "", "Courier Company")
	if err != nil {
		return err
	}
	p := &player{ctx: ctx, out: out, base: base, key: company.Key.Secret}
	p.say("Dossier runs at %s on an empty folder, %s. Everything is deleted at the end.", base, dir)
	p.play(receiver)
	return p.err
}

// play makes the requests of the session in order.
func (p *player) play(receiver *receiver) {
	p.say(
		"\nFirst the settings of the company: two document types. The first has rules, which run " +
			"when one of its documents is validated.")
	card := p.post("/documentTypes", cardType).text("id")
	permit := p.post("/documentTypes", fmt.Sprintf(permitType, card)).text("id")
	p.say("\nA webhook that is called when a document was validated.")
	receiver.secret(p.post("/integrations", fmt.Sprintf(integration, receiver.address)).
		text("secret"))
	p.say("\nA candidate who is asked for a work permit.")
	candidate := p.post("/candidates", fmt.Sprintf(ada, permit), "id", "status").text("id")
	document := p.get("/candidateDocumentTypes?filter[candidateId]="+candidate, "0/id", "0/state").
		text("0", "id")
	p.say("\nThe candidate uploads a PDF that says: %s.", strings.Join(permitLines, ", "))
	p.post("/candidateDocumentTypes/"+document+"/upload", upload(pdf(permitLines...)), "state")
	p.say("\nThe check reads it in a process of its own. A moment later:")
	p.await("/candidateDocumentTypes/"+document, "state", "validated", "state",
		"document/parsed")
	p.say("\nThe rule read the class and asked for a second document:")
	p.get("/candidateDocumentTypes/"+document+"/ruleRuns", "0/rules/0/matched",
		"0/rules/0/conditions", "0/rules/0/actions")
	p.get("/candidateDocumentTypes?filter[candidateId]="+candidate+"&filter[state][]=requested",
		"0/documentType/name", "0/state")
	p.say("\nThe webhook, with a signature that the Standard Webhooks library accepts:")
	p.received(receiver)
	if p.err == nil {
		p.say("\nThat is the main job. `dossier serve` runs the service; " +
			"docs/main-job.md has this session to paste.")
	}
}
