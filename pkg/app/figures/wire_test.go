package figures

import (
	"context"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
)

// wire notes every request of a client, with what DynamoDB Local says it consumed.
type wire struct {
	mu       sync.Mutex
	consumed []consumed
}

// consumed is the answer to one request. Local's figures for transactions are wrong, and a refused
// write has none: exact is false then.
type consumed struct {
	operation   string
	exact       bool
	table, rest float64 // units of the table and of all indexes
}

// watch is an option of a client.
func (w *wire) watch(o *dynamodb.Options) {
	o.APIOptions = append(o.APIOptions, func(s *middleware.Stack) error {
		return s.Initialize.Add(middleware.InitializeMiddlewareFunc("consumed", w.handle),
			middleware.Before)
	})
}

func (w *wire) handle(ctx context.Context, in middleware.InitializeInput,
	next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
	const all = types.ReturnConsumedCapacityIndexes
	switch p := in.Parameters.(type) {
	case *dynamodb.GetItemInput:
		p.ReturnConsumedCapacity = all
	case *dynamodb.BatchGetItemInput:
		p.ReturnConsumedCapacity = all
	case *dynamodb.QueryInput:
		p.ReturnConsumedCapacity = all
	case *dynamodb.PutItemInput:
		p.ReturnConsumedCapacity = all
	case *dynamodb.DeleteItemInput:
		p.ReturnConsumedCapacity = all
	}
	out, meta, err := next.HandleInitialize(ctx, in)
	var c *types.ConsumedCapacity
	kind := "transaction"
	switch r := out.Result.(type) {
	case *dynamodb.GetItemOutput:
		kind, c = "get", r.ConsumedCapacity
	case *dynamodb.BatchGetItemOutput:
		kind, c = "get", &r.ConsumedCapacity[0]
	case *dynamodb.QueryOutput:
		kind, c = "query", r.ConsumedCapacity
	case *dynamodb.PutItemOutput:
		kind, c = "write", r.ConsumedCapacity
	case *dynamodb.DeleteItemOutput:
		kind, c = "write", r.ConsumedCapacity
	}
	note := consumed{operation: kind}
	if err == nil && c != nil {
		note.exact = true
		if c.Table != nil && c.Table.CapacityUnits != nil {
			note.table = *c.Table.CapacityUnits
		}
		for _, index := range c.GlobalSecondaryIndexes {
			note.rest += *index.CapacityUnits
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.consumed = append(w.consumed, note)
	return out, meta, err
}

func (w *wire) take() []consumed {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.consumed
	w.consumed = nil
	return all
}

// agree holds the computed bill against what went over the wire: as many requests, and for each
// that DynamoDB Local gets right the same units.
func (w *wire) agree(tb testing.TB, what string, bill []charge) {
	tb.Helper()
	onWire := w.take()
	if len(onWire) != len(bill) {
		tb.Errorf("%s: %d requests on the wire, %d were counted", what, len(onWire), len(bill))
		return
	}
	for n, c := range bill {
		table, rest := c.Read, 0.0
		switch {
		// Local asks nothing for finding nothing; AWS does
		case !onWire[n].exact, c.kind == "query" && onWire[n].table+onWire[n].rest == 0:
			continue
		case c.kind == "write":
			table, rest = float64(c.Write), float64(c.Index)
		case c.index != "":
			table, rest = 0, c.Read
		}
		if onWire[n].operation != c.kind || onWire[n].table != table || onWire[n].rest != rest {
			tb.Errorf("%s: request %d, a %s of %v: DynamoDB Local consumed %+v", what, n, c.kind,
				c.cost, onWire[n])
		}
	}
}
