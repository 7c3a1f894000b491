// Package worker answers the doorbells, one file for each: it claims an open entry, acts, and closes it. The same consumers run in
// Lambda functions, in the standalone process and in the tests. A ring for what is done already changes nothing.
package worker
