// A client on grpc-go, written by hand: what the cases are is told in foreign-client.ts.
//
// Reads one line of JSON from stdin (no argument list ever shows the secret) and prints a line of JSON for each case. It
// writes and reads protobuf by itself and signs with its own code, so that it is another opinion on all of it.
package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

type configuration struct {
	Trade, Module, Account, AppKey, AppSecret string
	Ca                                        *string
	EventTypes                                []string
}

type frame struct {
	Kind    uint64 `json:"kind"`
	Payload string `json:"payload"`
}

type report struct {
	Service string  `json:"service"`
	Case    string  `json:"case"`
	Frames  []frame `json:"frames"`
	Status  string  `json:"status"`
}

var setup configuration

var paths = map[string]string{
	"trade":  "/grpc.trade.event.EventService/Subscribe",
	"module": "/grpc.event.EventService/Subscribe",
}

// Messages are bytes already.
type raw struct{}

func (raw) Marshal(v interface{}) ([]byte, error) { return *v.(*[]byte), nil }
func (raw) Unmarshal(data []byte, v interface{}) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}
func (raw) Name() string { return "proto" }

func number(tag int, value uint64) []byte {
	out := make([]byte, 2*binary.MaxVarintLen64)
	size := binary.PutUvarint(out, uint64(tag)<<3)
	size += binary.PutUvarint(out[size:], value)
	return out[:size]
}

func text(tag int, value []byte) []byte {
	out := make([]byte, 2*binary.MaxVarintLen64)
	size := binary.PutUvarint(out, uint64(tag)<<3|2)
	size += binary.PutUvarint(out[size:], uint64(len(value)))
	return append(out[:size], value...)
}

func request(service string, stamp uint64) []byte {
	var out []byte
	if service == "trade" {
		out = append(number(1, 1), number(2, stamp)...)
		for i := 0; i < 40; i++ {
			out = append(out, text(5, []byte(setup.Account))...)
		}
		return out
	}
	for _, name := range setup.EventTypes {
		out = append(out, text(1, text(1, []byte(name)))...)
	}
	return append(out, text(2, []byte(fmt.Sprint(stamp)))...)
}

func read(service string, data []byte) frame {
	payload := uint64(7)
	if service == "trade" {
		payload = 4
	}
	var found frame
	for len(data) > 0 {
		key, size := binary.Uvarint(data)
		data = data[size:]
		value, size := binary.Uvarint(data)
		data = data[size:]
		if key&7 == 2 {
			if key>>3 == payload {
				found.Payload = string(data[:value])
			}
			data = data[value:]
		} else if key>>3 == 1 {
			found.Kind = value
		}
	}
	return found
}

func quote(value string) string {
	var out strings.Builder
	for _, b := range []byte(value) {
		if b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || strings.IndexByte("-._~", b) >= 0 {
			out.WriteByte(b)
		} else {
			fmt.Fprintf(&out, "%%%02X", b)
		}
	}
	return out.String()
}

func sign(message []byte) metadata.MD {
	nonce := make([]byte, 16)
	_, err := rand.Read(nonce)
	check(err)
	names := []string{"x-app-key", "x-signature-algorithm", "x-signature-nonce", "x-signature-version", "x-timestamp"}
	values := []string{
		setup.AppKey, "HMAC-SHA256", hex.EncodeToString(nonce), "1.0", time.Now().UTC().Format("2006-01-02T15:04:05Z"),
	}
	headers := metadata.MD{}
	entries := make([]string, len(names))
	for i, name := range names {
		headers.Set(name, values[i])
		entries[i] = name + "=" + values[i]
	}
	digest := sha256.Sum256(message)
	canonical := quote(strings.Join(entries, "=") + "&" + hex.EncodeToString(digest[:]))
	key := hmac.New(sha256.New, []byte(setup.AppSecret+"&"))
	key.Write([]byte(canonical))
	headers.Set("x-signature", base64.StdEncoding.EncodeToString(key.Sum(nil)))
	return headers
}

func call(channel *grpc.ClientConn, service, name string, message []byte, headers metadata.MD) {
	ctx, cancel := context.WithTimeout(metadata.NewOutgoingContext(context.Background(), headers), 20*time.Second)
	defer cancel()
	options := []grpc.CallOption{grpc.ForceCodec(raw{})}
	if name == "gzip" {
		options = append(options, grpc.UseCompressor(gzip.Name))
	}
	out := report{Service: service, Case: name, Frames: []frame{}, Status: "left"}
	stream, err := channel.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, paths[service], options...)
	check(err)
	check(stream.SendMsg(&message))
	check(stream.CloseSend())
	for len(out.Frames) < 2 {
		var response []byte
		err := stream.RecvMsg(&response)
		if err == io.EOF {
			out.Status = "OK"
			break
		}
		if err != nil {
			out.Status = status.Code(err).String()
			break
		}
		out.Frames = append(out.Frames, read(service, response))
	}
	check(json.NewEncoder(os.Stdout).Encode(out))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	check(json.NewDecoder(os.Stdin).Decode(&setup))
	security := grpc.WithInsecure()
	if setup.Ca != nil {
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM([]byte(*setup.Ca))
		security = grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: roots}))
	}
	for _, service := range []string{"trade", "module"} {
		target := setup.Trade
		if service == "module" {
			target = setup.Module
		}
		channel, err := grpc.Dial(target, security)
		check(err)
		stamp := uint64(time.Now().UnixNano() / 1e6)
		message := request(service, stamp)
		first := sign(message)
		call(channel, service, "plain", message, first)
		call(channel, service, "replayed", message, first)
		call(channel, service, "gzip", message, sign(message))
		call(channel, service, "tampered", request(service, stamp+1), sign(message))
		check(channel.Close())
	}
}
