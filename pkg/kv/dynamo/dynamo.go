// Package dynamo is the kv.Engine on one DynamoDB table.
//
// What is retried, and what is not: a read and a transaction are repeated after any failure that
// may pass, the transaction under one token, so that it happens once. A single conditional write
// has no token: it is repeated only when it surely did not happen, because a repetition would find
// the first one's result and take it for somebody else's.
package dynamo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/dossierhq/dossier/pkg/kv"
)

// patience bounds one request with its repetitions: a storage that hangs is a storage that is
// unavailable.
const patience = 15 * time.Second

// Engine is the kv.Engine on DynamoDB. Its methods may be called from any number of goroutines.
type Engine struct {
	client *dynamodb.Client
	table  string

	// Each gives the requests of its kind their retryer.
	read, transaction, single func(*dynamodb.Options)
}

// New makes an Engine of a client and the name of a table, which must have the keys and indexes of
// template.yaml. The client's own retryer is not used.
func New(client *dynamodb.Client, tableName string) *Engine {
	return &Engine{
		client: client, table: tableName,
		read: retrying(readRetryer()), transaction: retrying(transactionRetryer()),
		single: retrying(singleRetryer()),
	}
}

// Get implements kv.Engine. One key is a GetItem, more are one BatchGetItem; keys that its response
// leaves out are requested again.
func (e *Engine) Get(ctx context.Context, eventual bool, keys ...kv.Key) ([]kv.Item, error) {
	if err := kv.CheckKeys(keys); err != nil {
		return nil, err
	}
	if len(keys) > 1 {
		return e.getBatch(ctx, eventual, keys)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, err := e.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &e.table, Key: keyOf(keys[0]), ConsistentRead: aws.Bool(!eventual),
	}, e.read)
	if err != nil {
		return nil, fmt.Errorf("get an item: %w", failure(err))
	}
	item, err := decode(out.Item)
	if err != nil {
		return nil, fmt.Errorf("get an item: %w", err)
	}
	return []kv.Item{item}, nil
}

func (e *Engine) getBatch(ctx context.Context, eventual bool, keys []kv.Key) ([]kv.Item, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found := make(map[kv.Key]kv.Item, len(keys))
	asked := map[kv.Key]bool{}
	var wanted []attributes
	for _, k := range keys {
		if !asked[k] { // DynamoDB refuses a key twice
			wanted = append(wanted, keyOf(k))
		}
		asked[k] = true
	}
	for idle := 0; len(wanted) > 0; {
		out, err := e.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{
				e.table: {Keys: wanted, ConsistentRead: aws.Bool(!eventual)},
			},
		}, e.read)
		if err != nil {
			return nil, fmt.Errorf("get %d items: %w", len(keys), failure(err))
		}
		for _, a := range out.Responses[e.table] {
			item, err := decode(a)
			if err != nil {
				return nil, fmt.Errorf("get %d items: %w", len(keys), err)
			}
			found[item.Key] = item
		}
		left := out.UnprocessedKeys[e.table].Keys
		if len(left) < len(wanted) { // more than one answer holds, or the first throttle of some
			idle = 0
		} else if idle++; idle == attempts {
			return nil, fmt.Errorf("get %d items: %w: %d of them are throttled", len(keys),
				kv.ErrUnavailable, len(left))
		}
		if wanted = left; len(wanted) > 0 {
			if err := pause(ctx, idle); err != nil {
				return nil, fmt.Errorf("get %d items: %w", len(keys), err)
			}
		}
	}
	items := make([]kv.Item, len(keys))
	for i, k := range keys {
		items[i] = found[k]
	}
	return items, nil
}

// pause waits before keys that were left out are requested again; attempt is 0 after a response
// that held something.
func pause(ctx context.Context, attempt int) error {
	if attempt == 0 {
		return nil
	}
	timer := time.NewTimer(backoff(attempt))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", kv.ErrUnavailable, ctx.Err())
	}
}

// Commit implements kv.Engine. One put or delete is a conditional request of its own; all else is a
// transaction.
func (e *Engine) Commit(ctx context.Context, writes ...kv.Write) error {
	if err := kv.CheckWrites(writes); err != nil {
		return err
	}
	if err := kv.CheckItems(writes); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var err error
	switch w := writes[0]; {
	case len(writes) > 1 || w.Check != nil:
		err = e.transact(ctx, writes)
	case w.Put != nil:
		c := expression(w.If)
		_, err = e.client.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: &e.table, Item: encode(w.Put), ConditionExpression: c.text(),
			ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}, e.single)
	default:
		c := expression(w.If)
		_, err = e.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName: &e.table, Key: keyOf(*w.Delete), ConditionExpression: c.text(),
			ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}, e.single)
	}
	if err == nil {
		return nil
	}
	if failed := failedConditions(err); failed != nil {
		return failed
	}
	return fmt.Errorf("commit of %d writes: %w", len(writes), failure(err))
}

func (e *Engine) transact(ctx context.Context, writes []kv.Write) error {
	items := make([]types.TransactWriteItem, len(writes))
	for i, w := range writes {
		items[i] = e.part(w)
	}
	_, err := e.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		TransactItems: items, ClientRequestToken: aws.String(newToken()),
	}, e.transaction)
	return err
}

func (e *Engine) part(w kv.Write) types.TransactWriteItem {
	const allOld = types.ReturnValuesOnConditionCheckFailureAllOld
	c := expression(w.If)
	switch {
	case w.Put != nil:
		return types.TransactWriteItem{Put: &types.Put{
			TableName: &e.table, Item: encode(w.Put), ConditionExpression: c.text(),
			ReturnValuesOnConditionCheckFailure: allOld,
			ExpressionAttributeNames:            c.names, ExpressionAttributeValues: c.values,
		}}
	case w.Delete != nil:
		return types.TransactWriteItem{Delete: &types.Delete{
			TableName: &e.table, Key: keyOf(*w.Delete), ConditionExpression: c.text(),
			ReturnValuesOnConditionCheckFailure: allOld,
			ExpressionAttributeNames:            c.names, ExpressionAttributeValues: c.values,
		}}
	}
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &e.table, Key: keyOf(*w.Check), ConditionExpression: c.text(),
		ReturnValuesOnConditionCheckFailure: allOld,
		ExpressionAttributeNames:            c.names, ExpressionAttributeValues: c.values,
	}}
}

// Query implements kv.Engine. An item of the index Open has its Key, Open and Due: the index holds
// no more.
//
// It asks for one item more than the limit, which tells whether something follows without a second
// request.
func (e *Engine) Query(ctx context.Context, q kv.Query) (kv.Page, error) {
	if err := q.Check(); err != nil {
		return kv.Page{}, err
	}
	in, err := e.queryInput(q)
	if err != nil || in == nil {
		return kv.Page{}, err
	}
	var items []kv.Item
	for {
		if q.Limit > 0 {
			in.Limit = aws.Int32(int32(q.Limit + 1 - len(items)))
		}
		out, err := e.queryOnce(ctx, in)
		if err != nil {
			return kv.Page{}, fmt.Errorf("query: %w", failure(err))
		}
		for _, a := range out.Items {
			item, err := decode(a)
			if err != nil {
				return kv.Page{}, fmt.Errorf("query: %w", err)
			}
			items = append(items, item)
		}
		if q.Limit > 0 && len(items) > q.Limit {
			last := items[q.Limit-1]
			return kv.Page{Items: slices.Clip(items[:q.Limit]),
				After: kv.PlaceOf(q.Index, last).Cursor()}, nil
		}
		if in.ExclusiveStartKey = out.LastEvaluatedKey; len(in.ExclusiveStartKey) == 0 {
			return kv.Page{Items: items}, nil
		}
	}
}

func (e *Engine) queryOnce(ctx context.Context,
	in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return e.client.Query(ctx, in, e.read)
}
