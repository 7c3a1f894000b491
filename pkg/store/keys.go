// Package store keeps everything the service knows in one table: every key, every item, and one method for each use case, each
// one transaction. It is written against Engine; the table is the truth, and what has to happen next is an open entry in it.
package store

import (
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/oklog/ulid/v2"
)

// Every key of the table. <co>, <cand>, <dt> … are ULIDs: ids without their prefix.
//
//	item                        partition                 sort                       read by
//	candidate                   <co>#CAND#<cand>          A#CAND                     Get; the dossier, one range A# … C#~
//	candidate document type     <co>#CAND#<cand>          B#CDT#<dt>                 Get; the dossier
//	rules job (open)            <co>#CAND#<cand>          C#JOB#<n>                  the dossier
//	check entry (open)          <co>#CAND#<cand>          CHK#<dt>                   Get
//	document                    <co>#CAND#<cand>          DOC#<dt>#<doc>             Query of a candidate document type
//	rule run                    <co>#CAND#<cand>          RUN#<dt>#<doc>             Query of a candidate document type
//	event                       <co>#CAND#<cand>          EVT#<n>                    Get, Query in order
//	delivery (open)             <co>#CAND#<cand>          DLV#<int>#<n>              Query: the lowest is next
//	scenario (open)             <co>#CAND#<cand>          SCN#<scn>#<n>              Get
//	integration log (closed)    <co>#CAND#<cand>          LOG#<int or scn>#<n>       Get, Query
//	pending upload              <co>#CAND#<cand>          UPL#<upload>               Get, with TTL
//	message                     <co>#CAND#<cand>#MSG      <msg>                      Get, Query: all of a candidate
//	external id                 <co>#EXT                  <external id>              Get
//	document type               <co>#DT                   <dt>                       Get, Query; a shared type has a copy in each partner's partition
//	scenario, form, preset      <co>#SCN, #FRM, #PRE      id                         Get, Query
//	page, integration, field    <co>#RPG, #INT, #CFD      id                         Get, Query
//	settings revision           <co>#SET                  rev                        Get: makes changes of settings one after the other
//	key, candidate's token      <co>#KEY, <co>#TOK        id                         Get, Query
//	session of a key            <co>#SES                  <key>#<session>            Get, with TTL
//	sign-in link                <co>#LNK                  <link>                     Get, with TTL
//	company                     <co>#CO                   company                    Get
//	companies of a group        <group>#GRP               <co>                       Query
//	idempotency                 <co>#IDEM#<principal>     key                        Get, with TTL
//
//	index   partition                     sort                     for
//	open    OPEN#<shard>                  due, key                 the sweeper: what is open and due
//	list    <co>#CAND                     <cand>                   candidates of a company
//	list    <co>#CDT                      <cand>#<dt>              candidate document types of a company
//	list    <co>#LOG                      time, key                integration log, deliveries included
//	look    <co>#CAND#<status>            <cand>                   candidates by status
//	look    <co>#CDT#<state>              <cand>#<dt>              candidate document types by state
//	look    <co>#LOG#<int or scn>         time, key                log of one integration
//	look    <co>#ANSWERS#<cand>           key                      kept answers about a candidate, for its erasure
//	look    <co>#ON#<event name>          A#SCN#<scn>, B#INT#<int> who reacts to an event; behind them, as C#INT#<int>, who was disabled by hand
const (
	skCandidate   = "A#CAND"
	dossierFrom   = "A#"
	dossierTo     = "C#~"
	skCompany     = "company"
	skRevision    = "rev"
	openShards    = 16
	prefixMessage = "msg_"
)

// The prefixes of ids.
const (
	prefixCompany     = dossier.PrefixCompany
	prefixGroup       = "grp_"
	prefixCandidate   = dossier.PrefixCandidate
	prefixRequest     = "cdt_" // candidate document type
	prefixType        = "dty_"
	prefixDocument    = "doc_"
	prefixRun         = "run_"
	prefixEvent       = dossier.PrefixEvent
	prefixLog         = "log_"
	prefixUpload      = "upl_"
	prefixScenario    = "scn_"
	prefixForm        = "frm_"
	prefixPreset      = "pre_"
	prefixPage        = "rpg_"
	prefixIntegration = "int_"
	prefixField       = "cfd_"
	prefixRule        = "rul_"
)

const ulidLen = 26

// bare returns an id of n ULIDs without its prefix; ok is false for everything that isn't one.
func bare(prefix, id string, n int) (string, bool) {
	rest, found := strings.CutPrefix(id, prefix)
	if !found || len(rest) != n*ulidLen {
		return "", false
	}
	for i := range n {
		part := rest[i*ulidLen : (i+1)*ulidLen]
		if u, err := ulid.ParseStrict(part); err != nil || u.String() != part {
			return "", false
		}
	}
	return rest, true
}

// splitRequest returns the candidate and the document type in the id of a candidate document type, as ULIDs.
func splitRequest(id string) (cand, dt string, ok bool) {
	rest, ok := bare(prefixRequest, id, 2)
	if !ok {
		return "", "", false
	}
	return rest[:ulidLen], rest[ulidLen:], true
}

func requestID(cand, dt string) string { return prefixRequest + cand + dt }

// pkOf returns the partition of a kind of settings of a company; company is an id.
func pkOf(company, kind string) string { return company[len(prefixCompany):] + "#" + kind }

func pkCandidate(company, cand string) string { return pkOf(company, "CAND#"+cand) }

func keyCandidate(company, cand string) kv.Key {
	return kv.Key{PK: pkCandidate(company, cand), SK: skCandidate}
}

func keyRequest(company, cand, dt string) kv.Key {
	return kv.Key{PK: pkCandidate(company, cand), SK: "B#CDT#" + dt}
}

func keyJob(company, cand string, n int64) kv.Key {
	return kv.Key{PK: pkCandidate(company, cand), SK: fmt.Sprintf("C#JOB#%010d", n)}
}

func keyCheck(company, cand, dt string) kv.Key {
	return kv.Key{PK: pkCandidate(company, cand), SK: "CHK#" + dt}
}

func keyDocument(company, cand, dt, doc string) kv.Key {
	return kv.Key{PK: pkCandidate(company, cand), SK: "DOC#" + dt + "#" + doc}
}

func keyRun(company, cand, dt, doc string) kv.Key {
	return kv.Key{PK: pkCandidate(company, cand), SK: "RUN#" + dt + "#" + doc}
}

func keyEvent(company, cand string, n int64) kv.Key {
	return kv.Key{PK: pkCandidate(company, cand), SK: fmt.Sprintf("EVT#%010d", n)}
}

func keyDelivery(company, cand, target string, n int64) kv.Key {
	return kv.Key{PK: pkCandidate(company, cand), SK: fmt.Sprintf("DLV#%s#%010d", target, n)}
}

func keyReaction(company, cand, scenario string, n int64) kv.Key {
	return kv.Key{PK: pkCandidate(company, cand), SK: fmt.Sprintf("SCN#%s#%010d", scenario, n)}
}

// closedKey returns where a delivery or reaction is kept once it is not open any more: the integration log.
func closedKey(k kv.Key) kv.Key { return kv.Key{PK: k.PK, SK: "LOG" + k.SK[len("DLV"):]} }

func keyUpload(company, cand, upload string) kv.Key {
	return kv.Key{PK: pkCandidate(company, cand), SK: "UPL#" + upload}
}

func keyMessage(company, cand, msg string) kv.Key {
	return kv.Key{PK: pkCandidate(company, cand) + "#MSG", SK: msg}
}

func keyExternal(company, externalID string) kv.Key {
	return kv.Key{PK: pkOf(company, "EXT"), SK: externalID}
}

func keyType(company, dt string) kv.Key { return kv.Key{PK: pkOf(company, "DT"), SK: dt} }

func keySettings(company string) kv.Key { return kv.Key{PK: pkOf(company, "SET"), SK: skRevision} }

func keyCompany(company string) kv.Key { return kv.Key{PK: pkOf(company, "CO"), SK: skCompany} }

func keyGroup(group, company string) kv.Key {
	return kv.Key{PK: group[len(prefixGroup):] + "#GRP", SK: company[len(prefixCompany):]}
}

func keyIdempotency(company, principal, key string) kv.Key {
	return kv.Key{PK: pkOf(company, "IDEM#"+principal), SK: key}
}

// lookAnswers is the partition of the look index with the kept answers about a candidate.
func partitionAnswers(company, cand string) string { return pkOf(company, "ANSWERS#"+cand) }

// lookEvent is the partition of the look index with who reacts to an event.
func partitionListeners(company, name string) string { return pkOf(company, "ON#"+name) }

// The ranks in that partition: scenarios and integrations that hear the event, which handing it out reads, then integrations that don't,
// which only their list reads.
const (
	rankScenario = "A#SCN#"
	rankActive   = "B#INT#"
	rankMuted    = "C#INT#"
)

// openShard returns the partition of the open index for a candidate's work: one of a fixed number, so that none gets hot.
func openShard(pk string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(pk))
	return shardName(int(h.Sum32() % openShards))
}

func shardName(n int) string { return fmt.Sprintf("OPEN#%02d", n) }

// companyAndCandidate returns the ids in the partition key of a candidate.
func companyAndCandidate(pk string) (company, candidate string, ok bool) {
	co, rest, found := strings.Cut(pk, "#CAND#")
	if !found || len(rest) < ulidLen {
		return "", "", false
	}
	return prefixCompany + co, prefixCandidate + rest[:ulidLen], true
}
