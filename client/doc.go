// Package client calls the API of Dossier.
//
// The models and one method for each operation are generated from the OpenAPI document; api.gen.go
// is never edited. A list is an iterator over the items of all its pages:
//
//	c, err := client.New("https://dossier.example.com", key)
//	for candidate, err := range c.ListCandidates(ctx, nil) { … }
//
// A refused request returns an *Error, with its code, the bad fields and the request id. A Delivery
// is an event as a webhook receives it; NewWebhook verifies the signature.
package client
