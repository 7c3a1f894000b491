package client

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"regexp"
)

// nextPage finds the address of the next page in a Link header (RFC 8288).
var nextPage = regexp.MustCompile(`<([^>]*)>; *rel="?next`)

// pages yields the items of a list, page by page. After an error it yields nothing more.
func pages[T any](ctx context.Context, c *Client, r call) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for more := true; more; {
			list, next, err := page[T](ctx, c, r)
			for _, item := range list {
				if !yield(item, nil) {
					return
				}
			}
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			r.query, more = next, next != nil
		}
	}
}

// page reads one page. next holds the parameters of the page after it, nil for the last.
func page[T any](ctx context.Context, c *Client, r call) (list []T, next url.Values, err error) {
	got, err := c.do(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	if err := r.decode(got, &list); err != nil {
		return nil, nil, err
	}
	link := nextPage.FindStringSubmatch(got.header.Get("Link"))
	if link == nil {
		return list, nil, nil
	}
	u, err := url.Parse(link[1])
	if err != nil {
		return list, nil, fmt.Errorf("%s %s: the link to the next page: %w", r.method, r.path, err)
	}
	return list, u.Query(), nil
}
