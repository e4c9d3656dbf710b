/** `brokerwire relay`: event streams into a file or NATS JetStream, until stopped. */
import type { CommandDefinition } from '../frame/definition.ts'
import { waitingTime } from '../number-option.ts'

export const relay: CommandDefinition = {
  name: 'relay',
  summary: 'write the event streams of app keys into files or NATS JetStream, until stopped',
  details: [
    'Holds the subscriptions of each key once, and writes every event into a stream that any number of consumers read: JSON lines in a file unless the configuration says otherwise, which `tail -f` shows. Several relays of one configuration share out the keys.',
    'The configuration is JSON; its schema is schemas/relay.schema.json in this package, and what is wrong in it is named by line and field. Secrets stand in variables or files that it names, never in it; a variable that is not set here, and a file, are named by their field.',
    'Each line on standard output is an object with time, level, event and what belongs to it; no secret is in one. /healthz answers as long as the process does, /readyz with 200 when this relay is the writer of each of its keys’ streams, and a write was confirmed, or a probe succeeded, within 15 seconds; whether their subscriptions live is said by the lines. SIGTERM, SIGHUP and Ctrl-C publish what was read, commit what is published within half a second, and give the keys to other relays, within eight seconds. A changed configuration is read at the next start.',
  ],
  options: [
    { flags: '--config <file>', help: 'the configuration' },
    {
      flags: '--create-stream',
      help: 'on JetStream: makes streams, and the bucket of the store, that are missing; with the limits of sink.createStreams, otherwise one replica, seven days and 1 GiB each',
    },
    {
      flags: '--figures <duration>',
      help: 'how often a line counts what was stored, repeated and missed; at most 24d',
      parse: waitingTime(),
      defaultValue: '1m',
    },
    { flags: '--check', help: 'reads the configuration and the secrets, opens nothing, and ends' },
  ],
  examples: [
    { does: 'events of the keys in a file, as JSON lines', line: 'brokerwire relay --config relay.json' },
    {
      does: 'on a new server of NATS',
      line: 'brokerwire relay --config relay.json --create-stream',
    },
    {
      does: 'whether a configuration is right',
      line: 'brokerwire relay --config relay.json --check',
    },
  ],
  load: () => import('../run/relay.ts'),
}
