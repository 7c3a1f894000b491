package httpapi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	lock := &dossier.Lock{StartedAt: dossier.NewTime(start.Add(-time.Second)),
		ExpiresAt: dossier.NewTime(start.Add(28500 * time.Millisecond))}
	for _, c := range []struct {
		name   string
		err    error
		status int
		code   dossier.Code
		retry  string
	}{
		{"ErrNotFound", dossier.ErrNotFound, 404, dossier.CodeNotFound, ""},
		{"ErrNotFound in other words",
			dossier.Errorf(dossier.CodeNotFound, "another company has it"), 404,
			dossier.CodeNotFound, ""},
		{"ErrWrapped", fmt.Errorf("use case: %w", dossier.Errorf(dossier.CodeConflict, "taken")),
			409, dossier.CodeConflict, ""},
		{"ErrLocked", &dossier.Error{Code: dossier.CodeLocked, Detail: "d", Lock: lock}, 409,
			dossier.CodeLocked, "29"},
		{"ErrLocked by a clock that is behind",
			&dossier.Error{Code: dossier.CodeLocked, Detail: "d", Lock: &dossier.Lock{}}, 409,
			dossier.CodeLocked, "1"},
		{"ErrLocked with a wait", &dossier.Error{Code: dossier.CodeLocked, Detail: "d", Lock: lock,
			RetryAfter: time.Second}, 409, dossier.CodeLocked, "1"},
		{"ErrUnavailable", fmt.Errorf("get: %w", kv.ErrUnavailable), 503, dossier.CodeUnavailable,
			"1"},
		{"ErrUnavailable for long", &dossier.Error{Code: dossier.CodeUnavailable, Detail: "d",
			RetryAfter: 1500 * time.Millisecond}, 503, dossier.CodeUnavailable, "2"},
		{"ErrDeadline", context.DeadlineExceeded, 503, dossier.CodeUnavailable, "1"},
		{"ErrTooLarge", fmt.Errorf("put: %w", kv.ErrTooLarge), 413, dossier.CodeTooLarge, ""},
		{"ErrUnknown", errors.New("secret internals"), 500, dossier.CodeInternal, ""},
		{"ErrUnknownCode", dossier.Errorf("SECRET", "secret internals"), 500, dossier.CodeInternal,
			""},
		{"ErrCondition", &kv.ConditionFailed{}, 500, dossier.CodeInternal, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			row := settingsRow("GET", "/x", dossier.ScopeSettingsRead)
			row.handle = func(*request) (any, error) { return nil, c.err }
			w := newTestAPI(t, withRoutes(Config{}, row)).do(t, call{method: "GET", target: "/x"})
			p := problemOf(t, w)
			if w.Code != c.status || p.Code != c.code ||
				w.Result().Header.Get("Retry-After") != c.retry {
				t.Errorf("%d %s, Retry-After %q", w.Code, p.Code,
					w.Result().Header.Get("Retry-After"))
			}
			if (p.Lock != nil) != (c.code == dossier.CodeLocked) ||
				strings.Contains(strings.ToLower(w.Body.String()), "secret") {
				t.Errorf("%s", w.Body)
			}
		})
	}
}

func TestEveryCodeHasAStatus(t *testing.T) {
	t.Parallel()
	codes := []dossier.Code{dossier.CodeMalformed, dossier.CodeUnauthorized, dossier.CodeForbidden,
		dossier.CodeNotFound,
		dossier.CodeMethodNotAllowed, dossier.CodeTooLarge, dossier.CodeMediaType,
		dossier.CodeValidation, dossier.CodePrecondition,
		dossier.CodeRateLimited, dossier.CodeUnavailable, dossier.CodeInternal,
		dossier.CodeKeyReused, dossier.CodeLocked,
		dossier.CodeRemoved, dossier.CodeNotReplaceable, dossier.CodeTransition,
		dossier.CodeAlreadyRequested,
		dossier.CodeInUse, dossier.CodeConflict,
		dossier.CodeLimitReached, dossier.CodeUploadIncomplete, dossier.CodeNotMessageAuthor,
		dossier.CodeMessageRead, dossier.CodeIntegrationActive}
	for _, c := range codes {
		if k := kinds[c]; k.status < 400 || k.title == "" {
			t.Errorf("%s has no row", c)
		}
	}
	if len(codes) != len(kinds) {
		t.Errorf("%d codes, %d rows", len(codes), len(kinds))
	}
}

func TestNotFoundIsByteIdentical(t *testing.T) {
	t.Parallel()
	row := settingsRow("GET", "/candidates/{id}", dossier.ScopeSettingsRead)
	row.tokens = "id"
	row.handle = func(r *request) (any, error) {
		if r.param("id") == "foreign" {
			return nil, dossier.Errorf(dossier.CodeNotFound, "it is another company's")
		}
		return nil, dossier.ErrNotFound
	}
	b := newTestAPI(t, withRoutes(Config{}, row))
	var bodies []string
	for _, c := range []call{{target: "/candidates/foreign"}, {target: "/candidates/absent"},
		{target: "/candidates/" + strings.Repeat("x", 300)},
		{target: "/candidates/cnd_" + otherULID, key: token}} {
		c.method, c.header = "GET", []string{"X-Request-Id", "same"}
		w := b.do(t, c)
		bodies = append(bodies, fmt.Sprint(w.Code, w.Result().Header, w.Body))
	}
	for _, other := range bodies[1:] {
		if other != bodies[0] {
			t.Errorf("%s\n%s", bodies[0], other)
		}
	}
}

func TestPanicsBecome500(t *testing.T) {
	t.Parallel()
	row := settingsRow("GET", "/x", dossier.ScopeSettingsRead)
	row.handle = func(*request) (any, error) { panic("canary of a person") }
	bug := settingsRow("GET", "/bug", dossier.ScopeSettingsRead)
	bug.handle = func(r *request) (any, error) { return r.route.filters[3], nil }
	b := newTestAPI(t, withRoutes(Config{}, row, bug))
	for _, target := range []string{"/x", "/bug"} {
		b.log.Reset()
		w := b.do(t, call{method: "GET", target: target})
		if w.Code != 500 || strings.Contains(w.Body.String(), "panic") ||
			strings.Contains(w.Body.String(), "goroutine") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		line := b.log.String()
		if !strings.Contains(line, `"level":"ERROR"`) || !strings.Contains(line, "panic") ||
			strings.Contains(line, "canary") {
			t.Errorf("log: %s", line)
		}
	}
}
