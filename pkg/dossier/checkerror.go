package dossier

// CheckError is a check that could not be carried out. Cause is a sentence for administrators: it
// holds no address, and nothing of the document or of a service's response.
type CheckError struct {
	Cause string
	Err   error // for the log
}

func (e *CheckError) Error() string { return e.Err.Error() }

// Unwrap returns the error that the log tells.
func (e *CheckError) Unwrap() error { return e.Err }
