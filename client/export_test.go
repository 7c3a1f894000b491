package client

import "time"

// SetPause sets the pause before the second attempt, so that tests need not wait.
func (c *Client) SetPause(d time.Duration) { c.pause = d }
