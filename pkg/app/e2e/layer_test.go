//go:build e2e

package e2e

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/check/picturetest"
)

// layers is the folder in which `make layer-ocr` builds.
const layers = project + "/build/layer-ocr/"

// withLayer prepares a process that sees the unpacked layer in /opt, as functions do on AWS, beside
// what this machine has there. The emulator runs functions as processes of its own, and unpacks no
// layers for those that bring their runtime.
func withLayer(program string) (*exec.Cmd, error) {
	folder, err := filepath.Abs(layers + "x86_64")
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(folder); err != nil {
		return nil, fmt.Errorf("the layer is missing (make layer-ocr builds it): %w", err)
	}
	args := []string{"--mount"}
	if os.Geteuid() != 0 {
		args = append(args, "--map-root-user")
	}
	const mount = `mount -t overlay overlay -o "lowerdir=$0:/opt" /opt && exec "$1"`
	return exec.Command("unshare", append(args, "sh", "-c", mount, folder, program)...), nil
}

// publishLayer publishes the layer as docs/deploying.md says, and returns the ARN of its version.
func (e emulator) publishLayer() (string, error) {
	archive, err := os.ReadFile(layers + "x86_64.zip")
	if err != nil {
		return "", fmt.Errorf("the layer is missing (make layer-ocr builds it): %w", err)
	}
	body, err := json.Marshal(object{
		"Content":                 object{"ZipFile": base64.StdEncoding.EncodeToString(archive)},
		"CompatibleArchitectures": []string{"x86_64"},
		"CompatibleRuntimes":      []string{"provided.al2023"},
	})
	if err != nil {
		return "", err
	}
	_, answer, err := e.call("lambda", http.MethodPost, "/2018-10-31/layers/dossier-ocr/versions",
		"application/json", body)
	if err != nil {
		return "", err
	}
	var published struct{ LayerVersionArn string }
	err = json.Unmarshal(answer, &published)
	return published.LayerVersionArn, err
}

// TestPicture uploads a picture of a permit: the layer reads it, and the document is validated by
// what was read. A number that can be mistaken sends another one to review.
func TestPicture(t *testing.T) {
	t.Parallel()
	c := provision(t)
	permit := c.post("/documentTypes", `{"name":"Permit","check":{"parser":"pdf",
	  "decision":"automatic","required":["number","expires"],"fields":[
	  {"reference":"number","label":"Permit number","type":"text"},
	  {"reference":"expires","label":"Valid until","type":"date"}]}}`)["id"].(string)
	for name, test := range map[string]struct{ number, state string }{
		"OK":             {"NL-734", "validated"},
		"ErrCanMistaken": {"NL-204", "inReview"},
	} {
		t.Run(name, func(t *testing.T) {
			c := &company{t, c.id, c.key, c.http}
			got := c.checkPicture(permit, picturetest.Picture{Title: "WORK PERMIT", Font: 1,
				Quality: 95, Rows: [][2]string{{"Permit number", test.number},
					{"Valid until", "7 September 2034"}}}, test.state)
			if at(t, got, "state") != test.state ||
				at(t, got, "document", "parsed", "number") != test.number ||
				at(t, got, "document", "parsed", "expires") != "2034-09-07" ||
				at(t, got, "document", "readings", 0, "box") == nil {
				t.Errorf("checked: %v", got)
			}
		})
	}
}

// checkPicture uploads a picture for a new candidate until its check leads to a state. On a slow
// machine the time of a check may not do for reading it.
func (c *company) checkPicture(documentType string, p picturetest.Picture, state string) (got any) {
	c.t.Helper()
	content, err := p.JPEG()
	if err != nil {
		c.t.Fatal(err)
	}
	upload := fmt.Sprintf(`{"parts":[{"name":"front","fileName":"permit.jpg",
	  "contentType":"image/jpeg","content":%q}]}`, base64.StdEncoding.EncodeToString(content))
	for range 5 {
		candidate := c.post("/candidates", `{"firstName":"Ada","documentTypeIds":[%q]}`,
			documentType)["id"].(string)
		request := "/candidateDocumentTypes/cdt_" + strings.TrimPrefix(candidate, "cnd_") +
			strings.TrimPrefix(documentType, "dty_")
		c.ok(http.MethodPost, request+"/upload", upload)
		c.until("the picture is checked", 2*time.Minute, func() bool {
			got = c.get(request)
			return at(c.t, got, "state") != "processing"
		})
		if at(c.t, got, "state") == state && at(c.t, got, "document", "readings") != nil {
			break
		}
	}
	return got
}
