package dossier

import (
	"fmt"
	"time"
)

// timeLayout is RFC 3339 in UTC with milliseconds, the one form of a timestamp in answers, events
// and the table.
const timeLayout = "2006-01-02T15:04:05.000Z"

// DateLayout is the form of a date without a time.
const DateLayout = "2006-01-02"

// Time is a moment with the precision of a millisecond, in UTC.
type Time struct{ time.Time }

// NewTime returns t as a Time, cut to the millisecond.
func NewTime(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

// Equal reports whether both are the same moment.
func (t Time) Equal(u Time) bool { return t.Time.Equal(u.Time) }

// String returns the moment in the form of responses.
func (t Time) String() string { return t.UTC().Format(timeLayout) }

// MarshalJSON writes the moment as RFC 3339 with milliseconds.
func (t Time) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }

// UnmarshalJSON reads any RFC 3339 moment.
func (t *Time) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*t = Time{}
		return nil
	}
	if len(b) < 2 || b[0] != '"' {
		return fmt.Errorf("a moment is an RFC 3339 string")
	}
	p, err := time.Parse(time.RFC3339Nano, string(b[1:len(b)-1]))
	// in UTC it may be another year, which no RFC 3339 can write
	if year := p.UTC().Year(); err != nil || year < 0 || year > 9999 {
		return fmt.Errorf("a moment is an RFC 3339 string")
	}
	*t = NewTime(p)
	return nil
}

// ValidDate reports whether s is a calendar date as YYYY-MM-DD.
func ValidDate(s string) bool {
	_, err := time.Parse(DateLayout, s)
	return err == nil
}
