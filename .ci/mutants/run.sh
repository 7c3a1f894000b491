#!/bin/sh
# Prints the mutation score of each package: gremlins plants one small bug at a time, and counts
# those that the package's own tests find. What lived is listed before the score. Its option
# --test-cpu is not used: version 0.6.0 passes it on in a form that no test binary understands, so
# that every bug seems to be found.
set -eu
for package in "$@"; do
	echo "pkg/$package"
	nice -n 19 .tools/gremlins unleash "./pkg/$package" --workers 1 \
		--timeout-coefficient 30 --invert-logical --invert-loopctrl --output-statuses lt |
		grep -E 'LIVED|TIMED OUT|Killed|Timed out|efficacy|coverage:'
done
