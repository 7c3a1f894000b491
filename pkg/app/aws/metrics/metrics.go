// Package metrics reports numbers to CloudWatch in the embedded metric format: as a line of the
// log, without a client or a request.
package metrics

import (
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
)

// Namespace holds the metrics; their one dimension is Stack, the name of the stack.
const Namespace = "Dossier"

// Value is one number of a moment.
type Value struct {
	Name  string
	Unit  string // as CloudWatch names it: Seconds, Count
	Value float64
}

type definition struct {
	Name string `json:"Name"`
	Unit string `json:"Unit"`
}

type directive struct {
	Namespace  string       `json:"Namespace"`
	Dimensions [][]string   `json:"Dimensions"`
	Metrics    []definition `json:"Metrics"`
}

type metadata struct {
	Timestamp         int64       `json:"Timestamp"` // milliseconds
	CloudWatchMetrics []directive `json:"CloudWatchMetrics"`
}

// Emit writes one line with the values.
func Emit(w io.Writer, stack string, at time.Time, values ...Value) error {
	d := directive{Namespace: Namespace, Dimensions: [][]string{{"Stack"}}}
	line := map[string]any{"Stack": stack}
	for _, v := range values {
		d.Metrics = append(d.Metrics, definition{v.Name, v.Unit})
		line[v.Name] = v.Value
	}
	line["_aws"] = metadata{Timestamp: at.UnixMilli(), CloudWatchMetrics: []directive{d}}
	text, err := json.Marshal(line, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("write metrics: %w", err)
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
