/** `brokerwire listen`: events of a stream as lines, until stopped. */
import type { CommandDefinition } from '../frame/definition.ts'
import { CONNECTION_OPTIONS, settingOptions } from '../frame/setting-options.ts'
import { EVENT_STREAMS, LISTEN_STREAMS } from '../listen/streams.ts'
import { waitingTime, wholeNumber } from '../number-option.ts'

export const listen: CommandDefinition = {
  name: 'listen',
  summary: 'print the events of a stream, or market data, until stopped',
  details: [
    'A stream that is lost is opened again, and a line says what may have been missed. A first connection that never succeeds ends after --max-attempts with status 75, refused credentials end with status 77.',
    'With --json each event and each notice is an object on a line: schemas/listen.schema.json in this package. With --cursor a later run goes on where this one was stopped, however it was stopped; what was not yet noted comes again. One file is for one listener: a second one says so and waits until the first has ended. An event type of which nothing came before the stop has no position to go on from: what came of it meanwhile is not sent again, and a gap (no-cursor) names the type and the time.',
    'Market data is asked for with the access token of the store. On a terminal it is a table that stays in its place; in a pipe, or with --json, each message and each notice is an object on a line.',
  ],
  args: [{ name: '<stream>', help: 'which events', choices: LISTEN_STREAMS }],
  options: [
    ...settingOptions('accounts').map((option) => ({ ...option, of: ['trade', 'position', 'account'] })),
    {
      flags: '--subscribe-type <n>',
      help: 'of the account stream, required: 1 orders, 2 positions, 4 options, or a sum of them; the official clients send 3 (Python) and 7 (Java)',
      parse: wholeNumber(1, 0xff_ff_ff_ff),
      of: ['account'],
    },
    {
      flags: '--modules <names>',
      help: 'of the module stream, separated by commas: modules, or event types; default: all known modules',
      completes: 'modules',
      of: ['module'],
    },
    { flags: '--symbols <list>', help: 'of quotes: symbols, separated by commas', of: ['quotes'] },
    {
      flags: '--category <name>',
      help: 'of quotes: the category of the symbols',
      defaultValue: 'US_STOCK',
      of: ['quotes'],
    },
    {
      flags: '--types <list>',
      help: 'of quotes: quote, snapshot, tick, separated by commas',
      defaultValue: 'snapshot',
      of: ['quotes'],
    },
    { flags: '--json', help: 'one JSON object a line: frame, decoded payload, payload as received' },
    {
      flags: '--cursor <file>',
      help: 'of the module stream: keeps in a file where it stands, and goes on from there',
      of: ['module'],
    },
    {
      flags: '--from <where>',
      help: 'of the module stream: cursor, now, or EVENT_TYPE=POSITION, separated by commas; default: cursor',
      of: ['module'],
    },
    {
      flags: '--count <n>',
      help: 'stop after so many events',
      parse: wholeNumber(1, Number.MAX_SAFE_INTEGER),
    },
    {
      flags: '--timeout <duration>',
      help: 'stop after this long, at most 24d; status 75 where --count was not reached by then',
      parse: waitingTime(),
    },
    {
      flags: '--max-attempts <n>',
      help: 'attempts until the first subscription; 0 goes on for ever',
      parse: wholeNumber(0, 1_000_000),
      defaultValue: 5,
    },
    { flags: '--verbose', help: 'attempts on standard error, with host and reason' },
    {
      flags: '--with-token',
      help: 'of events: sends the stored access token with the subscription',
      of: EVENT_STREAMS,
    },
    {
      flags: '--create',
      help: 'asks for the token that is sent where there is none, and waits for its second factor',
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
      does: 'events for another program, which goes on where it was stopped',
      line: 'brokerwire listen module --json --cursor cursor.json | jq -c .decoded',
    },
    {
      does: 'orders and positions in one subscription',
      line: 'brokerwire listen account --subscribe-type 3',
    },
    { does: 'prices as a table that moves', line: 'brokerwire listen quotes --symbols AAPL,TSLA' },
  ],
  load: () => import('../run/listen.ts'),
}
