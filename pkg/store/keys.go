package store

import (
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

// Every key, prefix and query bound of the table is built in this file and in keys_index.go, and
// pinned by testdata/keys.golden. <co>, <cand>, <dt> … are ULIDs: ids without their prefix. <n> has
// ten digits.
//
//	item                      partition              sort                  read by
//	candidate                 <co>#CAND#<cand>       A#CAND                Get; snapshot
//	candidate document type   <co>#CAND#<cand>       B#CDT#<dt>            Get; Query; snapshot
//	rules job (task)          <co>#CAND#<cand>       C#JOB#<n>             snapshot
//	check (task)              <co>#CAND#<cand>       CHK#<dt>              Get
//	document                  <co>#CAND#<cand>       DOC#<dt>#<doc>        Get; Query of a type
//	rule run                  <co>#CAND#<cand>       RUN#<dt>#<doc>        Get; Query of a type
//	event (task until handed  <co>#CAND#<cand>       EVT#<n>               Get; Query in order
//	  out)
//	delivery (task)           <co>#CAND#<cand>       DLV#<int>#<n>         Get; Query for the next
//	reaction (task)           <co>#CAND#<cand>       SCN#<scn>#<n>         Get
//	integration log           <co>#CAND#<cand>       LOG#<int or scn>#<n>  Get
//	call of a parser service  <co>#CAND#<cand>       PCL#<doc>#<n>         Query of lists; expires
//	valid tokens              <co>#CAND#<cand>       TOKENS                Get; expires
//	chain of a root event     <co>#CAND#<cand>       CHAIN#<n>             Get; expires
//	upload plan               <co>#CAND#<cand>       UPL#<upload>          Get, Query; expires
//	search entry              <co>#CAND#<cand>       FND#<kind>            Get
//	replacement entry         <co>#CAND#<cand>       RPL#<dt>              Query of lists
//	message                   <co>#CAND#<cand>#MSG   <msg>                 Get; Query of them
//	external id               <co>#EXT               <external id>         Get
//	document type             <co>#DT                <dt>                  Get; Query
//	version of its rules      <co>#DTV               <dt>#<n>              Get; Query of a type
//	scenario, form, preset    <co>#SCN, #FRM, #PRE   id                    Get; Query
//	page, integration, field  <co>#RPG, #INT, #CFD   id                    Get; Query
//	version of one of these   <co>#STV               id#<n>                Get; Query of one
//	settings revision         <co>#SET               rev                   Get: serializes changes
//	backfills (tasks)         <co>#FND               BACKFILL, BACKFILL#T  Get
//	key                       <co>#KEY               <key>                 Get; Query
//	candidate's token         <co>#TOK               <token>               Get; expires
//	session of a key          <co>#SES               <key>#<session>       Get; expires
//	session of a person       <co>#SES               <provider>#<session>  Get; expires
//	sign-in link              <co>#LNK               <link>                Get; expires
//	sign-in attempt           <co>#SIA               <attempt>             Get; expires
//	company                   <co>#CO                company               Get
//	number of list shards     <co>#SHD               lists                 Get
//	bucket of requests        <co>#REQ               kind                  Get; expires
//	company of a group        <group>#GRP            <co>                  Query
//	idempotency key           <co>#IDEM#<principal>  key                   Get; expires
//	format of the table       #FORMAT                format                Get, once at a start
//
// A snapshot is one Query of a candidate's partition, in the range A# … C#~. A shared document type
// has a copy in the partition of each partner. Replacement entries lie in the indexes look and
// group among the candidate document types, in the state of the newest document.
//
//	index   partition             sort                   for
//	open    OPEN#<shard>          due                    the sweeper: open tasks that are due
//	list    <co>#CAND             <cand>                 candidates of a company
//	list    <co>#CDT              <cand>#<dt>            candidate document types of a company
//	list    <co>#LOG              <time>#<log id>        integration log, open deliveries included
//	list    <co>#FND              <term>#<cand>          candidates by the beginning of a term
//	look    <co>#CAND#<status>    <cand>                 candidates by status
//	look    <co>#NAME             <name>#<cand>          candidates by last name, then first name
//	look    <co>#CDT#<state>      <urgency>#<cand>#<dt>  candidate document types by state,
//	                                                     urgent first; <cand>#<dt> for items from
//	                                                     before this order existed
//	group   <co>#CDT#<dt>         <rank>#<state>#        candidate document types of a document
//	                              <urgency>#<cand>       type, keys only; the missing ones first
//	look    <co>#UNREAD           <time>#<msg>           messages that no administrator has read
//	look    <co>#LOG#<int or scn> <time>#<log id>        log of one integration or scenario
//	both    <co>#PCL, #PCL#<dt>   <time>#<call id>       calls of parser services
//	look    <co>#RUN#<dt>         <time>#<run id>        rule runs of a document type
//	look    <co>#ANSWERS#<cand>   idempotency key        responses about a candidate, to erase
//	look    <co>#ON#<event name>  A#SCN#<scn>            active scenarios of an event
//	                              B#INT#<int>            integrations that receive the event
//	                              C#INT#<int>            integrations disabled by an administrator
//
// A company can have more than one shard of its lists: of the partitions <co>#CAND, #CDT, #LOG,
// #PCL, #RUN and #UNREAD of indexes and all that begin with them. #S<shard>, three digits, is then
// at the end of the partition, nothing for shard 0. A candidate's entries are all in one shard.
const (
	openShards  = 16
	skCandidate = "A#CAND"
	skCompany   = "company"
	skRevision  = "rev"
	skTokens    = "TOKENS"
	skFormat    = "format"
	skShards    = "lists"
	skBackfill  = "BACKFILL"
	skBackfillT = "BACKFILL#T"

	formatPartition = "#FORMAT"

	prefixCDT      = "B#CDT#"
	prefixJob      = "C#JOB#"
	prefixCheck    = "CHK#"
	prefixChain    = "CHAIN#"
	prefixDocument = "DOC#"
	prefixRun      = "RUN#"
	prefixEvent    = "EVT#"
	prefixDelivery = "DLV#"
	prefixReaction = "SCN#"
	prefixLog      = "LOG#"
	prefixCall     = "PCL#"
	prefixUpload   = "UPL#"
	prefixEntry    = "FND#"

	prefixReplacement = "RPL#"

	suffixMessages = "#MSG"
	last           = "~" // sorts behind every character that keys are made of
)

// The sort keys of the listeners of an event: dispatch reads the first two, lists the last two.
const (
	rankScenario = "A#SCN#"
	rankActive   = "B#INT#"
	rankMuted    = "C#INT#"
)

// taskKinds maps the prefix of an open item's sort key to its kind of task.
var taskKinds = []struct{ prefix, kind string }{
	{skCandidate, TaskErase},
	{prefixCDT, TaskDate},
	{prefixJob, TaskRules},
	{prefixCheck, TaskCheck},
	{prefixEvent, TaskDispatch},
	{prefixDelivery, TaskDeliver},
	{prefixReaction, TaskScenario},
	{skBackfill, TaskBackfill},
}

// partitionOf returns the partition of a kind of items of a company; company is an id.
func partitionOf(company, kind string) string {
	return company[len(dossier.PrefixCompany):] + "#" + kind
}

// formatKey returns the key of the one item that belongs to no company.
func formatKey() kv.Key { return kv.Key{PK: formatPartition, SK: skFormat} }

// candidateRef addresses the partition of one candidate.
type candidateRef struct {
	company string
	id      dossier.CandidateID
}

// refOf returns the candidate in whose partition, or partition of messages, a key lies.
func refOf(pk string) (candidateRef, bool) {
	company, rest, found := strings.Cut(pk, "#CAND#")
	id, _, _ := strings.Cut(rest, "#")
	at := candidateRef{dossier.PrefixCompany + company, dossier.NewCandidateID(id)}
	_, isCompany := dossier.ParseID(dossier.PrefixCompany, at.company, 1)
	_, isCandidate := dossier.ParseCandidateID(string(at.id))
	return at, found && isCompany && isCandidate
}

func (at candidateRef) partition() string {
	return partitionOf(at.company, "CAND#"+at.id.ULID())
}

func (at candidateRef) key(sk string) kv.Key { return kv.Key{PK: at.partition(), SK: sk} }

func (at candidateRef) candidateKey() kv.Key { return at.key(skCandidate) }

func (at candidateRef) tokensKey() kv.Key { return at.key(skTokens) }

func (at candidateRef) cdtKey(dt dossier.DocumentTypeID) kv.Key {
	return at.key(prefixCDT + dt.ULID())
}

func (at candidateRef) jobKey(n int64) kv.Key { return at.key(prefixJob + digits(n)) }

func (at candidateRef) checkKey(dt dossier.DocumentTypeID) kv.Key {
	return at.key(prefixCheck + dt.ULID())
}

func (at candidateRef) documentKey(dt dossier.DocumentTypeID, document string) kv.Key {
	return at.key(prefixDocument + dt.ULID() + "#" + document[len(dossier.PrefixDocument):])
}

func (at candidateRef) runKey(dt dossier.DocumentTypeID, document string) kv.Key {
	return at.key(prefixRun + dt.ULID() + "#" + document[len(dossier.PrefixDocument):])
}

// chainKey takes the number of the root event.
func (at candidateRef) chainKey(n int64) kv.Key { return at.key(prefixChain + digits(n)) }

func (at candidateRef) eventKey(n int64) kv.Key { return at.key(prefixEvent + digits(n)) }

// deliveryKey takes the ULID of an integration and the number of an event.
func (at candidateRef) deliveryKey(integration string, n int64) kv.Key {
	return at.key(prefixDelivery + integration + "#" + digits(n))
}

// reactionKey takes the ULID of a scenario and the number of an event.
func (at candidateRef) reactionKey(scenario string, n int64) kv.Key {
	return at.key(prefixReaction + scenario + "#" + digits(n))
}

// closedKey returns the key in the integration log of a closed delivery or reaction.
func closedKey(open kv.Key) kv.Key {
	return kv.Key{PK: open.PK, SK: prefixLog + open.SK[len(prefixDelivery):]}
}

// parserCallKey takes the fencing token of the check that made the call.
func (at candidateRef) parserCallKey(document string, token int64) kv.Key {
	return at.key(prefixCall + document[len(dossier.PrefixDocument):] + "#" + digits(token))
}

func (at candidateRef) uploadKey(upload string) kv.Key {
	return at.key(prefixUpload + upload[len(dossier.PrefixUpload):])
}

func (at candidateRef) messagePartition() string { return at.partition() + suffixMessages }

// messageKey takes the id of a message of this candidate.
func (at candidateRef) messageKey(message string) kv.Key {
	return kv.Key{PK: at.messagePartition(),
		SK: message[len(dossier.PrefixMessage)+dossier.ULIDLen:]}
}

// entryKey takes one of searchKinds.
func (at candidateRef) entryKey(kind string) kv.Key { return at.key(prefixEntry + kind) }

func (at candidateRef) replacementKey(dt dossier.DocumentTypeID) kv.Key {
	return at.key(prefixReplacement + dt.ULID())
}

func externalKey(company, externalID string) kv.Key {
	return kv.Key{PK: partitionOf(company, "EXT"), SK: externalID}
}

func typeKey(company string, dt dossier.DocumentTypeID) kv.Key {
	return kv.Key{PK: partitionOf(company, kindType.partition), SK: dt.ULID()}
}

// ruleVersionKey returns the key of a version of the rules of a document type.
func ruleVersionKey(company string, dt dossier.DocumentTypeID, n int64) kv.Key {
	return kv.Key{PK: partitionOf(company, "DTV"), SK: dt.ULID() + "#" + digits(n)}
}

// settingVersionKey takes the ULID of an entity of the settings and the number of a version of it.
func settingVersionKey(company, ulid string, n int64) kv.Key {
	return kv.Key{PK: partitionOf(company, "STV"), SK: ulid + "#" + digits(n)}
}

// settingKey returns the key of an entity of a kind; ok is false for what is no id of that kind.
func settingKey(company string, k kind, id string) (kv.Key, bool) {
	ulid, ok := dossier.ParseID(k.prefix, id, 1)
	return kv.Key{PK: partitionOf(company, k.partition), SK: ulid}, ok
}

func revisionKey(company string) kv.Key {
	return kv.Key{PK: partitionOf(company, "SET"), SK: skRevision}
}

// accessKeyKey takes the ULID of a key.
func accessKeyKey(company, ulid string) kv.Key {
	return kv.Key{PK: partitionOf(company, kindKey.partition), SK: ulid}
}

// tokenKey takes the ULID of a candidate's token.
func tokenKey(company, ulid string) kv.Key { return keyIn(company, "TOK", ulid) }

// sessionKey takes the ULIDs of a key or sign-in provider and of its session.
func sessionKey(company, accessKey, session string) kv.Key {
	return kv.Key{PK: partitionOf(company, "SES"), SK: accessKey + "#" + session}
}

// signInLinkKey takes the ULID of a sign-in link.
func signInLinkKey(company, link string) kv.Key { return keyIn(company, "LNK", link) }

// attemptKey takes the ULID of an attempt to sign in at a provider.
func attemptKey(company, attempt string) kv.Key { return keyIn(company, "SIA", attempt) }

func keyIn(company, partition, sk string) kv.Key {
	return kv.Key{PK: partitionOf(company, partition), SK: sk}
}

func companyKey(company string) kv.Key { return keyIn(company, "CO", skCompany) }

func shardsKey(company string) kv.Key { return keyIn(company, "SHD", skShards) }

// requestsKey takes the kind of a RequestBucket.
func requestsKey(company, kind string) kv.Key {
	return kv.Key{PK: partitionOf(company, "REQ"), SK: kind}
}

// backfillKey returns the key of the task that gives a company's candidates their search entries.
func backfillKey(company string) kv.Key {
	return kv.Key{PK: searchPartition(company), SK: skBackfill}
}

// typeBackfillKey returns the key of the task that lists a company's candidate document types by
// their document types.
func typeBackfillKey(company string) kv.Key {
	return kv.Key{PK: searchPartition(company), SK: skBackfillT}
}

// backfillCompany is the inverse of backfillKey and typeBackfillKey.
func backfillCompany(k kv.Key) (company string, ok bool) {
	ulid, found := strings.CutSuffix(k.PK, "#FND")
	_, valid := dossier.ParseID(dossier.PrefixCompany, dossier.PrefixCompany+ulid, 1)
	isTask := k.SK == skBackfill || k.SK == skBackfillT
	return dossier.PrefixCompany + ulid, found && valid && isTask
}

func isCompanyKey(k kv.Key) bool { return k.SK == skCompany && strings.HasSuffix(k.PK, "#CO") }

func groupPartition(group string) string { return group[len(dossier.PrefixGroup):] + "#GRP" }

func groupKey(group, company string) kv.Key {
	return kv.Key{PK: groupPartition(group), SK: company[len(dossier.PrefixCompany):]}
}

func idempotencyKeyOf(i Idempotency) kv.Key {
	return kv.Key{PK: partitionOf(i.CompanyID, "IDEM#"+i.PrincipalID), SK: i.Key}
}

func isIdempotencyKey(k kv.Key) bool { return strings.Contains(k.PK, "#IDEM#") }

func isMessageKey(k kv.Key) bool { return strings.HasSuffix(k.PK, suffixMessages) }

// prefixed returns the query of all items in the candidate's partition whose sort key has a prefix.
func (at candidateRef) prefixed(prefix string) kv.Query {
	return kv.Query{Partition: at.partition(), From: prefix, To: prefix + last}
}

// snapshotQuery reads the candidate, its document types and its rules jobs.
func (at candidateRef) snapshotQuery() kv.Query {
	return kv.Query{Partition: at.partition(), From: "A#", To: "C#" + last}
}

// cdtQuery reads the candidate and its document types.
func (at candidateRef) cdtQuery() kv.Query {
	return kv.Query{Partition: at.partition(), From: skCandidate, To: prefixCDT + last}
}

// versionQuery reads the documents (prefixDocument) or rule runs (prefixRun) of a document type.
func (at candidateRef) versionQuery(prefix string, dt dossier.DocumentTypeID) kv.Query {
	return at.prefixed(prefix + dt.ULID() + "#")
}

// deliveryQuery reads the open deliveries to an integration in the order of their events.
func (at candidateRef) deliveryQuery(integration string) kv.Query {
	return at.prefixed(prefixDelivery + integration + "#")
}

// dispatchQuery reads the scenarios and integrations that receive an event, of the index Lookup.
func dispatchQuery(company, eventName string) kv.Query {
	return kv.Query{Partition: listenerPartition(company, eventName), To: rankActive + last,
		Eventual: true}
}

// integrationQuery reads the integrations with a trigger event, muted ones included, of the index
// Lookup.
func integrationQuery(company, eventName string) kv.Query {
	return kv.Query{Partition: listenerPartition(company, eventName),
		From: rankActive, To: rankMuted + last, Eventual: true}
}

// cutTask returns the part of a task's sort key behind the prefix of its kind.
func cutTask(sk, prefix string) (rest string, ok bool) { return strings.CutPrefix(sk, prefix) }

// targetOf returns the ULID of the integration or scenario in the sort key of a delivery or
// reaction.
func targetOf(sk string) string {
	parts := strings.Split(sk, "#")
	if len(parts) != 3 {
		return ""
	}
	return parts[1]
}

// openShard returns the partition of the index Open for a candidate's tasks: one of a fixed
// number, so that no partition gets hot.
func openShard(pk string) string { return shardName(shardOf(pk, openShards)) }

// shardOf returns the shard, below count, of a candidate's items, by a partition of the candidate.
func shardOf(pk string, count int) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(strings.TrimSuffix(pk, suffixMessages)))
	return int(h.Sum32() % uint32(count))
}

func shardName(n int) string { return fmt.Sprintf("OPEN#%02d", n) }

// authorField is the value of a message's field author, which the condition of its deletion
// compares.
func authorField(a dossier.Author) string { return a.Type + "#" + a.ID }

// digits formats a number so that it sorts as text.
func digits(n int64) string { return fmt.Sprintf("%010d", n) }
