package chaos

import (
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

type storedRequest struct {
	ID       string            `json:"id"`
	State    string            `json:"state"`
	Required bool              `json:"required"`
	Versions int64             `json:"versions"`
	Token    int64             `json:"token"`
	Tries    int               `json:"tries"`
	Lock     *dossier.Lock     `json:"lock"`
	Document *dossier.Document `json:"document"`
	InForce  *struct {
		Document *dossier.Document `json:"document"`
	} `json:"inForce"`
}

// shown is the state as others see it.
func (r storedRequest) shown() string {
	if r.InForce != nil {
		return dossier.StateValidated
	}
	return r.State
}

// inForce is the id of the validated document that counts, "" if there is none.
func (r storedRequest) inForce() string {
	switch {
	case r.InForce != nil:
		return idOf(r.InForce.Document)
	case r.State == dossier.StateValidated:
		return idOf(r.Document)
	}
	return ""
}

// judgeForce checks that neither an upload nor the end of a check takes a validated document out of
// force. An import, whose document has no parts, does.
func (c *commit) judgeForce(was, is storedRequest) {
	uploaded := is.Versions > was.Versions && is.Document != nil && len(is.Document.Parts) > 0
	checked := is.State != was.State && was.State == dossier.StateProcessing &&
		is.State != dossier.StateValidated
	if before := was.inForce(); before != "" && (uploaded || checked) && is.inForce() != before &&
		is.State != dossier.StateRemoved {
		c.wrong("force", "%s was in force of %s, and %q is", before, is.ID, is.inForce())
	}
}

// entered checks that lists find the state of a newer document exactly while one is in force.
func (u *truth) entered(pk, dt string, r storedRequest) {
	i, there := u.items[kv.Key{PK: pk, SK: "RPL#" + dt}]
	if there != (r.InForce != nil) ||
		there && decoded[storedRequest](i).State != r.State {
		u.wrong("list", "%s is %s beside a document in force, %t, and has the entry %s", r.ID,
			r.State, r.InForce != nil, i.Doc)
	}
}

// uploadedIn returns the id of the document that an upload was answered with.
func uploadedIn(body map[string]any) string {
	if newer, beside := body["replacement"].(map[string]any); beside {
		body = map[string]any{"document": newer["document"]}
	}
	document, _ := body["document"].(map[string]any)
	id, _ := document["id"].(string)
	return id
}
