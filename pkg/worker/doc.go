// Package worker holds the consumers of tasks, one file for each kind: a consumer claims an open
// task, acts, and closes it. The same consumers run in Lambda functions, in the standalone process
// and in the tests. A notification of a task that is already closed changes nothing.
package worker
