package standalone

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// sweepsMissed is the number of sweeps after which the sweeper is late.
const sweepsMissed = 4

// writeTime bounds the write that shows that the table can be written.
const writeTime = 5 * time.Second

// ready answers 200 if the table can be written and the sweeper is on time, and otherwise 503 with
// a line for each that does not hold.
func (p *Process) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), writeTime)
	defer cancel()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if err := errors.Join(p.writable(ctx), p.sweepsOnTime(time.Now())); err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(err.Error() + "\n")) // the client is gone
		return
	}
	_, _ = w.Write([]byte("ready\n")) // the client is gone
}

func (p *Process) writable(ctx context.Context) error {
	if err := p.engine.Writable(ctx); err != nil {
		p.log.WarnContext(ctx, "the table can't be written", "error", err)
		return errors.New("the table can't be written")
	}
	return nil
}

func (p *Process) sweepsOnTime(now time.Time) error {
	last := time.UnixMilli(p.swept.Load())
	if now.Sub(last) > max(sweepsMissed*p.cfg.Sweep, time.Minute) {
		return errors.New("the sweeper is late: tasks that were not notified of wait")
	}
	return nil
}

// serveMetrics serves the metrics on an address of their own, if the configuration names one, until
// the returned function is called.
func (p *Process) serveMetrics() (end func() error, err error) {
	if p.cfg.MetricsAddr == "" {
		return func() error { return nil }, nil
	}
	listener, err := net.Listen("tcp", p.cfg.MetricsAddr)
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: p.metrics.Handler(), ReadTimeout: 10 * time.Second,
		WriteTimeout: 30 * time.Second}
	p.log.Info("metrics are served", "address", listener.Addr().String())
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			p.log.Error("metrics are not served any more", "error", err)
		}
	}()
	return server.Close, nil
}
