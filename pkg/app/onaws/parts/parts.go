// Package parts keeps the bytes of parts in the stack's bucket.
package parts

import (
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/dossierhq/dossier/pkg/app/onaws"
	"github.com/dossierhq/dossier/pkg/blob/s3blob"
)

// Store is the bucket. Elsewhere than on AWS its name stands in the path, because it can't stand in the host.
func Store(f onaws.Function) *s3blob.Store {
	return s3blob.New(s3.NewFromConfig(f.AWS, func(o *s3.Options) { o.UsePathStyle = f.AWS.BaseEndpoint != nil }), f.Config.Bucket)
}
