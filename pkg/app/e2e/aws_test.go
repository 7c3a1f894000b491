//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/go-json-experiment/json"
)

// administrator is the principal that deploys.
var administrator = credentials.NewStaticCredentialsProvider("test", "test", "")

// config is that of an administrator's clients.
func (e emulator) config() aws.Config {
	return aws.Config{Region: region, Credentials: administrator, BaseEndpoint: &e.endpoint}
}

// call sends one signed request, for the few calls that are not worth a client in go.mod. more are
// headers, names and values in turn.
func (e emulator) call(service, method, path, contentType string, body []byte,
	more ...string) (http.Header, []byte, error) {
	r, err := http.NewRequest(method, e.endpoint+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	r.Header.Set("Content-Type", contentType)
	for i := 0; i+1 < len(more); i += 2 {
		r.Header.Set(more[i], more[i+1])
	}
	who, err := administrator.Retrieve(context.Background())
	if err != nil {
		return nil, nil, err
	}
	sum := sha256.Sum256(body)
	if err := v4.NewSigner().SignHTTP(r.Context(), who, r, hex.EncodeToString(sum[:]), service,
		region, time.Now()); err != nil {
		return nil, nil, err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, nil, err
	}
	if response.StatusCode > 299 {
		return nil, nil, fmt.Errorf("%s %s %s answered %d %s", service, method, path,
			response.StatusCode, answer)
	}
	return response.Header, answer, nil
}

// formation asks CloudFormation about the stack and decodes the XML.
func (e emulator) formation(action string, into any, more url.Values) error {
	form := url.Values{"Action": {action}, "Version": {"2010-05-15"}, "StackName": {stackName}}
	for name, values := range more {
		form[name] = values
	}
	_, answer, err := e.call("cloudformation", http.MethodPost, "/",
		"application/x-www-form-urlencoded", []byte(form.Encode()))
	if err != nil {
		return err
	}
	return xml.Unmarshal(answer, into)
}

// describe finds what the stack is made of.
func (d *deployment) describe() error {
	var answer struct {
		Resources []struct {
			Logical  string `xml:"LogicalResourceId"`
			Physical string `xml:"PhysicalResourceId"`
			Type     string `xml:"ResourceType"`
		} `xml:"DescribeStackResourcesResult>StackResources>member"`
	}
	if err := d.aws.formation("DescribeStackResources", &answer, nil); err != nil {
		return err
	}
	d.functions, d.resources = map[string]string{}, map[string]string{}
	for _, r := range answer.Resources {
		d.resources[r.Logical] = r.Physical
		if name, ok := strings.CutSuffix(r.Logical, "Function"); ok &&
			r.Type == "AWS::Lambda::Function" {
			d.functions[strings.ToLower(name)] = r.Physical
		}
	}
	if len(d.functions) == 0 || d.resources["Api"] == "" {
		return fmt.Errorf("the stack has %d functions and the API %q", len(d.functions),
			d.resources["Api"])
	}
	d.api = strings.Replace(d.aws.endpoint, "127.0.0.1",
		d.resources["Api"]+".execute-api.localhost", 1)
	return nil
}

type document struct {
	Paths map[string]map[string]struct {
		Integration struct {
			URI struct {
				Sub string `json:"Fn::Sub"`
			} `json:"uri"`
		} `json:"x-amazon-apigateway-integration"`
	} `json:"paths"`
}

var functionInURI = regexp.MustCompile(`\$\{(\w+)\.Arn\}/invocations$`)

// makeRoutes gives the API the routes of the processed template, which the emulator leaves out, and
// no other.
func (d *deployment) makeRoutes() error {
	var answer struct {
		Body string `xml:"GetTemplateResult>TemplateBody"`
	}
	if err := d.aws.formation("GetTemplate", &answer,
		url.Values{"TemplateStage": {"Processed"}}); err != nil {
		return err
	}
	var template struct {
		Resources struct {
			Api struct {
				Properties struct{ Body document }
			}
		}
	}
	if err := json.Unmarshal([]byte(answer.Body), &template); err != nil {
		return fmt.Errorf("read the processed template: %w", err)
	}
	integrations := map[string]string{}
	for path, methods := range template.Resources.Api.Properties.Body.Paths {
		for method, operation := range methods {
			if method == "options" {
				continue // CORS, answered by the API itself
			}
			found := functionInURI.FindStringSubmatch(operation.Integration.URI.Sub)
			if found == nil {
				return fmt.Errorf("%s %s leads to no function: %q", method, path,
					operation.Integration.URI.Sub)
			}
			if err := d.makeRoute(strings.ToUpper(method)+" "+path, found[1], integrations); err !=
				nil {
				return err
			}
		}
	}
	return nil
}

func (d *deployment) makeRoute(key, function string, integrations map[string]string) error {
	base := "/v2/apis/" + d.resources["Api"]
	if integrations[function] == "" {
		var made struct {
			ID string `json:"integrationId"`
		}
		if err := d.aws.post(base+"/integrations", map[string]string{
			"integrationType": "AWS_PROXY", "payloadFormatVersion": "2.0",
			"integrationMethod": http.MethodPost,
			"integrationUri": "arn:aws:lambda:" + region + ":000000000000:function:" +
				d.resources[function],
		}, &made); err != nil {
			return err
		}
		integrations[function] = made.ID
	}
	return d.aws.post(base+"/routes",
		map[string]string{"routeKey": key, "target": "integrations/" + integrations[function]}, nil)
}

func (e emulator) post(path string, body map[string]string, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	_, answer, err := e.call("apigateway", http.MethodPost, path, "application/json", text)
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(answer, into)
}

// invoke calls a function, by the name of its folder, and returns what it answered. An error of the
// function is an error.
func (d *deployment) invoke(function string, event []byte) ([]byte, error) {
	header, answer, err := d.aws.call("lambda", http.MethodPost,
		"/2015-03-31/functions/"+d.functions[function]+"/invocations", "application/json", event)
	if err != nil {
		return nil, err
	}
	if kind := header.Get("X-Amz-Function-Error"); kind != "" {
		return nil, fmt.Errorf("%s failed (%s): %s", function, kind, answer)
	}
	return answer, nil
}

// allowBatches makes up for a difference: on AWS sqs:SendMessage allows SendMessageBatch too, the
// emulator wants an action of that name, which does not exist.
func (d *deployment) allowBatches() error {
	for _, role := range []string{"IntegrationsRole", "DispatchRole", "SweepRole",
		"WebRole"} {
		form := url.Values{
			"Action": {"PutRolePolicy"}, "Version": {"2010-05-08"}, "RoleName": {d.resources[role]},
			"PolicyName": {"batches"},
			"PolicyDocument": {
				`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"sqs:SendMessageBatch","Resource":"arn:aws:sqs:` +
					region + `:000000000000:` + stackName + `-deliveries"}]}`,
			},
		}
		if _, _, err := d.aws.call("iam", http.MethodPost, "/", "application/x-www-form-urlencoded",
			[]byte(form.Encode())); err != nil {
			return err
		}
	}
	return nil
}

// refusals returns an error for every call that a role of the stack did not allow.
func (d *deployment) refusals() error {
	var all []error
	for name := range d.functions {
		lines, err := d.logged(name, "AccessDenied")
		if err != nil {
			return err
		}
		for _, line := range lines {
			all = append(all, fmt.Errorf("%s: %s", name, line))
		}
	}
	return errors.Join(all...)
}

// logged returns the lines of a function's log that contain the text.
func (d *deployment) logged(function, text string) ([]string, error) {
	body, err := json.Marshal(map[string]string{
		"logGroupName": "/aws/lambda/" + stackName + "-" + function,
	})
	if err != nil {
		return nil, err
	}
	_, answer, err := d.aws.call("logs", http.MethodPost, "/", "application/x-amz-json-1.1", body,
		"X-Amz-Target", "Logs_20140328.FilterLogEvents")
	if err != nil {
		return nil, err
	}
	var found struct {
		Events []struct {
			Message string `json:"message"`
		} `json:"events"`
	}
	if err := json.Unmarshal(answer, &found); err != nil {
		return nil, err
	}
	var lines []string
	for _, e := range found.Events {
		if strings.Contains(e.Message, text) {
			lines = append(lines, e.Message)
		}
	}
	return lines, nil
}

// client reaches the API by its name, which only the emulator knows.
func (d *deployment) client() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return dial(ctx, network, strings.TrimPrefix(d.aws.endpoint, "https://"))
	}
	return &http.Client{Transport: transport, Timeout: 30 * time.Second}
}
