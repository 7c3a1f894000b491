package httpapi

// describeTypeLists describes the list of a document type, and the orders of the company's lists.
func describeTypeLists(d *description) {
	d.filter("GET /candidateDocumentTypes", "documentTypeId", says(
		"Those of this document type. Of the company: what is missing first (`checkFailed`, `expired`, `needsResubmission`, `rejected`, `requested`, `uploaded`), by state, "+
			"the most urgent of a state first. A page may hold fewer than its size, even none, while a `Link` header names a next one. What an earlier version stored "+
			"is found after a task that the first such list opens.").Length(1, maxFilterValue).Example(
		"$dty"))
	d.filter("GET /candidateDocumentTypes", "sort", says(
		"The order of the company's; `-` reverses it. `dueAt`: what candidates have to do, of that what has a due date; `expiresAt`: validated documents that expire; `since`: "+
			"how long it has been in a state that `filter[state][]` names, of `processing`, `inReview`, `rejected`, `checkFailed`, `expired` and `removed`. With "+
			"`filter[documentTypeId]`, `filter[state][]` has to name one state, unless that is the only one with this order.").Pattern(
		"^-?(dueAt|expiresAt|since)$").Example("-dueAt"))
}
