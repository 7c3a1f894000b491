package dossier

import "net/url"

// ParserConfirmation tells a company with which a document type is shared where its documents would
// go. They are sent there once that company has confirmed the host.
type ParserConfirmation struct {
	// of the owner's parser service, with the port if the address names one
	Host      string `json:"host"`
	Confirmed bool   `json:"confirmed"`
}

// Host returns the host of the parser service, with the port if the address names one.
func (h HTTPParser) Host() string {
	address, err := url.Parse(h.URL)
	if err != nil {
		return ""
	}
	return address.Host
}

// ForPartner returns the document type as a company sees it with which another one shares it.
func (t DocumentType) ForPartner() DocumentType {
	confirmation := t.ParserConfirmation
	t = t.WithoutInternals()
	t.ParserConfirmation = confirmation
	if confirmation != nil && !confirmation.Confirmed {
		t.Warnings = append(t.Warnings, Warning{
			Code: WarningParserNotConfirmed, Pointer: "/check/parser",
			Message: "Documents go to the parser service at " + confirmation.Host +
				" once this company has confirmed that host. Until then they wait for a reviewer.",
		})
	}
	return t
}

// ParserConfirmationInput is the body that confirms the host of a shared type's parser service.
type ParserConfirmationInput struct {
	Host string `json:"host"`
}

// Validate records what is wrong with the input by itself.
func (in ParserConfirmationInput) Validate(p *Problems) { p.Line("/host", in.Host, MaxURL) }
