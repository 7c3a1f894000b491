package web

import "github.com/dossierhq/dossier/pkg/dossier"

// unreadView lists messages of candidates that no administrator has read.
type unreadView struct {
	Rows  []dossier.Message
	Names map[string]string // of candidates, by id
	More  bool
}

// listUnread shows the unread messages of all candidates, oldest first.
func listUnread(p *page) error {
	all, more, err := list[dossier.Message](p.api, "/messages/unread", nil, pageSize)
	if err != nil {
		return err
	}
	ids := make([]string, len(all))
	for n, m := range all {
		ids[n] = m.CandidateID
	}
	v := unreadView{Rows: all, More: more}
	if v.Names, err = p.names(ids); err != nil {
		return err
	}
	return p.show(screen{name: "unread", title: "Messages to read", section: "today"}, v)
}
