// Package golden tests that this code opens the data of earlier formats and answers every GET as
// the code that wrote them did.
//
// testdata has one folder for each recorded version, named after the commit that wrote it:
//
//	folder.tar.gz           the data folder of the standalone process, its database compacted
//	folder.answers.json.gz  what that commit answered of it to every GET
//	dynamo.items.json.gz    the items of a DynamoDB table, with their raw attributes
//	dynamo.answers.json.gz  what that commit answered of it to every GET
//
// To record a release, check it out and run
//
//	go test ./pkg/app/golden -run TestWrite -write NAME
//
// TestWrite makes the same dossier twice, over HTTP: a part of it by handlers and workers whose
// clock is ten days slow, so that a document expires and an integration has failed for longer
// than it may; the rest by the standalone process, or by the same handlers and workers on
// DynamoDB Local. Then it stops them, with a check at work, and records the answers.
//
// e5822c8 wrote format 1. It had no such package: this one was copied into a checkout of it, with
// the names that the packages had then. e1f5fcc wrote format 2, recorded by a copy of this package;
// 9246222 wrote format 3, de6b03d format 4, with a document in force beside a newer one.
//
// It records the status, the body, and the headers that clients rely on; of an error only the
// status and its code. It leaves out the OpenAPI document and the sentences of errors, which are
// not data, and the addresses of parts, which work for minutes: TestStandalone follows new ones and
// compares the bytes. A member that is new beside the recorded ones is no difference;
// -v lists them. Other deliberate changes are in the table of exceptions, each with its reason.
package golden
