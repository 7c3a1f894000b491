// Package settingsfile keeps the settings of a company as one YAML file, with names instead of ids.
// It exports them, says what would change, and applies them through the API, so that it works with
// every installation that a key opens.
//
// A Settings holds each entity as it stands in the file. Entities are compared in that form,
// without the members that have their default. An entity of the installation that is not in the
// file stays, unless an apply or an export of that file knew it: the state file beside the settings
// has its sum. An entity that is not as the last apply left it has drifted, and is not changed.
package settingsfile
