package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// waitTime bounds the wait for what follows from a request.
const waitTime = 30 * time.Second

// player makes requests and prints them. After the first error it does nothing more.
type player struct {
	ctx  context.Context
	out  io.Writer
	base string
	key  string
	err  error
}

// value is a decoded JSON value.
type value struct{ any }

// at returns the member or element under the path, nil if there is none.
func (v value) at(path ...string) any {
	here := v.any
	for _, step := range path {
		switch at := here.(type) {
		case map[string]any:
			here = at[step]
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil || n >= len(at) {
				return nil
			}
			here = at[n]
		default:
			return nil
		}
	}
	return here
}

// text returns the text under the path, empty if there is none.
func (v value) text(path ...string) string {
	text, _ := v.at(path...).(string)
	return text
}

func (p *player) say(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format+"\n", args...)
	}
}

// post prints the request and what show names of the response.
func (p *player) post(path, body string, show ...string) value {
	p.say("  POST %s %s", path, abridged(body))
	return p.shown(p.send(http.MethodPost, path, body), show)
}

func (p *player) get(path string, show ...string) value {
	p.say("  GET %s", path)
	return p.shown(p.send(http.MethodGet, path, ""), show)
}

// await asks again until the member has the value.
func (p *player) await(path, member, want string, show ...string) {
	deadline := time.Now().Add(waitTime)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	got := p.send(http.MethodGet, path, "")
	for p.err == nil && got.text(member) != want {
		if time.Now().After(deadline) {
			p.err = fmt.Errorf("GET %s: %s is %q and did not become %q", path, member,
				got.text(member), want)
			return
		}
		select {
		case <-tick.C:
		case <-p.ctx.Done():
			p.err = p.ctx.Err()
			return
		}
		got = p.send(http.MethodGet, path, "")
	}
	p.say("  GET %s", path)
	p.shown(got, show)
}

// shown prints the members of a response that the paths, with slashes, name.
func (p *player) shown(got value, paths []string) value {
	for _, path := range paths {
		steps := strings.Split(path, "/")
		found := got.at(steps...)
		text, err := json.Marshal(found, json.Deterministic(true))
		if p.err == nil && (err != nil || found == nil) {
			p.err = errors.Join(fmt.Errorf("the response has no %s", path), err)
		}
		p.say("    %s: %s", steps[len(steps)-1], text)
	}
	return got
}

// send makes a request. Any status but 200 is an error.
func (p *player) send(method, path, body string) value {
	if p.err != nil {
		return value{}
	}
	r, err := http.NewRequestWithContext(p.ctx, method, p.base+path, strings.NewReader(body))
	if err != nil {
		p.err = err
		return value{}
	}
	r.Header.Set("Authorization", "Bearer "+p.key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		p.err = err
		return value{}
	}
	defer func() { _ = response.Body.Close() }() // only read from
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s\n%s", method, path, response.Status, text)
	}
	var got value
	if err == nil {
		err = json.Unmarshal(text, &got.any)
	}
	p.err = err
	return got
}

// received prints the first event that the receiver accepted.
func (p *player) received(r *receiver) {
	if p.err != nil {
		return
	}
	select {
	case got := <-r.accepted:
		p.say("    %s", got)
	case err := <-r.refused:
		p.err = fmt.Errorf("the receiver refused a delivery: %w", err)
	case <-time.After(waitTime):
		p.err = fmt.Errorf("no webhook came within %s", waitTime)
	case <-p.ctx.Done():
		p.err = p.ctx.Err()
	}
}

// abridged returns a body on one line, without the content of files.
func abridged(body string) string {
	const most = 600
	line := strings.Join(strings.Fields(body), " ")
	if at := strings.Index(line, `"content":"`); at >= 0 {
		line = line[:at] + `"content":"…"}]}`
	}
	if len(line) > most {
		line = line[:most] + "…"
	}
	return line
}
