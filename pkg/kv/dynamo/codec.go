package dynamo

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/dossierhq/dossier/pkg/kv"
)

type attributes = map[string]types.AttributeValue

// fieldPrefix is before the name of each of an Item's Fields: they never meet the engine's own
// attributes.
const fieldPrefix = "f_"

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

func keyOf(k kv.Key) attributes { return attributes{"pk": text(k.PK), "sk": text(k.SK)} }

func encode(i *kv.Item) attributes {
	a := keyOf(i.Key)
	a["rev"] = number(i.Rev)
	for name, value := range i.Fields {
		a[fieldPrefix+name] = text(value)
	}
	if len(i.Doc) > 0 {
		a["doc"] = text(string(i.Doc))
	}
	for name, value := range map[string]string{
		"open": i.Open, "due": i.Due, "list": i.List, "sort": i.ListSort, "look": i.Lookup,
		"rank": i.LookupSort, "group": i.Group, "place": i.GroupSort,
	} {
		if value != "" {
			a[name] = text(value)
		}
	}
	if i.Expires != 0 {
		a["ttl"] = number(i.Expires)
	}
	return a
}

// decode is the inverse of encode; no attributes are a zero Item.
func decode(a attributes) (kv.Item, error) {
	var i kv.Item
	texts := map[string]*string{
		"pk": &i.PK, "sk": &i.SK, "open": &i.Open, "due": &i.Due, "list": &i.List,
		"sort": &i.ListSort, "look": &i.Lookup, "rank": &i.LookupSort,
		"group": &i.Group, "place": &i.GroupSort,
	}
	for name, value := range a {
		switch v := value.(type) {
		case *types.AttributeValueMemberS:
			field, isField := strings.CutPrefix(name, fieldPrefix)
			switch {
			case isField:
				if i.Fields == nil {
					i.Fields = map[string]string{}
				}
				i.Fields[field] = v.Value
			case name == "doc":
				i.Doc = []byte(v.Value)
			case texts[name] != nil:
				*texts[name] = v.Value
			}
		case *types.AttributeValueMemberN:
			n, err := strconv.ParseInt(v.Value, 10, 64)
			if err != nil {
				return kv.Item{}, fmt.Errorf("attribute %s is no whole number", name)
			}
			switch name {
			case "rev":
				i.Rev = n
			case "ttl":
				i.Expires = n
			}
		}
	}
	return i, nil
}

// condition is a condition expression; every name in it is a placeholder, because DynamoDB reserves
// hundreds of words.
type condition struct {
	parts  []string
	names  map[string]string
	values attributes
}

func (c *condition) text() *string {
	s := strings.Join(c.parts, " AND ")
	return &s
}

func (c *condition) name(attribute string) string {
	placeholder := "#" + strconv.Itoa(len(c.names))
	c.names[placeholder] = attribute
	return placeholder
}

func (c *condition) value(v types.AttributeValue) string {
	if c.values == nil { // DynamoDB refuses an empty map
		c.values = attributes{}
	}
	placeholder := ":" + strconv.Itoa(len(c.values))
	c.values[placeholder] = v
	return placeholder
}

// expression returns the condition as a DynamoDB expression, always in the same order: a repeated
// transaction must be the same.
func expression(asked kv.Condition) *condition {
	c := &condition{names: map[string]string{}}
	if asked.Absent {
		c.parts = append(c.parts, "attribute_not_exists("+c.name("pk")+")")
	}
	if asked.Rev != 0 {
		c.parts = append(c.parts, c.name("rev")+" = "+c.value(number(asked.Rev)))
	}
	for _, field := range slices.Sorted(maps.Keys(asked.Is)) {
		c.parts = append(c.parts, c.name(fieldPrefix+field)+" = "+c.value(text(asked.Is[field])))
	}
	if len(asked.Not) > 0 {
		c.parts = append(c.parts, "attribute_exists("+c.name("pk")+")")
	}
	for _, field := range slices.Sorted(maps.Keys(asked.Not)) {
		name := c.name(fieldPrefix + field)
		c.parts = append(c.parts, "(attribute_not_exists("+name+") OR "+name+" <> "+
			c.value(text(asked.Not[field]))+")")
	}
	return c
}
