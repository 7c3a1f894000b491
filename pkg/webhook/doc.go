// Package webhook carries one message to one outside endpoint: it signs to Standard Webhooks,
// guards the address, sends within fixed bounds of time and bytes, names the outcome in one word,
// and computes the time of the next attempt. It knows no storage.
package webhook
