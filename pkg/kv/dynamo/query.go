package dynamo

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/dossierhq/dossier/pkg/kv"
)

// keyNames are the attributes that are partition and sort key of the table and of each index.
var keyNames = map[string][2]string{
	kv.Main: {"pk", "sk"}, kv.IndexOpen: {"open", "due"}, kv.IndexList: {"list", "sort"},
	kv.IndexLookup: {"look", "rank"}, kv.IndexGroup: {"group", "place"},
}

// queryInput puts the query into DynamoDB's terms; nil where it can't find anything.
func (e *Engine) queryInput(q kv.Query) (*dynamodb.QueryInput, error) {
	if q.From != "" && q.To != "" && q.From > q.To {
		return nil, nil // DynamoDB takes such bounds for a mistake
	}
	names := keyNames[q.Index]
	in := &dynamodb.QueryInput{
		TableName:                &e.table,
		ScanIndexForward:         aws.Bool(!q.Backward),
		ConsistentRead:           aws.Bool(q.Index == kv.Main && !q.Eventual),
		ExpressionAttributeNames: map[string]string{"#p": names[0]},
	}
	if q.Index != kv.Main {
		in.IndexName = &q.Index
	}
	values := attributes{":p": text(q.Partition)}
	where := "#p = :p"
	switch {
	case q.From != "" && q.To != "":
		where += " AND #s BETWEEN :from AND :to"
	case q.From != "":
		where += " AND #s >= :from"
	case q.To != "":
		where += " AND #s <= :to"
	}
	if q.From != "" {
		values[":from"] = text(q.From)
	}
	if q.To != "" {
		values[":to"] = text(q.To)
	}
	if q.From != "" || q.To != "" {
		in.ExpressionAttributeNames["#s"] = names[1]
	}
	in.KeyConditionExpression, in.ExpressionAttributeValues = &where, values
	if q.After == "" {
		return in, nil
	}
	place, err := kv.ParseCursor(q.After)
	if err != nil {
		return nil, err
	}
	return startBehind(in, q, place), nil
}

// startBehind sets where the query starts. DynamoDB takes only a start inside the bounds: a place
// before them is no start, and behind one that is after them nothing follows.
func startBehind(in *dynamodb.QueryInput, q kv.Query, place kv.Place) *dynamodb.QueryInput {
	below := q.From != "" && place.Sort < q.From
	above := q.To != "" && place.Sort > q.To
	switch {
	case q.Backward && below, !q.Backward && above:
		return nil
	case below, above:
		return in
	}
	names := keyNames[q.Index]
	if in.ExclusiveStartKey = (attributes{}); q.Index != kv.Main {
		in.ExclusiveStartKey = keyOf(place.Key)
	}
	in.ExclusiveStartKey[names[0]] = text(q.Partition)
	in.ExclusiveStartKey[names[1]] = text(place.Sort)
	return in
}
