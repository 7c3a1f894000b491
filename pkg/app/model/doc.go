// Package model compares the service with a model of its contract: random sessions over HTTP, of
// several companies, keys and candidates, in which every response and everything that can be
// observed has to be as the model says. It has tests only. The model is slow and plain, so that
// a reader can hold it against the interface:
//
//   - model_test.go is the model of a candidate's dossier: who may call, status, events, messages,
//     the lock, idempotency keys. settings_test.go has the settings and sharing, rules_test.go
//     write-back and the rules, work_test.go the work that follows and deliveries.
//   - preset_test.go has what presets bring and what is taken back with them, import_test.go the
//     import of candidates, after_test.go forms that are asked for later, and names of companies.
//     parser_test.go has parser services: where documents may go, and the log of calls.
//   - setup_test.go draws settings; actions_test.go and messages_test.go draw requests;
//     session_test.go sends them to the service and to the model, and compares.
//   - observe_test.go reduces responses to the members that the model knows.
//   - fixture_test.go runs the service in the process of the test, on a clock of its own, with
//     workers that run when a session says so.
//   - bugs_test.go plants bugs that the model has to find.
//
// Left out are the expiry of idempotency keys, tokens and documents, erasure, and lists with more
// than one page.
package model
