// Package policies tests that the role of each function in template.yaml allows exactly what the
// function can do: no action is missing, and none is more than needed. Nothing else is in it.
//
// # Why a test
//
// A missing action is found on AWS only when a request needs it, perhaps weeks after the
// deployment. An action too many is never found, until somebody breaks into the function. Both come
// from the same cause: code changes, and nobody thinks of the template. So the test works out the
// actions from the program that is deployed.
//
// # How it works
//
//  1. It builds each function for Linux as `make build` does, but with symbols (calls, linked). The
//     linker leaves out methods that nothing reaches. A symbol such as
//     service/dynamodb.(*Client).PutItem in the binary therefore means that some path of the
//     function leads to that call.
//  2. The table named needs translates each call of an SDK client into IAM actions. A call that is
//     not in the table fails the test: whoever uses a new call adds a row. The function platform
//     adds what Lambda itself does in the role's name: logs, polling, dead letters.
//     The function of the pages is the exception: templates make the linker keep everything. It
//     calls the API in process, so what the functions of the API reach together stands in for it.
//  3. TestPolicies compares the actions with the statements of the role, in both directions, and
//     refuses wildcards.
//  4. TestResources compares the resources. Most follow from the action. For dynamodb:Query the
//     test has to know which indexes a function queries: it reads the source of pkg/store
//     (indexed), notes which method of Store names which index, and looks for those methods in the
//     binary. An index that is named outside of a method would escape this, so it fails the test.
//
// # When it fails
//
// "actions (-reached +allowed)" lists with - what the code reaches and the role lacks: add it to
// the role, with the narrowest resource. With + stands what nothing reaches any more: remove it.
// "has no row in needs" means a new SDK call: add it, with the actions that its page of the service
// authorization reference lists. If a call suddenly appears that the function does not make, look
// for an interface or reflection that makes the linker keep every method of a client.
//
// The builds take most of the time: a minute with an empty build cache.
package policies
