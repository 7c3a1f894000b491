package httpapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

const (
	maxCheckFields = 200
	maxWriteBacks  = 100
)

// typeServerSet is what the service sets on a document type beside ids, states and times.
var typeServerSet = []string{"owner", "warnings"}

func (a *API) documentTypeRoutes() []route {
	return resource{
		list: func(r *request) (any, error) {
			return list(r, func(after string, limit int) ([]dossier.DocumentType, string, error) {
				return a.store.Types(r.Context(), r.company(), after, limit)
			})
		},
		create: func(r *request) (any, error) {
			return create(r, a.checkType, func(in dossier.DocumentTypeInput) (dossier.DocumentType, error) {
				return a.store.CreateType(r.Context(), r.company(), in, a.cfg.NewSecret())
			}, typeServerSet...)
		},
		read: func(r *request) (any, error) { return read(a.store.Type(r.Context(), r.company(), r.param("id"))) },
		change: func(r *request) (any, error) {
			return change(r, a.checkType, func(want store.Rev, patch func(dossier.DocumentTypeInput) (dossier.DocumentTypeInput, error)) (dossier.DocumentType, store.Rev, error) {
				return a.store.ChangeType(r.Context(), r.company(), r.param("id"), want, a.cfg.NewSecret(), patch)
			}, typeServerSet...)
		},
		remove: func(r *request) (any, error) { return nil, a.store.DeleteType(r.Context(), r.company(), r.param("id")) },
	}.rows("/documentTypes", dossier.ScopeSettingsRead, dossier.ScopeSettingsWrite)
}

// checkType checks the form of a document type; what it names is checked by the table.
func (a *API) checkType(p *dossier.Problems, in dossier.DocumentTypeInput) {
	noteName(p, in.Name)
	noteText(p, "/description", in.Description, false, dossier.MaxText)
	for n := range noteCount(p, "/requiredParts", len(in.RequiredParts), dossier.MaxParts) {
		notePartName(p, at("/requiredParts", n), in.RequiredParts[n])
		if slices.Contains(in.RequiredParts[:n], in.RequiredParts[n]) {
			p.Add(at("/requiredParts", n), "duplicate", "is named twice")
		}
	}
	noteIDs(p, "/sharedWith", in.SharedWith, dossier.MaxSharedWith)
	for n := range noteCount(p, "/writeBack", len(in.WriteBack), maxWriteBacks) {
		noteDotted(p, at("/writeBack", n)+"/from", in.WriteBack[n].From)
		noteText(p, at("/writeBack", n)+"/to", in.WriteBack[n].To, true, dossier.MaxReference+len("dcf_"))
	}
	a.checkCheck(p, in.Check)
}

// checkCheck checks how documents are checked: what goes with which parser.
func (a *API) checkCheck(p *dossier.Problems, c dossier.CheckInput) {
	parser := dossier.ParserNone
	if c.Parser != nil {
		parser = *c.Parser
	}
	noteWord(p, "/check/parser", parser, []string{dossier.ParserPDF, dossier.ParserMRZ, dossier.ParserJSON, dossier.ParserHTTP, dossier.ParserNone})
	if c.Decision != nil {
		noteWord(p, "/check/decision", *c.Decision, []string{dossier.DecisionAutomatic, dossier.DecisionManual})
	}
	if len(c.Fields) > 0 && parser != dossier.ParserPDF {
		p.Add("/check/fields", "notAllowed", "are for the parser pdf only")
	}
	checkCheckFields(p, c.Fields)
	for n := range noteCount(p, "/check/required", len(c.Required), maxCheckFields) {
		noteDotted(p, at("/check/required", n), c.Required[n])
		if slices.Contains(c.Required[:n], c.Required[n]) {
			p.Add(at("/check/required", n), "duplicate", "is named twice")
		}
	}
	if c.ExpiryReference != nil {
		noteDotted(p, "/check/expiryReference", *c.ExpiryReference)
	}
	switch {
	case parser == dossier.ParserHTTP && c.HTTP == nil:
		p.Add("/check/http", "required", "is missing: the address of the parser service")
	case parser != dossier.ParserHTTP && c.HTTP != nil:
		p.Add("/check/http", "notAllowed", "is for the parser http only")
	case c.HTTP != nil:
		a.noteURL(p, "/check/http/url", c.HTTP.URL)
	}
}

func checkCheckFields(p *dossier.Problems, fields []dossier.CheckField) {
	for n := range noteCount(p, "/check/fields", len(fields), maxCheckFields) {
		f, pointer := fields[n], at("/check/fields", n)
		noteDotted(p, pointer+"/reference", f.Reference)
		noteText(p, pointer+"/label", f.Label, true, dossier.MaxName)
		noteWord(p, pointer+"/type", f.Type, []string{dossier.FieldText, dossier.FieldNumber, dossier.FieldDate})
		for _, o := range fields[:n] {
			if o.Reference == f.Reference {
				p.Add(pointer+"/reference", "duplicate", "is the reference of two fields")
				break
			}
			if strings.HasPrefix(o.Reference, f.Reference+".") || strings.HasPrefix(f.Reference, o.Reference+".") {
				p.Add(pointer+"/reference", "duplicate", "%s", fmt.Sprintf("and %q can't both hold a value", clip(o.Reference)))
				break
			}
		}
	}
}

// noteURL notes an address that is missing, too long, or not one that may be reached.
func (a *API) noteURL(p *dossier.Problems, pointer, url string) {
	if url == "" {
		p.Add(pointer, "required", "is missing or empty")
		return
	}
	if err := a.cfg.Targets.CheckURL(url); err != nil {
		p.Add(pointer, "invalid", "%s", err)
	}
}
