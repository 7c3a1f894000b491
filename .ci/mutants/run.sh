#!/bin/sh
# Prints the mutation score of each package: gremlins plants one small bug at a time, and counts
# those that the package's own tests find. What lived is listed before the score.
set -eu
for package in "$@"; do
	echo "pkg/$package"
	nice -n 19 .tools/gremlins unleash "./pkg/$package" --workers 1 --test-cpu 1 \
		--timeout-coefficient 30 --invert-logical --invert-loopctrl --output-statuses lt |
		grep -E 'LIVED|TIMED OUT|Killed|Timed out|efficacy|coverage:'
done
