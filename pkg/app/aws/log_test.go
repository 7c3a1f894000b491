package aws

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

func TestLinesNameTheInvocation(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	log := slog.New(invocations{slog.NewJSONHandler(&text, nil)}).With("of", "test")
	log.InfoContext(t.Context(), "before")
	log.InfoContext(lambdacontext.NewContext(t.Context(),
		&lambdacontext.LambdaContext{AwsRequestID: "7d1a"}), "during", "more", 1)
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	if len(lines) != 2 || strings.Contains(lines[0], "lambdaRequestId") ||
		!strings.HasSuffix(lines[1], `"of":"test","more":1,"lambdaRequestId":"7d1a"}`) {
		t.Errorf("the log is\n%s", text.String())
	}
}
