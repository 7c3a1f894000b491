//go:build e2e

package e2e

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	region    = "eu-west-1"
	stackName = "dossier"
	project   = "../../.."
)

// stack is the one deployment that all tests share. They keep apart by companies of their own.
var stack deployment

// deployment is a stack on an emulated AWS.
type deployment struct {
	aws       emulator
	functions map[string]string // physical name by the name of the folder in functions/
	resources map[string]string // physical id by logical id
	api       string            // address of the API
	hooks     *receiver         // where webhooks of the stack may go
}

// emulator is a process that answers as AWS does.
type emulator struct {
	endpoint string
	dir      string // its temporary files, and its log
	process  *exec.Cmd
	others   []string // environment of the commands that deploy
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	began := time.Now()
	dir, err := os.MkdirTemp("", "dossier-e2e-")
	if err != nil {
		log.Print(err)
		return 1
	}
	defer os.RemoveAll(dir)
	stack.hooks = newReceiver()
	defer func() {
		stack.hooks.CloseClientConnections()
		stack.hooks.Close()
	}()
	if stack.aws, err = startEmulator(dir); err != nil {
		log.Print(err)
		return 1
	}
	defer stack.aws.stop()
	if err := stack.deploy(); err != nil {
		log.Print(err, "\n", stack.aws.tail())
		return 1
	}
	log.Printf("deployed after %v", time.Since(began).Round(time.Second))
	code := m.Run()
	if err := stack.refusals(); err != nil {
		log.Print(err)
		code = 1
	}
	if code != 0 {
		log.Print(stack.aws.tail())
	}
	return code
}

// startEmulator starts the emulated AWS on a port of its own and waits until it answers.
func startEmulator(dir string) (emulator, error) {
	port, err := freePort()
	if err != nil {
		return emulator{}, err
	}
	// Over TLS, because the bucket refuses everything else.
	certificate, key, err := makeCertificate(dir)
	if err != nil {
		return emulator{}, err
	}
	e := emulator{endpoint: "https://127.0.0.1:" + port, dir: dir}
	e.others = append(os.Environ(), "AWS_ENDPOINT_URL="+e.endpoint, "AWS_CA_BUNDLE="+certificate,
		"AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
		"AWS_REGION="+region, "AWS_DEFAULT_REGION="+region, "SAM_CLI_TELEMETRY=0",
		"AWS_EC2_METADATA_DISABLED=true")
	// From here on this process trusts that certificate, and no other.
	if err := os.Setenv("SSL_CERT_FILE", certificate); err != nil {
		return emulator{}, err
	}
	bin, err := filepath.Abs(project + "/.tools/venv-ministack/bin/ministack")
	if err != nil {
		return emulator{}, err
	}
	logFile, err := os.Create(filepath.Join(dir, "aws.log"))
	if err != nil {
		return emulator{}, err
	}
	defer logFile.Close()
	if e.process, err = withLayer(bin); err != nil {
		return emulator{}, err
	}
	e.process.Dir, e.process.Stdout, e.process.Stderr = dir, logFile, logFile
	e.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// The functions inherit these variables and no others. With AUTH a call that a role does
	// not allow is refused.
	e.process.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir,
		"GATEWAY_PORT=" + port, "BIND_HOST=127.0.0.1",
		"MINISTACK_REGION=" + region, "AWS_ENDPOINT_URL=" + e.endpoint, "AUTH=true",
		"USE_SSL=1", "MINISTACK_SSL_CERT=" + certificate, "MINISTACK_SSL_KEY=" + key,
		"SSL_CERT_FILE=" + certificate, "AWS_CA_BUNDLE=" + certificate}
	if err := e.process.Start(); err != nil {
		return emulator{}, fmt.Errorf("start the emulated AWS (make tools-aws fetches it): %w", err)
	}
	if err := poll(time.Minute, func() bool {
		response, err := http.Get(e.endpoint + "/_ministack/health")
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK
	}); err != nil {
		e.stop()
		return emulator{}, fmt.Errorf("the emulated AWS does not answer: %w\n%s", err, e.tail())
	}
	return e, nil
}

// stop ends the emulated AWS with all that it started.
func (e emulator) stop() {
	_ = syscall.Kill(-e.process.Process.Pid, syscall.SIGTERM)
	ended := make(chan struct{})
	go func() {
		_ = e.process.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
	}
	_ = syscall.Kill(-e.process.Process.Pid, syscall.SIGKILL)
}

// tail is the end of the emulator's log.
func (e emulator) tail() string {
	text, err := os.ReadFile(filepath.Join(e.dir, "aws.log"))
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-8000):])
}

// deploy builds and deploys as the README says, for this machine's processor, and gives the API its
// routes.
func (d *deployment) deploy() error {
	// SAM CLI deploys what `sam build` left, so that the tested stack equals the deployed one.
	if err := d.command("env", "GOARCH=amd64", "make", "build"); err != nil {
		return err
	}
	// The pages load parts from the bucket, which on AWS allows the origin of the API by its name.
	pages := strings.Replace(d.aws.endpoint, "127.0.0.1", "*.execute-api.localhost", 1)
	layer, err := d.aws.publishLayer()
	if err != nil {
		return err
	}
	parameters := []string{"Architecture=x86_64", "Lease=5s",
		"AllowTargets=" + d.hooks.host(), "AllowedOrigins=" + pages, "OcrLayer=" + layer}
	if err := d.command(".tools/venv-sam/bin/sam", "deploy", "--stack-name", stackName,
		"--no-confirm-changeset", "--no-progressbar",
		"--parameter-overrides", strings.Join(parameters, " ")); err != nil {
		return err
	}
	return errors.Join(d.describe(), d.allowBatches(), d.makeRoutes())
}

func (d *deployment) command(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = project
	cmd.Env = d.aws.others
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err,
			out[max(0, len(out)-6000):])
	}
	return nil
}

// makeCertificate writes a certificate for the names that the emulated AWS has here, and its key.
func makeCertificate(dir string) (certificate, key string, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", "", err
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour),
		IsCA:     true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		DNSNames:    []string{"localhost", "*.execute-api.localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	signed, err := x509.CreateCertificate(rand.Reader, &template, &template, private.Public(),
		private)
	if err != nil {
		return "", "", err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return "", "", err
	}
	certificate, key = filepath.Join(dir, "certificate.pem"), filepath.Join(dir, "key.pem")
	return certificate, key, errors.Join(
		os.WriteFile(certificate, pem.EncodeToMemory(
			&pem.Block{Type: "CERTIFICATE", Bytes: signed}), 0o600),
		os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}),
			0o600))
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}

// poll asks until it is so, or says that it never came to be.
func poll(patience time.Duration, is func() bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("not within %v", patience)
		case <-tick.C:
		}
	}
	return nil
}
