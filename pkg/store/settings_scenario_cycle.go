package store

import (
	"fmt"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/event"
)

// cycleWarnings returns a warning if what an active scenario does causes, directly or by the other
// active scenarios, the event it reacts to.
func cycleWarnings(s storedScenario, others []storedScenario) []dossier.Warning {
	if !s.Active {
		return nil
	}
	reached := map[string]bool{}
	for pending := s.causes(); len(pending) > 0; pending = pending[1:] {
		name := pending[0]
		if reached[name] {
			continue
		}
		reached[name] = true
		for _, o := range others {
			if o.ID != s.ID && o.Active && o.EventName == name {
				pending = append(pending, o.causes()...)
			}
		}
	}
	if !reached[s.EventName] {
		return nil
	}
	return []dossier.Warning{{Code: dossier.WarningCycle, Pointer: "/eventName",
		Message: fmt.Sprintf(
			"The scenario causes %s, the event that it reacts to. It reacts once to each such event that no scenario caused.", s.EventName)}}
}

// causes returns the names of the events of a reaction.
func (s storedScenario) causes() []string {
	var names []string
	if len(s.DocumentTypeIDs) > 0 {
		names = append(names, event.CandidateDocumentRequested)
	}
	if s.Notification != nil {
		names = append(names, event.CandidateMessageSent)
	}
	return names
}
