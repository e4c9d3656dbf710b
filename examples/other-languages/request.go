// Sends a signed request, and prints the response.
package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
)

func main() {
	service, err := url.Parse(os.Getenv("BROKERWIRE_BASE_URL"))
	if err != nil {
		panic(err)
	}
	path, query, body := "/auth/tokens/create", url.Values{"note": {"a b&c"}}, []byte("{}")

	headers := newHeaders(os.Getenv("BROKERWIRE_APP_KEY"), "HMAC-SHA1")
	signRequest(headers, os.Getenv("BROKERWIRE_APP_SECRET"), service.Host, path, query, body)

	target := service.Scheme + "://" + service.Host + path + "?" + strings.ReplaceAll(query.Encode(), "+", "%20")
	request, err := http.NewRequest("POST", target, bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("content-type", "application/json")
	request.Header.Set("x-version", "v2")

	// A client that follows a redirect would send the signature to another host.
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(response.StatusCode, string(text))
}
