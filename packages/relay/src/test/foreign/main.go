// A consumer of a relay's stream that knows nothing of the toolkit: Debian's NATS client, JetStream's older API.
// Reads what to do from the standard input, and prints each message as a line of JSON.
package main

import (
	"encoding/json"
	"os"
	"time"

	"github.com/nats-io/nats.go"
)

type setup struct {
	URL     string `json:"url"`
	Stream  string `json:"stream"`
	Subject string `json:"subject"`
	Durable string `json:"durable"`
	Count   int    `json:"count"`
	// The last sequence that was handled, if each message of the stream is read; 0 if there is a filter.
	Last uint64 `json:"last"`
}

type message struct {
	Subject string            `json:"subject"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	// The first and the last sequence that the stream no longer has.
	Missing []uint64 `json:"missing,omitempty"`
}

func main() {
	var todo setup
	must(json.NewDecoder(os.Stdin).Decode(&todo))
	connection, err := nats.Connect(todo.URL)
	must(err)
	defer connection.Close()
	js, err := connection.JetStream()
	must(err)
	subscription, err := js.PullSubscribe(todo.Subject, todo.Durable, nats.BindStream(todo.Stream))
	must(err)
	output := json.NewEncoder(os.Stdout)
	output.SetEscapeHTML(false)
	for read := 0; read < todo.Count; {
		found, err := subscription.Fetch(todo.Count-read, nats.MaxWait(60*time.Second))
		must(err)
		for _, one := range found {
			headers := map[string]string{}
			for name := range one.Header {
				headers[name] = one.Header.Get(name)
			}
			meta, err := one.Metadata()
			must(err)
			var missing []uint64
			sequence := meta.Sequence.Stream
			if todo.Last > 0 && sequence > todo.Last+1 {
				missing = []uint64{todo.Last + 1, sequence - 1}
			}
			must(output.Encode(message{one.Subject, headers, string(one.Data), missing}))
			must(one.AckSync())
			if todo.Last > 0 && sequence > todo.Last {
				todo.Last = sequence
			}
			read++
		}
	}
}

func must(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
