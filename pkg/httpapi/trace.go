package httpapi

import "github.com/dossierhq/dossier/pkg/trace"

// startSpan takes the trace context from the request's header, and begins the span of the request
// if there is a tracer. It is named after the route's pattern: the path has ids and texts of a
// client's own. Health probes have none.
func (a *API) startSpan(e *endpoint, x *exchange) (end func(trace.Outcome)) {
	before, tracer, w := x.Context(), a.cfg.Tracer, trace.Work{Kind: trace.Server}
	if e != nil {
		w.Route = e.path
	}
	if w.Route == healthPath {
		tracer = nil
	}
	if tracer != nil {
		w.Method = methodName(x.Method)
		w.Name = w.Method + " " + w.Route
	}
	ctx, end := trace.Start(trace.With(before, trace.FromHeaders(x.Header)), tracer, w)
	if ctx != before {
		x.Request = x.WithContext(ctx)
	}
	return end
}
