package store

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/dossierhq/dossier/pkg/dossier"
)

// publicPage reads an active registration page by its id or its slug. One that is not active is not
// found.
func (s *Store) publicPage(ctx context.Context, company, page string) (storedPage, error) {
	if _, ok := dossier.ParseID(dossier.PrefixCompany, company, 1); !ok {
		return storedPage{}, dossier.ErrNotFound
	}
	var p storedPage
	if strings.HasPrefix(page, dossier.PrefixRegistrationPage) {
		var err error
		if p, _, err = setting[storedPage](ctx, s, company, kindPage, page); err != nil {
			return storedPage{}, err
		}
	} else {
		all, _, err := settingsPage[storedPage](ctx, s, company, kindPage, "", 0)
		if err != nil {
			return storedPage{}, err
		}
		at := slices.IndexFunc(all, func(p storedPage) bool { return p.Slug == page })
		if at < 0 {
			return storedPage{}, dossier.ErrNotFound
		}
		p = all[at]
	}
	if !p.Active {
		return storedPage{}, dossier.ErrNotFound
	}
	return p, nil
}

// PublicPage returns the public view of an active registration page, by its id or its slug.
func (s *Store) PublicPage(ctx context.Context, company, page string) (dossier.PublicPage, error) {
	p, err := s.publicPage(ctx, company, page)
	if err != nil {
		return dossier.PublicPage{}, err
	}
	own, err := s.Company(ctx, company)
	if err != nil {
		return dossier.PublicPage{}, err
	}
	shown := dossier.PublicPage{ID: p.ID, Name: p.Name, Slug: p.Slug,
		Company:   dossier.SessionCompany{ID: own.ID, Name: own.Name},
		Documents: []dossier.PublicDocument{}, Forms: []dossier.PublicForm{}}
	types, err := typesBy(ctx, s, company, true, p.documentTypeIDs())
	if err != nil {
		return dossier.PublicPage{}, err
	}
	for _, d := range p.Related {
		if dt, ok := types[d.DocumentTypeID]; ok && !dt.Deleted {
			shown.Documents = append(shown.Documents, dossier.PublicDocument{
				Name: dt.Name, Description: dt.Description, Required: d.IsRequired()})
		}
	}
	forms := map[string]dossier.Form{}
	err = readEntities(ctx, s, company, kindForm, true, p.FormIDs, map[string]bool{},
		func(id string, f dossier.Form) { forms[id] = f })
	for _, id := range p.FormIDs {
		if f, ok := forms[id]; ok {
			shown.Forms = append(shown.Forms, dossier.PublicForm{Name: f.Name, Fields: f.Fields})
		}
	}
	if err != nil {
		return shown, err
	}
	shown.CustomFields, err = s.askedFields(ctx, company, p.CustomFields)
	return shown, err
}

// Register creates a candidate by an active registration page, with a token for their own dossier,
// in one transaction. The token counts among the candidate's.
func (s *Store) Register(ctx context.Context, company, page string,
	in dossier.CandidateInput) (dossier.PublicRegistered, error) {
	p, err := s.publicPage(ctx, company, page)
	if err != nil {
		return dossier.PublicRegistered{}, err
	}
	n, err := s.PageRequest(ctx, company, p.ID)
	if err != nil {
		return dossier.PublicRegistered{}, err
	}
	if err := s.checkRegistered(ctx, company, p.CustomFields, &in); err != nil {
		return dossier.PublicRegistered{}, err
	}
	in.SetOn(&n.Values)
	at := candidateRef{company, dossier.CandidateID(s.newID(dossier.PrefixCandidate))}
	token := s.newToken()
	shown := dossier.PublicRegistered{CandidateID: string(at.id), Token: token.text(company)}
	err = s.retryOnConflict(ctx, func() error {
		c, err := s.newCandidate(ctx, at, n)
		if err != nil {
			return err
		}
		writes, err := c.finish(ctx)
		if err != nil {
			return err
		}
		shown.ExpiresAt = later(s.now(), maxToken)
		i, err := token.item(at, shown.ExpiresAt)
		if err != nil {
			return err
		}
		issued, err := item(at.tokensKey(), 0, issuedTokens{[]issuedToken{
			{ULID: token.ulid, ExpiresAt: shown.ExpiresAt}}})
		if err != nil {
			return err
		}
		issued.Expires = i.Expires
		kept := shown
		kept.Token = ""
		// Absent, each: the ids are new.
		return s.commit(ctx, once[dossier.PublicRegistered]{shown, kept},
			append(writes, put(i), put(issued))...)
	})
	return shown, err
}

// RegisterOnce does what Register does, and once: a registration that is sent again, also at the
// same time, gets the same candidate with another token.
func (s *Store) RegisterOnce(ctx context.Context, company, page string, in dossier.CandidateInput,
	i Idempotency) (dossier.PublicRegistered, error) {
	if _, ok := dossier.ParseID(dossier.PrefixCompany, company, 1); !ok {
		return dossier.PublicRegistered{}, dossier.ErrNotFound
	}
	kept, found, err := s.Replay(ctx, i)
	if err != nil {
		return dossier.PublicRegistered{}, err
	}
	if !found {
		made, err := s.Register(WithIdempotency(ctx, i), company, page, in)
		again := (*Replayed)(nil)
		if !errors.As(err, &again) {
			return made, err
		}
		kept = again.Response
	}
	var made dossier.PublicRegistered
	if err := json.Unmarshal(kept, &made); err != nil {
		return dossier.PublicRegistered{}, err
	}
	token, err := s.CreateToken(ctx, company, made.CandidateID, maxToken)
	made.Token, made.ExpiresAt = token.Token, token.ExpiresAt
	return made, err
}
