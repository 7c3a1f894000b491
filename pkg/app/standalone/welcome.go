package standalone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dossierhq/dossier/pkg/check"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// welcome makes the first company and prints its key, once; then it tells where the process is.
func (p *Process) welcome(ctx context.Context, out io.Writer) error {
	marker := filepath.Join(p.cfg.Data, markerFile)
	if _, err := os.Stat(marker); err == nil {
		if _, err := fmt.Fprintf(out, "Dossier answers at %s\n", p.cfg.URL); err != nil {
			return err
		}
		return p.printSignIn(ctx, out, marker)
	}
	company, err := p.store.CreateCompany(ctx, "", "First company")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, welcomeText, p.cfg.URL, company.Key.Secret); err != nil {
		return err
	}
	if err := os.WriteFile(marker, []byte(company.ID+"\n"), 0o600); err != nil {
		return err
	}
	return p.printSignIn(ctx, out, marker)
}

// printSignIn prints a link that signs in to the console once, within ten minutes. A company whose
// administrators were all deleted has none.
func (p *Process) printSignIn(ctx context.Context, out io.Writer, marker string) error {
	company, err := os.ReadFile(marker)
	if err != nil {
		return err
	}
	link, err := p.store.CreateSignInLink(ctx, strings.TrimSpace(string(company)), "")
	if errors.Is(err, dossier.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out,
		"\nsign in: %s\nThe link works once, for ten minutes.\n", p.signInAddress(link))
	return err
}

// tellPictures prints whether text in pictures is read, and if not, how that is changed.
func (p *Process) tellPictures(ctx context.Context, out io.Writer) error {
	if p.cfg.Tesseract == "" {
		_, err := fmt.Fprintln(out, "Text in pictures is not read: an administrator reviews them. "+
			"To have it read, install Tesseract 5 (apt-get install tesseract-ocr) and start again.")
		return err
	}
	version, err := check.New(check.Config{Tesseract: p.cfg.Tesseract}).Tesseract(ctx)
	if err != nil {
		_, err = fmt.Fprintf(out, "Text in pictures is not read: %s can't be run (%s).\n",
			p.cfg.Tesseract, err)
		return err
	}
	_, err = fmt.Fprintf(out, "Text in pictures is read by %s.\n", version)
	return err
}

const welcomeText = `Dossier answers at %[1]s. Pages for people: %[1]s/console. The API can be read and tried at %[1]s/docs.
This is the first start. The key of the first company's administrator is shown only now:

admin key: %[2]s

To begin with:
  export K=%[2]s
  curl -s %[1]s/documentTypes -H "Authorization: Bearer $K" -H "Content-Type: application/json" -d '{"name":"Driving licence","check":{"parser":"none","decision":"manual"}}'
  curl -s %[1]s/candidates -H "Authorization: Bearer $K" -H "Content-Type: application/json" -d '{"firstName":"Ada","lastName":"Lovelace"}'
  curl -s %[1]s/candidates -H "Authorization: Bearer $K"
`
