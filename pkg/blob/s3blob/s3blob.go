// Package s3blob keeps uploaded bytes in a versioned S3 bucket. A version is an object version, and
// its checksum the SHA-256 that S3 computed and keeps beside it.
package s3blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/dossierhq/dossier/pkg/blob"
)

// Store is a bucket of blobs. Its methods may be called at the same time.
type Store struct {
	client  *s3.Client
	presign *s3.PresignClient
	bucket  string
	now     func() time.Time
}

// NewFromConfig returns a store on a bucket that exists and keeps versions, with a client of its
// own. Elsewhere than on AWS the bucket's name stands in the path, because it cannot stand in the
// host.
func NewFromConfig(cfg aws.Config, bucket string) *Store {
	return New(s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.UsePathStyle = cfg.BaseEndpoint != nil
	}), bucket)
}

// New uses a bucket that exists and keeps versions.
func New(client *s3.Client, bucket string) *Store {
	return &Store{client: client, presign: s3.NewPresignClient(client), bucket: bucket,
		now: time.Now}
}

// Put stores the content as the newest version of the key.
func (s *Store) Put(ctx context.Context, key string, content []byte) (blob.Info, error) {
	if err := blob.CheckKey(key); err != nil {
		return blob.Info{}, err
	}
	sum := sha256.Sum256(content)
	out, err := s.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &s.bucket, Key: &key, Body: bytes.NewReader(content),
		ChecksumSHA256: aws.String(base64.StdEncoding.EncodeToString(sum[:])),
	})
	if err != nil {
		return blob.Info{}, failed("put", err)
	}
	ref := blob.Ref{Key: key, Version: aws.ToString(out.VersionId)}
	return blob.Info{Ref: ref, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}, nil
}

// Keep copies a version to another key inside S3 and describes the copy; ErrNotFound where there is
// no such version.
func (s *Store) Keep(ctx context.Context, from blob.Ref, to string) (blob.Info, error) {
	if err := errors.Join(blob.CheckKey(from.Key), blob.CheckKey(to)); err != nil {
		return blob.Info{}, err
	}
	source := s.bucket + "/" + from.Key + "?versionId=" + url.QueryEscape(from.Version)
	out, err := s.client.CopyObject(ctx, &s3.CopyObjectInput{
		Bucket: &s.bucket, Key: &to, CopySource: &source,
		ChecksumAlgorithm: types.ChecksumAlgorithmSha256,
	})
	if err != nil {
		return blob.Info{}, failed("copy", err)
	}
	return s.head(ctx, to, out.VersionId)
}

// Open reads a pinned version; ErrNotFound where there is none.
func (s *Store) Open(ctx context.Context, ref blob.Ref) (io.ReadCloser, error) {
	out, err := s.client.GetObject(ctx,
		&s3.GetObjectInput{Bucket: &s.bucket, Key: &ref.Key, VersionId: &ref.Version})
	if err != nil {
		return nil, failed("open", err)
	}
	return out.Body, nil
}

// Stat describes the newest version of a key; ErrNotFound where there is none.
func (s *Store) Stat(ctx context.Context, key string) (blob.Info, error) {
	return s.head(ctx, key, nil)
}

func (s *Store) head(ctx context.Context, key string, version *string) (blob.Info, error) {
	out, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{
		Bucket: &s.bucket, Key: &key, VersionId: version, ChecksumMode: types.ChecksumModeEnabled,
	})
	if err != nil {
		return blob.Info{}, failed("stat", err)
	}
	info := blob.Info{Ref: blob.Ref{Key: key, Version: aws.ToString(out.VersionId)},
		Size: aws.ToInt64(out.ContentLength)}
	if sum, err := base64.StdEncoding.DecodeString(aws.ToString(out.ChecksumSHA256)); err == nil &&
		len(sum) == sha256.Size {
		info.SHA256 = hex.EncodeToString(sum)
		return info, nil
	}
	// What came without a checksum of this kind is read once.
	return s.measure(ctx, info)
}

func (s *Store) measure(ctx context.Context, info blob.Info) (blob.Info, error) {
	body, err := s.Open(ctx, info.Ref)
	if err != nil {
		return blob.Info{}, err
	}
	defer body.Close()
	hash := sha256.New()
	if info.Size, err = io.Copy(hash, body); err != nil {
		return blob.Info{}, failed("read", err)
	}
	info.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return info, nil
}

// Form makes a form that takes exactly the content of this size and checksum (lower-case hex),
// until it expires.
func (s *Store) Form(ctx context.Context, key string, size int64, sha256, contentType string,
	expires time.Time) (blob.Form, error) {
	sum, err := hex.DecodeString(sha256)
	valid, late := s.until(expires)
	if err := errors.Join(err, late, blob.CheckKey(key)); err != nil {
		return blob.Form{}, err
	}
	// S3 computes the checksum of the received bytes and refuses a difference.
	pinned := map[string]string{
		"Content-Type":             contentType,
		"x-amz-checksum-algorithm": "SHA256",
		"x-amz-checksum-sha256":    base64.StdEncoding.EncodeToString(sum),
	}
	conditions := []any{[]any{"content-length-range", size, size}}
	for name, value := range pinned {
		conditions = append(conditions, map[string]string{name: value})
	}
	post, err := s.presign.PresignPostObject(ctx, &s3.PutObjectInput{Bucket: &s.bucket, Key: &key},
		func(o *s3.PresignPostOptions) {
			o.Conditions = conditions
			o.Expires = valid
		})
	if err != nil {
		return blob.Form{}, failed("presign", err)
	}
	for name, value := range pinned {
		post.Values[name] = value
	}
	return blob.Form{URL: post.URL, Fields: post.Values}, nil
}

// Link makes an address at which anyone can read the version until it expires, as a download with
// this name and type.
func (s *Store) Link(ctx context.Context, ref blob.Ref, fileName, contentType string,
	expires time.Time) (string, error) {
	valid, err := s.until(expires)
	if err != nil {
		return "", err
	}
	disposition := mime.FormatMediaType("attachment", map[string]string{"filename": fileName})
	if disposition == "" {
		disposition = "attachment"
	}
	get, err := s.presign.PresignGetObject(ctx, &s3.GetObjectInput{
		Bucket: &s.bucket, Key: &ref.Key, VersionId: &ref.Version,
		ResponseContentDisposition: &disposition, ResponseContentType: &contentType,
		ResponseCacheControl: aws.String("private, no-store"),
	}, s3.WithPresignExpires(valid))
	if err != nil {
		return "", failed("presign", err)
	}
	return get.URL, nil
}

// Origin returns the scheme and host of links and forms, such as
// https://bucket.s3.eu-west-1.amazonaws.com, for the policies of pages that use them.
func (s *Store) Origin(ctx context.Context) (string, error) {
	get, err := s.presign.PresignGetObject(ctx, &s3.GetObjectInput{Bucket: &s.bucket,
		Key: aws.String("-")})
	if err != nil {
		return "", failed("presign", err)
	}
	u, err := url.Parse(get.URL)
	if err != nil {
		return "", err
	}
	return u.Scheme + "://" + u.Host, nil
}

// until returns the time until expires, in whole seconds as S3 counts.
func (s *Store) until(expires time.Time) (time.Duration, error) {
	valid := expires.Sub(s.now()).Truncate(time.Second)
	if valid <= 0 {
		return 0, errors.New("a form or a link has to be valid for a second at least")
	}
	return valid, nil
}

// DeleteAll removes every version of every key that begins with the prefix, for good.
func (s *Store) DeleteAll(ctx context.Context, prefix string) error {
	if err := blob.CheckPrefix(prefix); err != nil {
		return err
	}
	pages := s3.NewListObjectVersionsPaginator(s.client,
		&s3.ListObjectVersionsInput{Bucket: &s.bucket, Prefix: &prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return failed("list", err)
		}
		if err := s.delete(ctx, page); err != nil {
			return err
		}
	}
	return nil
}

// delete removes one page of versions. A page has at most as many as one request may name.
func (s *Store) delete(ctx context.Context, page *s3.ListObjectVersionsOutput) error {
	var ids []types.ObjectIdentifier
	for _, v := range page.Versions {
		ids = append(ids, types.ObjectIdentifier{Key: v.Key, VersionId: v.VersionId})
	}
	for _, m := range page.DeleteMarkers {
		ids = append(ids, types.ObjectIdentifier{Key: m.Key, VersionId: m.VersionId})
	}
	if len(ids) == 0 {
		return nil
	}
	out, err := s.client.DeleteObjects(ctx, &s3.DeleteObjectsInput{
		Bucket: &s.bucket, Delete: &types.Delete{Objects: ids, Quiet: aws.Bool(true)},
	})
	if err != nil {
		return failed("delete", err)
	}
	if n := len(out.Errors); n > 0 {
		return fmt.Errorf("%w: delete: %d versions stayed, first %s", blob.ErrUnavailable, n,
			aws.ToString(out.Errors[0].Code))
	}
	return nil
}

// failed adds the failed operation to an error, and maps absent objects to their own error. S3
// answers the HEAD of a missing version without a code.
func failed(what string, err error) error {
	var response *awshttp.ResponseError
	if errors.As(err, &response) && response.HTTPStatusCode() == http.StatusNotFound &&
		!strings.Contains(err.Error(), "NoSuchBucket") {
		return blob.ErrNotFound
	}
	return fmt.Errorf("%w: %s: %w", blob.ErrUnavailable, what, err)
}
