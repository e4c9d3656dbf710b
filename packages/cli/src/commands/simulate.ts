/** `brokerwire simulate`: runs a local simulator of the service until it is stopped. */
import type { QuotesActionName } from '@brokerwire/simulator'
import type { CommandDefinition, OptionDefinition } from '../frame/definition.ts'
import { wholeNumber } from '../number-option.ts'
import { SIMULATE_FLAGS } from '../simulate/options.ts'

/** Only names, because the simulator is loaded when a command needs it. The type ensures that the list is complete. */
const QUOTES_ACTIONS: Readonly<Record<QuotesActionName, true>> = {
  step: true,
  echo: true,
  notice: true,
  drop: true,
  end: true,
  'close-badly': true,
  forget: true,
  'silence-messages': true,
  'silence-all': true,
  resume: true,
  'refuse-connect': true,
  'ignore-connect': true,
  'drop-connect': true,
  'clear-faults': true,
}

export const simulate: CommandDefinition = {
  name: 'simulate',
  summary: 'run a local service that checks signatures and keeps state, until stopped',
  details: [
    'Prints export lines to paste into another terminal. The service listens on 127.0.0.1 unless --listen says otherwise. The file of --config has the options of the library by name; its schema is schemas/simulate.schema.json in this package, and what is wrong in it is named by line and column.',
  ],
  options: SIMULATE_FLAGS,
  examples: [
    { does: 'a service to try everything on', line: 'brokerwire simulate' },
    { does: 'the same with a page that shows it and steers it', line: 'brokerwire simulate --console' },
    { does: 'a second factor that waits for you', line: 'brokerwire simulate --second-factor manual' },
    {
      does: 'tokens that end soon, over TLS, events ten times a second',
      line: 'brokerwire simulate --tls --token-validity 2m --interval 100',
    },
    {
      does: 'addresses and credentials for a program, while it goes on',
      line: 'brokerwire simulate --json > service.json &',
    },
    { does: 'steps of your own', line: 'brokerwire simulate --scenario ./morning.json' },
  ],
  load: () => import('../run/simulate.ts'),
}

const CONTROL_DETAILS =
  'Steers a running `brokerwire simulate`, found by BROKERWIRE_CONTROL_URL and BROKERWIRE_CONTROL_TOKEN, which it prints.'

/** A call to a running simulator. */
const control = (
  call: string,
  {
    more = [],
    ...definition
  }: Pick<CommandDefinition, 'summary' | 'args' | 'options' | 'examples'> & {
    /** Further paragraphs of the help. */
    readonly more?: readonly string[]
  },
  load: CommandDefinition['load'],
): CommandDefinition => ({
  name: `simulate ${call}`,
  details: [CONTROL_DETAILS, ...more],
  ...definition,
  load,
})

const APP: OptionDefinition = { flags: '--app <name>', help: 'name or key of an app of the service' }

/** Commands that control a running simulator. */
export const simulateControl: readonly CommandDefinition[] = [
  control(
    'approve',
    {
      summary: 'complete the second factor of the tokens that await it',
      args: [{ name: '[token]', help: 'one token; otherwise all' }],
      options: [APP],
      examples: [{ does: 'all that wait', line: 'brokerwire simulate approve' }],
    },
    async () => ({ run: (await import('../run/simulate-control.ts')).approve }),
  ),
  control(
    'emit',
    {
      summary: 'send an event',
      args: [
        {
          name: '<kind>',
          help: 'what is sent',
          choices: ['order', 'position', 'module', 'frame', 'moduleFrame'],
        },
        { name: '[json]', help: 'its fields as a JSON object, as the library names them' },
      ],
      options: [APP],
      examples: [
        {
          does: 'an order that was filled',
          line: `brokerwire simulate emit order '{"scene":"FINAL_FILLED"}'`,
        },
        { does: 'a module event', line: `brokerwire simulate emit module '{"module":"journal"}'` },
      ],
    },
    async () => ({ run: (await import('../run/simulate-control.ts')).emit }),
  ),
  control(
    'drop',
    {
      summary: 'break the connections of the streams',
      options: [{ flags: '--service <name>', help: 'of one service alone', choices: ['trade', 'module'] }],
      examples: [{ does: 'all streams', line: 'brokerwire simulate drop' }],
    },
    async () => ({ run: (await import('../run/simulate-control.ts')).drop }),
  ),
  control(
    'fault',
    {
      summary: 'let something go wrong next',
      more: [
        'Of a request, http is an object with its kind: {"kind":"answer","status":403}, with body and headers where they are wanted; {"kind":"hang"}; {"kind":"close"}, with "processed":true after the request had its effect; {"kind":"truncate"}; {"kind":"drip","intervalMs":50}; {"kind":"flood","bytes":1000000}. path strikes one path alone.',
        'Of a stream, subscription and frame are names. subscription: auth-error, connection-limit, expired, unknown-control, end, no-success, hang, unavailable, internal, unknown, unauthenticated, permission-denied, resource-exhausted. frame: duplicate, swap, split, corrupt-message, invalid-utf8, corrupt-payload, compressed-flag, oversized-length, oversized-message, truncate. service is trade or module.',
        'count is how often it strikes, once unless it is said, or "always" until {"clear":true}. A GET that fails with 5xx or 429 is sent again by the clients of this toolkit, by `brokerwire request` too: a fault that strikes once is not seen there.',
      ],
      args: [
        {
          name: '<json>',
          help: 'one of http, subscription, frame and clear; beside it path, service, count',
        },
      ],
      examples: [
        {
          does: 'the next request is refused',
          line: `brokerwire simulate fault '{"http":{"kind":"answer","status":403}}'`,
        },
        {
          does: 'every request fails, so that repeats of a client are of no use',
          line: `brokerwire simulate fault '{"http":{"kind":"answer","status":503},"count":"always"}'`,
        },
        {
          does: 'the next subscription finds all slots taken',
          line: `brokerwire simulate fault '{"subscription":"connection-limit"}'`,
        },
        { does: 'no fault any more', line: `brokerwire simulate fault '{"clear":true}'` },
      ],
    },
    async () => ({ run: (await import('../run/simulate-control.ts')).fault }),
  ),
  control(
    'advance',
    {
      summary: 'move the clock of the service on',
      more: [
        "The clock of this machine stays. Commands follow the service's clock by the answers of the service, as long as it is at most --max-clock-offset (1d unless it is set) from this machine's: give --max-clock-offset 16d, or `export BROKERWIRE_MAX_CLOCK_OFFSET=16d`, to every command after an advance of 15d. Without it every signature is refused for its time: HTTP_CLOCK_IMPLAUSIBLE, and STREAM_AUTH_REJECTED of a stream. A token that is kept is judged without a call: `token create` and `token status` call one usable that the service has ended; `token check` asks.",
      ],
      args: [{ name: '<duration>', help: 'such as 90s, 15m or 15d' }],
      options: [
        {
          flags: '--scenario-steps <count>',
          help: 'steps of a scenario that are carried out at most; then it stands still until the clock was moved (default: 10000)',
          parse: wholeNumber(0, 1_000_000),
        },
      ],
      examples: [
        { does: 'tokens of today expire', line: 'brokerwire simulate advance 15d' },
        {
          does: 'the same, and no scenario moves',
          line: 'brokerwire simulate advance 15d --scenario-steps 0',
        },
      ],
    },
    async () => ({ run: (await import('../run/simulate-control.ts')).advance }),
  ),
  control(
    'quotes',
    {
      summary: 'do something to market data',
      more: [
        'step moves prices and prints the messages that were sent; echo and notice send what the service sends by itself. drop breaks connections without a word, end in an orderly way, close-badly with a close frame that is no valid one; forget makes the subscribe calls unknow the sessions. silence-messages leaves the answers to PINGs, silence-all nothing; resume ends both. refuse-connect, ignore-connect and drop-connect strike the next connections, until clear-faults.',
      ],
      args: [
        {
          name: '<action>',
          help: 'what is done',
          choices: Object.keys(QUOTES_ACTIONS),
        },
      ],
      options: [
        { flags: '--session <id>', help: 'to one session; otherwise all' },
        {
          flags: '--count <count>',
          help: 'moves of prices, or connections that are struck (default: 1)',
          parse: wholeNumber(1, 1_000_000),
        },
        {
          flags: '--code <code>',
          help: 'of refuse-connect: the return code of CONNACK (default: 105)',
          parse: wholeNumber(0, 255),
        },
      ],
      examples: [
        { does: 'every connection breaks', line: 'brokerwire simulate quotes drop' },
        {
          does: 'the next two connections find all slots taken',
          line: 'brokerwire simulate quotes refuse-connect --count 2',
        },
      ],
    },
    async () => ({ run: (await import('../run/simulate-control.ts')).quotes }),
  ),
  control(
    'state',
    {
      summary: 'print counts of everything as JSON',
      examples: [{ does: 'what there is', line: 'brokerwire simulate state' }],
    },
    async () => ({ run: (await import('../run/simulate-control.ts')).state }),
  ),
]
