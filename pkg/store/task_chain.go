package store

import (
	"context"
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
	"github.com/dossierhq/dossier/pkg/kv"
)

// storedChain records the scenarios that reacted to one root event, an event that no scenario
// caused, and counts their effects: it bounds the messages and requests that one act of a person
// can set off.
type storedChain struct {
	// those that were handed the root or an event of its chain
	ScenarioIDs []string `json:"scenarioIds"`
	Effects     int      `json:"effects"` // messages and requests of their reactions
}

// chainTx is a storedChain within a transaction.
type chainTx struct {
	storedChain
	key     kv.Key
	read    kv.Item // Rev 0 if nothing is stored
	changed bool
}

// rootOf returns the number of the event that started the chain of an event.
func rootOf(sequence int64, cause event.Cause) int64 {
	if cause.RootSequence != 0 {
		return cause.RootSequence
	}
	return sequence
}

// readChain reads the chain of a root event. The root itself has none yet.
func (s *Store) readChain(ctx context.Context, at candidateRef, sequence int64,
	cause event.Cause) (*chainTx, error) {
	c := &chainTx{key: at.chainKey(rootOf(sequence, cause))}
	items, err := s.engine.Get(ctx, false, c.key)
	if err != nil || items[0].Rev == 0 {
		return c, err
	}
	c.read = items[0]
	c.storedChain, err = decode[storedChain](items[0])
	return c, err
}

// admit adds a scenario and reports whether it may react: once for each root event.
func (c *chainTx) admit(scenarioID string) bool {
	if slices.Contains(c.ScenarioIDs, scenarioID) {
		return false
	}
	c.ScenarioIDs, c.changed = append(c.ScenarioIDs, scenarioID), true
	return true
}

// spend counts the effects of a reaction and reports whether the chain has room for them.
func (c *chainTx) spend(effects int) bool {
	c.changed = c.changed || effects > 0
	c.Effects += effects
	return c.Effects <= dossier.MaxChainEffects
}

// writes returns the write of a changed chain. It fails if another event of the chain was handed
// out, or another scenario reacted, meanwhile.
func (c *chainTx) writes(now dossier.Time) ([]kv.Write, error) {
	if !c.changed {
		return nil, nil
	}
	i, err := item(c.key, c.read.Rev, c.storedChain)
	i.Expires = now.Add(logFor).Unix()
	return []kv.Write{put(i)}, err
}
