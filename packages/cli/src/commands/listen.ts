/** `brokerwire listen`: events of a stream as lines, until stopped. */
import type { CommandDefinition } from '../frame/definition.ts'
import { CONNECTION_OPTIONS, settingOptions } from '../frame/setting-options.ts'
import { EVENT_STREAMS, LISTEN_STREAMS } from '../listen/streams.ts'
import { waitingTime, wholeNumber } from '../number-option.ts'

export const listen: CommandDefinition = {
  name: 'listen',
  summary: 'print the events of a stream, or market data, until stopped',
  details: [
    'A lost stream is opened again, and a line reports the events that may be missing. If the first connection never succeeds, the command ends after --max-attempts with status 75. If the credentials are rejected, it ends with status 77.',
    'With --json, each event and each notice is printed as one line of JSON. The schema is schemas/listen.schema.json in this package. With --cursor the next run continues from the stored position, even after a kill; events that were not committed are repeated. Only one listener can use the file: a second one reports this and waits. An event type without an event before the stop has no position: its missed events are not repeated, and a gap notice (no-cursor) has the type and the time.',
    'With --forward-to, each event is also sent to a URL as a webhook, signed as those of `brokerwire relay`, and a line shows the status of each attempt. Without --webhook-secret-file, the command creates a secret for this run and prints it once. A receiver that fails gets the same event again, so later events wait. Use `brokerwire relay` in production.',
    'Market data uses the stored access token. On a terminal it is a table that is updated in place; in a pipe, or with --json, each message and each notice is a JSON object on a line.',
  ],
  args: [{ name: '<stream>', help: 'the stream', choices: LISTEN_STREAMS }],
  options: [
    ...settingOptions('accounts').map((option) => ({ ...option, of: ['trade', 'position', 'account'] })),
    {
      flags: '--subscribe-type <n>',
      help: 'for the account stream, required: 1 orders, 2 positions, 4 options, or a sum; the official clients send 3 (Python) and 7 (Java)',
      parse: wholeNumber(1, 0xff_ff_ff_ff),
      of: ['account'],
    },
    {
      flags: '--modules <names>',
      help: 'for the module stream: comma-separated modules or event types; default: all known modules',
      completes: 'modules',
      of: ['module'],
    },
    { flags: '--symbols <list>', help: 'for quotes: comma-separated symbols', of: ['quotes'] },
    {
      flags: '--category <name>',
      help: 'for quotes: category of the symbols',
      defaultValue: 'US_STOCK',
      of: ['quotes'],
    },
    {
      flags: '--types <list>',
      help: 'for quotes: comma-separated list of quote, snapshot, tick',
      defaultValue: 'snapshot',
      of: ['quotes'],
    },
    { flags: '--json', help: 'print one JSON object a line: frame, decoded payload, raw payload' },
    {
      flags: '--cursor <file>',
      help: 'for the module stream: file that stores the position; a later run continues from it',
      of: ['module'],
    },
    {
      flags: '--from <where>',
      help: 'for the module stream: start at cursor, now, or comma-separated EVENT_TYPE=POSITION; default: cursor',
      of: ['module'],
    },
    {
      flags: '--forward-to <url>',
      help: 'for events: send each event to this URL as a signed webhook, such as http://localhost:3000/events',
      of: EVENT_STREAMS,
    },
    {
      flags: '--webhook-secret-file <file>',
      help: 'for --forward-to: file with the secret of the webhooks; default: a new secret, which is printed',
      of: EVENT_STREAMS,
    },
    {
      flags: '--count <n>',
      help: 'stop after this many events',
      parse: wholeNumber(1, Number.MAX_SAFE_INTEGER),
    },
    {
      flags: '--timeout <duration>',
      help: 'stop after this time, at most 24d; status 75 if --count was not reached',
      parse: waitingTime(),
    },
    {
      flags: '--max-attempts <n>',
      help: 'attempts before the first subscription; 0: no limit',
      parse: wholeNumber(0, 1_000_000),
      defaultValue: 5,
    },
    { flags: '--verbose', help: 'print attempts on standard error, with host and reason' },
    {
      flags: '--with-token',
      help: 'for events: send the stored access token with the subscription',
      of: EVENT_STREAMS,
    },
    {
      flags: '--create',
      help: 'create a token if none is stored, and wait for its second factor',
    },
    ...settingOptions('store'),
    ...settingOptions('mqttUrl').map((option) => ({ ...option, of: ['quotes'] })),
    ...CONNECTION_OPTIONS,
  ],
  examples: [
    { does: 'order events of the accounts in BROKERWIRE_ACCOUNTS', line: 'brokerwire listen trade' },
    {
      does: 'ten events of two modules',
      line: 'brokerwire listen module --modules funding,journal --count 10',
    },
    {
      does: 'events for another program, continuing after a stop',
      line: 'brokerwire listen module --json --cursor cursor.json | jq -c .decoded',
    },
    {
      does: 'orders and positions in one subscription',
      line: 'brokerwire listen account --subscribe-type 3',
    },
    {
      does: 'send events to a program that you are developing',
      line: 'brokerwire listen trade --forward-to http://localhost:3000/events',
    },
    { does: 'prices as a live table', line: 'brokerwire listen quotes --symbols AAPL,TSLA' },
  ],
  load: () => import('../run/listen.ts'),
}
