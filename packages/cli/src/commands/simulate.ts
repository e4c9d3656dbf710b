/** `brokerwire simulate`: runs a local simulator of the service until it is stopped. */
import type { QuotesActionName } from '@brokerwire/simulator'
import type { CommandDefinition, OptionDefinition } from '../frame/definition.ts'
import { wholeNumber } from '../number-option.ts'
import { SIMULATE_FLAGS } from '../simulate/options.ts'

/**
 * Only the names are listed here, because the simulator is loaded only when a command needs it. The type
 * ensures that the list is complete.
 */
const QUOTES_ACTIONS: Readonly<Record<QuotesActionName, true>> = {
  step: true,
  echo: true,
  notice: true,
  drop: true,
  end: true,
  'invalid-close': true,
  'forget-sessions': true,
  'silence-messages': true,
  'silence-all': true,
  resume: true,
  'reject-connect': true,
  'ignore-connect': true,
  'drop-connect': true,
  'clear-faults': true,
}

export const simulate: CommandDefinition = {
  name: 'simulate',
  summary: 'run a local simulator of the service until stopped',
  details: [
    'Serves tokens, event streams, and accounts, orders and market data over HTTP, with orders that are filled as time passes. --quotes adds market data over MQTT.',
    'Prints export lines to paste into another terminal. The service listens on 127.0.0.1, unless --listen is set. The file of --config has the options of the library by name. Its schema is schemas/simulate.schema.json in this package; errors have line and column.',
    'The HTTP address serves three pages without a signature: /openapi.json is an OpenAPI 3.1 document of the operations, /asyncapi.json an AsyncAPI 3 document of event streams and market data, and /metrics has metrics for Prometheus, which docs/reference/metrics.md of the repository lists.',
  ],
  options: SIMULATE_FLAGS,
  examples: [
    { does: 'a local service to try everything', line: 'brokerwire simulate' },
    { does: 'with a page that shows and controls it', line: 'brokerwire simulate --console' },
    { does: 'with a manual second factor', line: 'brokerwire simulate --second-factor manual' },
    {
      does: 'short-lived tokens, TLS, ten events a second',
      line: 'brokerwire simulate --tls --token-validity 2m --interval 100',
    },
    {
      does: 'in the background, with addresses and credentials as JSON',
      line: 'brokerwire simulate --json > service.json &',
    },
    { does: 'with your own scenario', line: 'brokerwire simulate --scenario ./morning.json' },
  ],
  load: () => import('../run/simulate.ts'),
}

const CONTROL_DETAILS =
  'Controls a running `brokerwire simulate`. Set BROKERWIRE_CONTROL_URL and BROKERWIRE_CONTROL_TOKEN, which it prints.'

/** Creates a command that sends one call to a running simulator. */
const control = (
  call: string,
  {
    more = [],
    ...definition
  }: Pick<CommandDefinition, 'summary' | 'args' | 'options' | 'examples'> & {
    /** Additional paragraphs of the help. */
    readonly more?: readonly string[]
  },
  load: CommandDefinition['load'],
): CommandDefinition => ({
  name: `simulate ${call}`,
  details: [CONTROL_DETAILS, ...more],
  ...definition,
  load,
})

const APP: OptionDefinition = { flags: '--app <name>', help: 'name or key of an app; default: the first' }

/** Commands that control a running simulator. */
export const simulateControl: readonly CommandDefinition[] = [
  control(
    'approve',
    {
      summary: 'complete the second factor of pending tokens',
      args: [{ name: '[token]', help: 'the token; default: all' }],
      options: [APP],
      examples: [{ does: 'approve all pending tokens', line: 'brokerwire simulate approve' }],
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
          help: 'kind of the event',
          choices: ['order', 'position', 'module', 'frame', 'moduleFrame'],
        },
        { name: '[json]', help: 'fields as a JSON object, with the names of the library' },
      ],
      options: [APP],
      examples: [
        {
          does: 'a filled order',
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
      summary: 'destroy the connections of the streams',
      options: [{ flags: '--service <name>', help: 'only of this service', choices: ['trade', 'module'] }],
      examples: [{ does: 'drop all streams', line: 'brokerwire simulate drop' }],
    },
    async () => ({ run: (await import('../run/simulate-control.ts')).drop }),
  ),
  control(
    'fault',
    {
      summary: 'inject a fault',
      more: [
        'Faults of requests: http is an object with its kind: {"kind":"respond","status":403}, optionally with body and headers; {"kind":"hang"}; {"kind":"close"}, with "processed":true to execute the request first; {"kind":"truncate"}; {"kind":"drip","intervalMs":50}; {"kind":"delay","delayMs":1000}; {"kind":"flood","bytes":1000000}. path limits it to one path.',
        'Faults of streams: subscription and frame are names. subscription: auth-error, connection-limit, expired, unknown-control, end, no-success, hang, unavailable, internal, unknown, unauthenticated, permission-denied, resource-exhausted. frame: duplicate, swap, drop, split, corrupt-message, invalid-utf8, corrupt-payload, compressed-flag, oversized-length, oversized-message, truncate. service is trade or module.',
        'count is the number of injections, by default 1, or "always" until {"clear":true}. The clients of this toolkit, and `brokerwire request`, retry a GET that fails with 5xx or 429, so that a single fault is not visible there.',
      ],
      args: [
        {
          name: '<json>',
          help: 'one of http, subscription, frame and clear; optionally path, service, count',
        },
      ],
      examples: [
        {
          does: 'reject the next request',
          line: `brokerwire simulate fault '{"http":{"kind":"respond","status":403}}'`,
        },
        {
          does: 'let every request fail, retries too',
          line: `brokerwire simulate fault '{"http":{"kind":"respond","status":503},"count":"always"}'`,
        },
        {
          does: 'reject the next subscription because all slots are used',
          line: `brokerwire simulate fault '{"subscription":"connection-limit"}'`,
        },
        { does: 'clear all faults', line: `brokerwire simulate fault '{"clear":true}'` },
      ],
    },
    async () => ({ run: (await import('../run/simulate-control.ts')).fault }),
  ),
  control(
    'advance',
    {
      summary: 'advance the clock of the service',
      more: [
        'The clock of this machine does not change. Commands correct their clock from the responses of the service, if the difference is at most --max-clock-offset (default: 1d). After an advance of 15d, use --max-clock-offset 16d, or `export BROKERWIRE_MAX_CLOCK_OFFSET=16d`, for every command. Without it the service rejects every signature: HTTP_CLOCK_IMPLAUSIBLE, and STREAM_AUTH_REJECTED on a stream. The status of a stored token does not need a request: `token create` and `token status` may report a token as usable that the service has ended; `token check` checks it.',
      ],
      args: [{ name: '<duration>', help: 'such as 90s, 15m or 15d' }],
      options: [
        {
          flags: '--scenario-steps <count>',
          help: 'limit of scenario steps; then the scenario pauses until the advance has ended; default: 10000',
          parse: wholeNumber(0, 1_000_000),
        },
      ],
      examples: [
        { does: 'let the tokens of today expire', line: 'brokerwire simulate advance 15d' },
        {
          does: 'the same without scenario steps',
          line: 'brokerwire simulate advance 15d --scenario-steps 0',
        },
      ],
    },
    async () => ({ run: (await import('../run/simulate-control.ts')).advance }),
  ),
  control(
    'quotes',
    {
      summary: 'act on market data',
      more: [
        'step moves prices and prints the number of messages. echo and notice send these messages. drop destroys connections, end closes them cleanly, invalid-close sends an invalid WebSocket close frame. After forget-sessions, subscribe calls no longer know the sessions. silence-messages sends only responses to PINGs, silence-all nothing; resume ends both. reject-connect, ignore-connect and drop-connect are faults of the next connections, until clear-faults.',
      ],
      args: [
        {
          name: '<action>',
          help: 'the action',
          choices: Object.keys(QUOTES_ACTIONS),
        },
      ],
      options: [
        { flags: '--session <id>', help: 'one session; default: all' },
        {
          flags: '--count <count>',
          help: 'number of price moves, or of connections with the fault; default: 1',
          parse: wholeNumber(1, 1_000_000),
        },
        {
          flags: '--code <code>',
          help: 'for reject-connect: return code of CONNACK; default: 105',
          parse: wholeNumber(0, 255),
        },
      ],
      examples: [
        { does: 'destroy every connection', line: 'brokerwire simulate quotes drop' },
        {
          does: 'reject the next two connections because all slots are used',
          line: 'brokerwire simulate quotes reject-connect --count 2',
        },
      ],
    },
    async () => ({ run: (await import('../run/simulate-control.ts')).quotes }),
  ),
  control(
    'state',
    {
      summary: 'print counters as JSON',
      examples: [{ does: 'print the state', line: 'brokerwire simulate state' }],
    },
    async () => ({ run: (await import('../run/simulate-control.ts')).state }),
  ),
]
