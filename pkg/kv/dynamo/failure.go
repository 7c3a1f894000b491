package dynamo

import (
	"crypto/rand"
	"errors"
	"fmt"
	randv2 "math/rand/v2"
	"net"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/dossierhq/dossier/pkg/kv"
)

const (
	attempts  = 8 // of one request, the first included
	firstWait = 25 * time.Millisecond
	longest   = time.Second
)

// What DynamoDB calls the reasons why it cancelled a transaction, one for each write.
const (
	reasonCondition  = "ConditionalCheckFailed"
	reasonConflict   = "TransactionConflict"
	reasonThrottled  = "ThrottlingError"
	reasonThroughput = "ProvisionedThroughputExceeded"
)

// mistakes are the codes that no repetition and no patience mends: the request or the set-up is
// wrong.
var mistakes = []string{
	"ValidationException", "SerializationException", "ResourceNotFoundException",
	"AccessDeniedException", "UnrecognizedClientException",
}

// newToken makes a transaction happen once, however often it is sent.
func newToken() string { return rand.Text() }

// backoff is a random part of a span that doubles with each attempt.
func backoff(attempt int) time.Duration {
	span := min(longest, firstWait<<min(max(attempt, 0), 10))
	return 1 + randv2.N(span)
}

func retrying(r aws.Retryer) func(*dynamodb.Options) {
	return func(o *dynamodb.Options) { o.Retryer = r }
}

func newRetryer(retryables []retry.IsErrorRetryable) aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = attempts
		o.Retryables = retryables
		o.Backoff = retry.BackoffDelayerFunc(func(attempt int, _ error) (time.Duration, error) {
			return backoff(attempt), nil
		})
	})
}

func readRetryer() aws.Retryer { return newRetryer(retry.DefaultRetryables) }

// transactionRetryer also repeats a transaction that met another one, or a throttle, unless a
// condition of it failed.
func transactionRetryer() aws.Retryer {
	cancelled := retry.IsErrorRetryableFunc(func(err error) aws.Ternary {
		var canceled *types.TransactionCanceledException
		if !errors.As(err, &canceled) {
			return aws.UnknownTernary
		}
		passing := false
		for _, reason := range canceled.CancellationReasons {
			switch aws.ToString(reason.Code) {
			case reasonCondition:
				return aws.FalseTernary
			case reasonConflict, reasonThrottled, reasonThroughput:
				passing = true
			}
		}
		return aws.BoolTernary(passing)
	})
	return newRetryer(append([]retry.IsErrorRetryable{cancelled}, retry.DefaultRetryables...))
}

// singleRetryer repeats a conditional write only where DynamoDB refused it or was never reached.
func singleRetryer() aws.Retryer {
	refused := map[string]struct{}{"TransactionConflictException": {}}
	for code := range retry.DefaultThrottleErrorCodes {
		refused[code] = struct{}{}
	}
	unreached := retry.IsErrorRetryableFunc(func(err error) aws.Ternary {
		var network *net.OpError
		if errors.As(err, &network) && network.Op == "dial" {
			return aws.TrueTernary
		}
		return aws.UnknownTernary
	})
	return newRetryer([]retry.IsErrorRetryable{retry.NoRetryCanceledError{},
		retry.RetryableErrorCode{Codes: refused}, unreached})
}

// failure maps an error that is no failed condition to the error of an engine: a mistake of ours,
// or, for all else, ErrUnavailable.
func failure(err error) error {
	var api smithy.APIError
	if errors.As(err, &api) && slices.Contains(mistakes, api.ErrorCode()) {
		return err
	}
	var canceled *types.TransactionCanceledException
	if errors.As(err, &canceled) && slices.ContainsFunc(canceled.CancellationReasons, isMistake) {
		return err
	}
	return fmt.Errorf("%w: %w", kv.ErrUnavailable, err)
}

func isMistake(reason types.CancellationReason) bool {
	code := aws.ToString(reason.Code)
	return code == "ValidationError" || code == "ItemCollectionSizeLimitExceeded"
}

// failedConditions returns a *kv.ConditionFailed, or nothing where no condition failed.
func failedConditions(err error) error {
	stored := map[int]attributes{}
	var single *types.ConditionalCheckFailedException
	var canceled *types.TransactionCanceledException
	switch {
	case errors.As(err, &single):
		stored[0] = single.Item
	case errors.As(err, &canceled):
		for i, reason := range canceled.CancellationReasons {
			if aws.ToString(reason.Code) == reasonCondition {
				stored[i] = reason.Item
			}
		}
	}
	if len(stored) == 0 {
		return nil
	}
	failed := make(map[int]kv.Item, len(stored))
	for i, a := range stored {
		item, err := decode(a)
		if err != nil {
			return fmt.Errorf("a condition failed on what can't be read: %w", err)
		}
		failed[i] = item
	}
	return &kv.ConditionFailed{Failed: failed}
}
