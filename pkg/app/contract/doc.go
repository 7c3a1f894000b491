// Package contract tests the interface row by row, over HTTP, on both storage engines. It has
// tests only: TestContract has a subtest for each row of the interface, so that
// "go test -v -run TestContract" lists the contract.
package contract
