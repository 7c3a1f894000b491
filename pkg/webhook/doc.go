// Package webhook carries one message to one outside endpoint: it signs to Standard Webhooks,
// guards the address, sends within fixed bounds of time and bytes, says in one word what came of
// it, and when to try again. It knows no storage.
package webhook
