package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// lastRune sorts behind every character of a term.
const lastRune = "\U0010FFFF"

// Items that a company lists: the partition of the index List, and with a state behind it that of
// the index Lookup.
const (
	listCandidates = "CAND"
	listCDTs       = "CDT"
	listLog        = "LOG"
	listCalls      = "PCL"
)

// shardedLists are the lists that are spread over the shards of a company: those in which what is
// new is at one end, so that DynamoDB cannot split their partition for heat.
var shardedLists = []string{listCandidates, listCDTs, listLog, listCalls, "RUN", "UNREAD"}

// shardMark precedes the number of a shard, of three digits, in a partition. Shard 0 is the
// partition without it.
const shardMark = "#S"

// shardedList returns the company of a partition of an index if it is of a list that is spread.
func shardedList(partition string) (company string, ok bool) {
	ulid, rest, _ := strings.Cut(partition, "#")
	list, _, _ := strings.Cut(rest, "#")
	return dossier.PrefixCompany + ulid,
		len(ulid) == dossier.ULIDLen && slices.Contains(shardedLists, list)
}

// shardPartition returns the partition of one shard of a list, whichever shard the given one is of.
func shardPartition(partition string, shard int) string {
	if n := len(partition) - len(shardMark) - 3; n > 0 && partition[n:n+2] == shardMark {
		partition = partition[:n]
	}
	if shard == 0 {
		return partition
	}
	return fmt.Sprintf("%s%s%03d", partition, shardMark, shard)
}

func listPartition(company, list string) string { return partitionOf(company, list) }

// lookupPartition narrows a list: by status, by state, or to the log of an integration or scenario.
func lookupPartition(company, list, value string) string {
	return partitionOf(company, list+"#"+value)
}

// cdtSort is the position of a candidate document type in its lists.
func cdtSort(id dossier.CandidateDocumentTypeID) string {
	return id.Candidate().ULID() + "#" + id.DocumentType().ULID()
}

// urgencySort is the position of a candidate document type among those of its state.
func urgencySort(urgency string, id dossier.CandidateDocumentTypeID) string {
	return urgency + "#" + cdtSort(id)
}

// typePartition holds the candidate document types of one document type.
func typePartition(company string, dt dossier.DocumentTypeID) string {
	return partitionOf(company, listCDTs+"#"+dt.ULID())
}

// The first letters of the positions in the list of a document type: what is missing, and the rest.
const (
	rankMissing = "1#"
	rankPresent = "2#"
)

// typePrefix begins the positions of a state in the list of a document type.
func typePrefix(state string) string {
	if dossier.Missing(state) {
		return rankMissing + state + "#"
	}
	return rankPresent + state + "#"
}

// typeSort is the position of a candidate document type among those of its document type.
func typeSort(state, urgency string, id dossier.CandidateDocumentTypeID) string {
	return typePrefix(state) + urgency + "#" + id.Candidate().ULID()
}

// typeBounds are the query bounds of a state in the list of a document type, up to a moment or date
// if one is given.
func typeBounds(state, before string) (from, to string) {
	return typePrefix(state), typePrefix(state) + cmp.Or(before, lastRune)
}

// missingBounds are the query bounds of the missing documents of a document type.
func missingBounds() (from, to string) { return rankMissing, rankMissing + lastRune }

// firstMoment sorts before every moment and date, and behind the ULIDs with which the positions of
// older items begin.
const firstMoment = "1"

// urgencyBounds are the query bounds of positions before a moment or date; "" is open.
func urgencyBounds(before string) (from, to string) {
	if before == "" {
		return "", ""
	}
	return firstMoment, before
}

// expiryBounds are the query bounds of the documents that expire from one day to another.
func expiryBounds(first, until time.Time) (from, to string) {
	return first.UTC().Format(dossier.DateLayout),
		until.UTC().Format(dossier.DateLayout) + "#" + last
}

// The kinds of a candidate's search entries, in their keys.
const (
	searchByLast     = "last"
	searchByFirst    = "first"
	searchByEmail    = "email"
	searchByExternal = "external"
)

// searchPartition holds the terms by which a search finds the candidates of a company.
func searchPartition(company string) string { return partitionOf(company, "FND") }

// namePartition holds the candidates of a company in the order of their names.
func namePartition(company string) string { return partitionOf(company, "NAME") }

// searchSort is the position of a candidate among the terms or names of a company.
func searchSort(term string, id dossier.CandidateID) string { return term + "#" + id.ULID() }

// searchBounds are the query bounds of the terms that begin with a folded text.
func searchBounds(text string) (from, to string) { return text, text + lastRune }

// runPartition holds the rule runs of a document type of a company.
func runPartition(company string, dt dossier.DocumentTypeID) string {
	return partitionOf(company, "RUN#"+dt.ULID())
}

// runSort is the position of a rule run among them.
func runSort(at dossier.Time, id string) string { return at.String() + "#" + id }

// unreadPartition holds the messages of a company's candidates that no administrator has read.
func unreadPartition(company string) string { return partitionOf(company, "UNREAD") }

// unreadSort is the position of a message among them.
func unreadSort(created dossier.Time, key kv.Key) string { return created.String() + "#" + key.SK }

// logSort is the position of a delivery, a reaction or a call of a parser service in its log.
func logSort(created dossier.Time, id string) string { return created.String() + "#" + id }

// logBounds are the query bounds of a span of time in the integration log; a zero time is open.
func logBounds(since, until time.Time) (from, to string) {
	if !since.IsZero() {
		from = dossier.NewTime(since).String()
	}
	if !until.IsZero() {
		to = dossier.NewTime(until).String() + "#" + last
	}
	return from, to
}

// responsePartition holds the stored responses about a candidate.
func (at candidateRef) responsePartition() string {
	return partitionOf(at.company, "ANSWERS#"+at.id.ULID())
}

// listenerPartition holds the scenarios and integrations that listen to an event.
func listenerPartition(company, eventName string) string {
	return partitionOf(company, "ON#"+eventName)
}
