// Signs requests and event streams of the brokerage open API, with the standard library of Go.
package main

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"net/url"
	"sort"
	"strings"
	"time"
)

var hashes = map[string]struct{ mac, digest func() hash.Hash }{
	"HMAC-SHA1":   {sha1.New, md5.New},
	"HMAC-SHA256": {sha256.New, sha256.New},
}

func newHeaders(appKey, algorithm string) map[string]string {
	nonce := make([]byte, 16)
	if _, err := rand.Read(nonce); err != nil {
		panic(err)
	}
	return map[string]string{
		"x-app-key":             appKey,
		"x-signature-algorithm": algorithm,
		"x-signature-nonce":     hex.EncodeToString(nonce),
		"x-signature-version":   "1.0",
		"x-timestamp":           time.Now().UTC().Format("2006-01-02T15:04:05Z"),
	}
}

// signRequest adds x-signature. query: not encoded. body: the bytes that are sent.
func signRequest(headers map[string]string, appSecret, host, path string, query url.Values, body []byte) {
	values := url.Values{"host": {host}}
	for name, value := range headers {
		values.Add(name, value)
	}
	for name, list := range query {
		values[name] = append(values[name], list...)
	}
	names := []string{}
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names)
	parts := []string{path}
	for _, name := range names {
		sort.Strings(values[name])
		parts = append(parts, name+"="+strings.Join(values[name], "&"))
	}
	if len(body) > 0 {
		parts = append(parts, strings.ToUpper(digest(headers, body)))
	}
	addSignature(headers, appSecret, strings.Join(parts, "&"))
}

// signStream adds x-signature. request: the serialized request message, without the five bytes of gRPC before it.
func signStream(headers map[string]string, appSecret string, request []byte) {
	entries := []string{}
	for name, value := range headers {
		entries = append(entries, name+"="+value)
	}
	sort.Strings(entries)
	addSignature(headers, appSecret, strings.Join(entries, "=")+"&"+digest(headers, request))
}

func digest(headers map[string]string, data []byte) string {
	sum := hashes[headers["x-signature-algorithm"]].digest()
	sum.Write(data)
	return hex.EncodeToString(sum.Sum(nil))
}

func addSignature(headers map[string]string, appSecret, canonical string) {
	mac := hmac.New(hashes[headers["x-signature-algorithm"]].mac, []byte(appSecret+"&"))
	mac.Write([]byte(strings.ReplaceAll(url.QueryEscape(canonical), "+", "%20")))
	headers["x-signature"] = base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
