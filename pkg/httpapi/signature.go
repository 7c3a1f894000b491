package httpapi

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/store"
)

// deliveryRequest returns the request that delivers a log entry, signed now: receivers refuse a
// signature that is more than five minutes old.
func (a *API) deliveryRequest(r *request) (any, error) {
	if !r.principal.Has(dossier.ScopeCandidatesRead) {
		return nil, dossier.Errorf(dossier.CodeForbidden,
			"To see what is delivered, the key needs the scope %s.", dossier.ScopeCandidatesRead)
	}
	_, d, err := a.store.LoggedDelivery(r.Context(), r.company(), r.param("id"))
	if err != nil {
		return nil, err
	}
	at := a.cfg.Now()
	var signatures []string
	for _, secret := range d.Secrets {
		signer, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return nil, err
		}
		signature, err := signer.Sign(d.ID, at, d.Body)
		if err != nil {
			return nil, err
		}
		signatures = append(signatures, signature)
	}
	return dossier.DeliveryReportRequest{URL: d.URL, Body: string(d.Body),
		Headers: map[string]string{
			"content-type":      "application/json",
			"user-agent":        dossier.WebhookUserAgent,
			"webhook-id":        d.ID,
			"webhook-timestamp": strconv.FormatInt(at.Unix(), 10),
			"webhook-signature": strings.Join(signatures, " "),
		}}, nil
}

// signatureInput is a request as a receiver got it. Secret is the one that the receiver uses.
type signatureInput struct {
	ID        string  `json:"webhookId"`
	Timestamp string  `json:"webhookTimestamp"`
	Signature string  `json:"webhookSignature"`
	Body      string  `json:"body"`
	Secret    *string `json:"secret,omitzero"`
}

// Limits of a signatureInput, in characters.
const (
	maxHeaderValue   = 2000
	maxSignedBody    = 200_000
	maxWebhookSecret = 200
)

// Validate records parts that are missing or too long.
func (in signatureInput) Validate(p *dossier.Problems) {
	p.Text("/webhookId", in.ID, maxHeaderValue)
	p.Text("/webhookTimestamp", in.Timestamp, maxHeaderValue)
	p.Text("/webhookSignature", in.Signature, maxHeaderValue)
	p.Text("/body", in.Body, maxSignedBody)
	if in.Secret != nil {
		p.Text("/secret", *in.Secret, maxWebhookSecret)
	}
}

// The parts of a signed request that can be wrong.
const (
	partID        = "id"
	partTime      = "time"
	partBody      = "body"
	partSignature = "signature"
	partSecret    = "secret"
)

var signedParts = []string{partID, partTime, partBody, partSignature, partSecret}

// signatureReport is the response of POST /integrations/{id}/verify-signature.
type signatureReport struct {
	Valid   bool     `json:"valid"`
	Wrong   []string `json:"wrong"`   // parts, in the order of signedParts
	Expired bool     `json:"expired"` // the time is more than five minutes away
	Known   bool     `json:"known"`   // the log has the delivery
}

// tolerance is the age up to which receivers take a signature.
const tolerance = 5 * time.Minute

// verifySignature reports whether a request was signed by an integration's secret, and otherwise
// which of its parts is wrong.
func (a *API) verifySignature(r *request) (any, error) {
	in, err := decodeValid(r, signatureInput.Validate)
	if err != nil {
		return nil, err
	}
	_, _, secrets, err := a.store.IntegrationTarget(r.Context(), r.company(), r.param("id"))
	if err != nil {
		return nil, err
	}
	entry, sent, err := a.deliveryOf(r.Context(), r.company(), r.param("id"), in)
	if err != nil {
		return nil, err
	}
	report := signatureReport{Known: entry.ID != "", Wrong: in.wrong(secrets, entry, sent)}
	if in.Secret != nil && !slices.Contains(secrets, strings.TrimSpace(*in.Secret)) &&
		!slices.Contains(report.Wrong, partSecret) {
		report.Wrong = append(report.Wrong, partSecret)
	}
	if at, err := strconv.ParseInt(in.Timestamp, 10, 64); err == nil {
		report.Expired = a.cfg.Now().Sub(time.Unix(at, 0)).Abs() > tolerance
	}
	report.Valid = len(report.Wrong) == 0
	return report, a.store.KeepResponse(r.Context(), report)
}

// deliveryOf returns the delivery that a request says it is: by its id, else by the id in its body.
// One that the log doesn't have is empty.
func (a *API) deliveryOf(ctx context.Context, company, integration string,
	in signatureInput) (dossier.LogEntry, dossier.Delivery, error) {
	var body struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal([]byte(in.Body), &body) // a body that is no JSON names no event
	for _, event := range []string{in.ID, body.ID} {
		id, ok := store.LogEntryOf(event, integration)
		if !ok {
			continue
		}
		entry, sent, err := a.store.LoggedDelivery(ctx, company, id)
		if err == nil || !errors.Is(err, dossier.ErrNotFound) {
			return entry, sent, err
		}
	}
	return dossier.LogEntry{}, dossier.Delivery{}, nil
}

// wrong returns the parts without which the request would verify; none of one that verifies. Where
// putting in what was sent makes nothing verify, the secret is wrong, beside the parts that differ
// from what was sent.
func (in signatureInput) wrong(secrets []string, entry dossier.LogEntry,
	sent dossier.Delivery) []string {
	if in.verifies(secrets) {
		return []string{}
	}
	if _, err := strconv.ParseInt(in.Timestamp, 10, 64); err != nil {
		return []string{partTime}
	}
	if !in.hasSignature() {
		return []string{partSignature}
	}
	if entry.ID == "" {
		return []string{partSecret}
	}
	times := []string{in.Timestamp}
	for _, attempt := range entry.Attempts {
		times = append(times, strconv.FormatInt(attempt.At.Unix(), 10))
	}
	var differs []string
	for _, parts := range [][]string{{partID}, {partTime}, {partBody}, {partID, partTime},
		{partID, partBody}, {partTime, partBody}, {partID, partTime, partBody}} {
		if in.with(parts, times, sent).verifyAny(secrets) {
			return parts
		}
	}
	if in.ID != sent.ID {
		differs = append(differs, partID)
	}
	if !slices.Contains(times[1:], in.Timestamp) {
		differs = append(differs, partTime)
	}
	if in.Body != string(sent.Body) {
		differs = append(differs, partBody)
	}
	return append(differs, partSecret)
}

// attempts are the requests that a request may have been.
type attempts []signatureInput

// with returns the request with parts as they were sent: one for each time, where that is a part.
func (in signatureInput) with(parts, times []string, sent dossier.Delivery) attempts {
	if slices.Contains(parts, partID) {
		in.ID = sent.ID
	}
	if slices.Contains(parts, partBody) {
		in.Body = string(sent.Body)
	}
	all := attempts{in}
	if slices.Contains(parts, partTime) {
		all = nil
		for _, at := range times {
			in.Timestamp = at
			all = append(all, in)
		}
	}
	return all
}

func (all attempts) verifyAny(secrets []string) bool {
	return slices.ContainsFunc(all, func(in signatureInput) bool { return in.verifies(secrets) })
}

// verifies reports whether one of the secrets made the signature, as receivers check it.
func (in signatureInput) verifies(secrets []string) bool {
	header := http.Header{}
	header.Set(standardwebhooks.HeaderWebhookID, in.ID)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, in.Timestamp)
	header.Set(standardwebhooks.HeaderWebhookSignature, in.Signature)
	return slices.ContainsFunc(secrets, func(secret string) bool {
		verifier, err := standardwebhooks.NewWebhook(secret)
		return err == nil && verifier.VerifyIgnoringTimestamp([]byte(in.Body), header) == nil
	})
}

// hasSignature reports whether the header holds a signature of the version v1.
func (in signatureInput) hasSignature() bool {
	for part := range strings.SplitSeq(in.Signature, " ") {
		encoded, ok := strings.CutPrefix(part, "v1,")
		if raw, err := base64.StdEncoding.DecodeString(encoded); ok && err == nil &&
			len(raw) == 32 {
			return true
		}
	}
	return false
}
