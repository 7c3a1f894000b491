package model

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"
)

func (s *session) sendMessage() {
	c := s.candidate()
	by := s.someone(c.company)
	s.ask(sending{call: call{by: by, scope: "messages:write", tokens: true, about: c,
		key: s.key()}, method: "POST", path: "/candidates/" + c.id + "/messages",
		body: object{"text": fmt.Sprint("Text ", len(c.messages))}, kind: "message",
		do: func() result {
			kind := "administrator"
			if by.candidate != nil {
				kind = "candidate"
			}
			m := c.send(cause{by: by}, fmt.Sprint("Text ", len(c.messages)), kind, by.id)
			answer := ok(m.view())
			answer.learn = func(got object) {
				m.id, _ = got["id"].(string)
				answer.body["id"] = m.id
			}
			return answer
		}})
}

// message draws a message whose id is known.
func (s *session) message(c *candidate) *message {
	known := slices.DeleteFunc(slices.Clone(c.messages), func(m *message) bool {
		return m.id == ""
	})
	if len(known) == 0 {
		s.Skip("no message")
	}
	return rapid.SampledFrom(known).Draw(s.T, "message")
}

func (s *session) readMessage() {
	c := s.candidate()
	m, by := s.message(c), s.someone(c.company)
	s.ask(sending{call: call{by: by, scope: "messages:write", tokens: true, about: c},
		method: "POST", path: "/candidates/" + c.id + "/messages/" + m.id + "/read",
		kind: "message", do: func() result {
			if by.candidate != nil {
				m.byCandidate = true
			} else {
				m.byAdministrator = true
			}
			return ok(m.view())
		}})
}

func (s *session) deleteMessage() {
	c := s.candidate()
	m, by := s.message(c), s.someone(c.company)
	s.ask(sending{call: call{by: by, scope: "messages:write", about: c}, method: "DELETE",
		path: "/candidates/" + c.id + "/messages/" + m.id,
		do:   func() result { return c.deleteMessage(by, m) }})
}
