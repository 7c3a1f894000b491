// Package store keeps everything the service knows in a single table and has one method for each
// use case. It is written against kv.Engine.
//
// A use case reads, decides and commits one transaction. It relies on optimistic concurrency: every
// write has a condition on what was read, and Store.retryOnConflict starts again if one fails. The
// error that a failed condition means is named beside it.
//
// The table is a transactional outbox. Work is a Task, an open item written by the transaction that
// causes it and closed by the transaction that holds its effect. A Notifier tells the workers of
// new tasks, the sweeper (Due) of tasks that were missed. Checks and deliveries are claimed by a
// lease with a fencing token.
//
// The files, by group:
//
//	keys.go           every key, prefix and query bound; the table of access patterns
//	store.go          Store, its Config, commit and its retries, items
//	idempotency.go    stored responses under a client's Idempotency-Key
//	list.go           pages of lists by state
//	candidate_*.go    candidates: create, change, erase; candidateTx, their transaction
//	document_*.go     candidate document types and documents: request, upload, review
//	task_*.go         the tasks: check, rules, dispatch, react; due tasks
//	delivery_*.go     deliveries to integrations and the integration log
//	message.go        messages; overview.go: the counts of a day
//	format.go         the number of the table's format
//	settings_*.go     what a company configures: document types, scenarios, forms, presets, pages,
//	                  integrations, custom fields; settings.go lists the kinds; a new one has
//	                  a file like settings_form.go
//	credential*.go    keys and candidates' tokens; company.go: companies and groups
package store
