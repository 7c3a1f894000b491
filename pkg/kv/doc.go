// Package kv is the contract between the store and its storage engines: items with a partition
// and a sort key, three sparse indexes, and commits in which every write carries a condition.
//
// It knows nothing of candidates or documents. Package bolt implements it on an embedded file,
// package dynamo on DynamoDB, and package kvtest is the contract suite that both pass. Bounds of
// keys, items and commits are DynamoDB's, so that what one engine accepts the other does too.
package kv
