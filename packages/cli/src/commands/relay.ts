/** `brokerwire relay`: event streams into a file, NATS JetStream, Postgres or Redis, until stopped. */
import type { CommandDefinition } from '../frame/definition.ts'
import { waitingTime, wholeNumber } from '../number-option.ts'

export const relay: CommandDefinition = {
  name: 'relay',
  summary: 'write event streams to files, NATS JetStream, Postgres, Redis or webhooks until stopped',
  details: [
    'Subscribes once for each app (an app key of the service), and writes every event into a stream for any number of consumers. By default the stream is a file of JSON lines, which you can watch with `tail -f`. Several relays with the same configuration divide the apps among them.',
    'The configuration is JSON; its schema is schemas/relay.schema.json in this package, and errors have line and field. It contains no secrets, only the names of variables or files. The error of a missing variable or file has its field.',
    'Each line on standard output is a JSON object with time, level, event and its fields, without secrets. /healthz responds while the process runs. /readyz responds with 200 if this relay is the writer of the streams of all its apps, a write was confirmed or a probe succeeded within 15 seconds, and no subscription waits for a connection. Otherwise it responds with 503, and its JSON has the reason of each app that waits; without a membership in the cluster it has no apps. /metrics has metrics for Prometheus: docs/reference/metrics.md of the repository lists them. All three listen on 127.0.0.1, unless health.host is set. The lines report the state of subscriptions. On SIGTERM, SIGHUP and Ctrl-C the relay publishes the events that it has read, commits those that are published within half a second, and releases the apps to other relays, within eight seconds. A changed configuration is read at the next start.',
  ],
  options: [
    { flags: '--config <file>', help: 'configuration file, required' },
    {
      flags: '--create-stream',
      help: 'for JetStream: create missing streams and the bucket of the store, with the limits of sink.createStreams; default: one replica, seven days and 1 GiB each',
    },
    {
      flags: '--metrics <duration>',
      help: 'interval of log lines with metrics: stored messages, duplicates, gaps and reconnects; at most 24d',
      parse: waitingTime(),
      defaultValue: '1m',
    },
    {
      flags: '--migrate',
      help: 'for Postgres: create the tables that do not exist, and exit; may run again',
    },
    { flags: '--print-sql', help: 'for Postgres: print the statements of --migrate, and exit' },
    { flags: '--check', help: 'check the configuration and the secrets, and exit' },
  ],
  examples: [
    { does: 'write events as JSON lines', line: 'brokerwire relay --config relay.json' },
    {
      does: 'write to a new NATS server',
      line: 'brokerwire relay --config relay.json --create-stream',
    },
    {
      does: 'create the tables in Postgres',
      line: 'brokerwire relay --config relay.json --migrate',
    },
    {
      does: 'check a configuration',
      line: 'brokerwire relay --config relay.json --check',
    },
  ],
  load: () => import('../run/relay.ts'),
}

/** Sends the events of a file of dead letters again. */
export const replayDeadLetters: CommandDefinition = {
  name: 'relay replay-dead-letters',
  summary: 'send the dead letters of a relay to a receiver of webhooks, and exit',
  details: [
    'Sends the requests of a file that `brokerwire relay` wrote for sink.deadLetters, in order, with the same webhook-id and body and a new signature. Each request is retried up to --max-attempts; if all attempts fail, the command ends with status 75 and sends nothing more. After 410 Gone it ends at once, with status 1.',
    'The file FILE.position has the last line that was accepted. The next run continues after it. A request may be sent twice if the command is killed, with the same webhook-id. Move the file away from the relay first, so that no lines are added.',
  ],
  args: [{ name: '<file>', help: 'file of dead letters' }],
  options: [
    {
      flags: '--forward-to <url>',
      help: 'URL of the receiver, required: https, or http on a loopback host',
    },
    {
      flags: '--webhook-secret-file <file>',
      help: 'file with the secret of the webhooks, required, as in sink.secret of the relay',
    },
    {
      flags: '--max-attempts <n>',
      help: 'attempts for each request',
      parse: wholeNumber(1, 1_000_000),
      defaultValue: 5,
    },
  ],
  examples: [
    {
      does: 'send dead letters again',
      line: 'brokerwire relay replay-dead-letters letters.jsonl --forward-to https://receiver.example.com/events --webhook-secret-file webhook-secret',
    },
  ],
  load: () => import('../run/relay-replay-dead-letters.ts'),
}
