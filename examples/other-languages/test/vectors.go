// Prints the signatures of the vectors in the file whose path is the argument, as JSON.
package main

import (
	"encoding/hex"
	"encoding/json"
	"net/url"
	"os"
)

type vector struct {
	AppKey, AppSecret, Algorithm, Nonce, Timestamp, Host, Path string
	Query                                                      [][2]string
	Body, RequestHex                                           *string
}

func main() {
	file, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var vectors []vector
	if err := json.Unmarshal(file, &vectors); err != nil {
		panic(err)
	}
	signatures := []string{}
	for _, one := range vectors {
		headers := newHeaders(one.AppKey, one.Algorithm)
		headers["x-signature-nonce"] = one.Nonce
		headers["x-timestamp"] = one.Timestamp
		if one.RequestHex != nil {
			request, err := hex.DecodeString(*one.RequestHex)
			if err != nil {
				panic(err)
			}
			signStream(headers, one.AppSecret, request)
		} else {
			query := url.Values{}
			for _, pair := range one.Query {
				query.Add(pair[0], pair[1])
			}
			var body []byte
			if one.Body != nil {
				body = []byte(*one.Body)
			}
			signRequest(headers, one.AppSecret, one.Host, one.Path, query, body)
		}
		signatures = append(signatures, headers["x-signature"])
	}
	if err := json.NewEncoder(os.Stdout).Encode(signatures); err != nil {
		panic(err)
	}
}
