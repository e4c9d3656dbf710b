/**
 * Table of the library's options, from which the flags of `simulate`, its configuration file and the published schema
 * are generated. The library validates the values; the table defines their text forms.
 */
import { optionError } from '../cli-error.ts'
import type { OptionDefinition } from '../frame/definition.ts'
import { timeSpan, wholeNumber } from '../number-option.ts'
import { receivedText } from '../suggestion.ts'

/** Text form of an option. `durationMs` is a duration such as `30s` as a flag, and milliseconds in a file. */
export type OptionKind =
  /** `orFile`: the flag may also name a file with the value. */
  | { readonly kind: 'choice'; readonly choices: readonly string[]; readonly orFile?: string }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'durationMs' }
  /** `unless`: the default is true, the flag sets false, and this is its help. */
  | { readonly kind: 'flag'; readonly unless?: string }
  | { readonly kind: 'text' }
  | { readonly kind: 'list'; readonly choices?: readonly string[] }

/** An option of the library. */
export type SimulateOption = OptionKind & {
  /** Name in the library and in a configuration file. */
  readonly name: string
  /** Name of the flag, if it is different. `false`: only in a file. */
  readonly flag?: string | false
  readonly help: string
  /** Default of `simulate`, if it differs from the library's. */
  readonly preset?: string | number | boolean
}

const PORT = { kind: 'integer', min: 0, max: 65_535 } as const
const choice = (...choices: readonly string[]) => ({ kind: 'choice', choices }) as const
const DURATION = { kind: 'durationMs' } as const
const FLAG = { kind: 'flag' } as const

/** All options with a text form. */
export const SIMULATE_OPTIONS: readonly SimulateOption[] = [
  {
    name: 'environment',
    ...choice('sandbox', 'production'),
    help: 'production makes a second factor part of every new token; default: production',
  },
  { name: 'region', ...choice('hk', 'us'), help: 'decides instruments, currency and offsets; default: us' },
  { name: 'appKey', kind: 'text', help: 'the app key; default: drawn at random' },
  {
    name: 'seed',
    kind: 'integer',
    min: 0,
    max: 4_294_967_295,
    help: 'the same seed gives the same events; default: 1',
  },
  {
    name: 'accounts',
    kind: 'list',
    help: 'accounts of the app, separated by commas; default: two, drawn from the seed',
  },
  {
    name: 'symbols',
    kind: 'list',
    help: 'what can be traded, separated by commas; default: a few of the region',
  },
  { name: 'httpPort', ...PORT, help: 'of requests; 0: any free one; default: 0' },
  { name: 'eventsPort', ...PORT, help: 'of trade and position events; 0: any free one; default: 0' },
  {
    name: 'moduleEventsPort',
    kind: 'text',
    help: 'of module events: a number, or shared for the port of the other events; default: 0',
  },
  {
    name: 'listen',
    kind: 'text',
    help: 'an IP address; one beyond this machine needs TLS or --allow-insecure; default: 127.0.0.1',
  },
  { name: 'allowInsecure', ...FLAG, help: 'clear text beyond this machine' },
  { name: 'controlPort', ...PORT, help: 'of the control address, which stays on 127.0.0.1; default: 0' },
  {
    name: 'stateFile',
    kind: 'text',
    flag: 'state',
    help: 'a file in which state survives a restart, mode 600; default: none',
  },
  {
    name: 'compatibility',
    ...choice('specification', 'official-clients'),
    help: 'what is taken beyond the specification, and how answers are written; default: specification',
  },
  {
    name: 'control',
    ...FLAG,
    unless: 'nobody steers it with `brokerwire simulate approve` and the like',
    help: 'lets `brokerwire simulate approve` and the like steer it from this machine; default: yes',
    preset: true,
  },
  {
    name: 'console',
    ...FLAG,
    help: 'serves a page on 127.0.0.1 that shows what happens and steers it, and prints its address; the second factor then waits for you',
  },
  {
    name: 'consolePort',
    ...PORT,
    help: 'of the console; 0: its last one, else any free one; default: 0',
  },
  {
    name: 'consoleFile',
    kind: 'text',
    help: 'a file in which port and key of the console survive a restart without --state, mode 600; default: console.json in the directory for state',
  },
  {
    name: 'secondFactor',
    ...choice('manual', 'automatic'),
    help: 'who completes it: you, by `brokerwire simulate approve` or in the console, or the service itself; default: automatic, with --console manual',
    preset: 'automatic',
  },
  {
    name: 'secondFactorDelayMs',
    ...DURATION,
    help: 'how long after the create the service completes it; default: 1ms',
  },
  { name: 'verificationWindowMs', ...DURATION, help: 'time for the second factor; default: 5m' },
  { name: 'tokenValidityMs', ...DURATION, help: 'validity of an access token; default: 15d' },
  { name: 'tokenIdleMs', ...DURATION, help: 'a token without a call for this long is INVALID; default: 15d' },
  {
    name: 'tokenRenewal',
    ...choice('second-factor', 'normal'),
    help: 'what a create beside a usable token gives in production; default: second-factor',
  },
  { name: 'createEndsEarlier', ...FLAG, help: 'a create ends the earlier tokens' },
  {
    name: 'expiryField',
    ...choice('expires_at', 'expires', 'both'),
    help: 'name of the expiry in token records; default: expires_at',
  },
  { name: 'expiryAsText', ...FLAG, help: 'writes expiries as text' },
  { name: 'tokenRefresh', ...FLAG, help: 'serves POST /openapi/auth/token/refresh' },
  {
    name: 'tokenCheckEnabled',
    ...FLAG,
    unless: 'requests need no token',
    flag: 'token-check',
    help: 'whether requests need a token; default: yes',
  },
  { name: 'clientTokenLifetimeMs', ...DURATION, help: 'lifetime of a client access token; default: 2h' },
  { name: 'refreshTokenLifetimeMs', ...DURATION, help: 'lifetime of a refresh token; default: 15d' },
  { name: 'signatureWindowMs', ...DURATION, help: 'tolerance of timestamps; default: 5m' },
  {
    name: 'algorithms',
    kind: 'list',
    choices: ['HMAC-SHA1', 'HMAC-SHA256'],
    help: 'algorithms that are accepted, separated by commas; default: both',
  },
  {
    name: 'headerCollision',
    ...choice('sorted', 'header-first'),
    help: 'order of a query value and a header of one name; default: sorted',
  },
  { name: 'nameOrder', ...choice('code-point', 'utf-16'), help: 'order of names; default: code-point' },
  { name: 'nonceForm', ...choice('hex32', 'any'), help: 'form of nonces; default: hex32' },
  {
    name: 'hostPort',
    ...choice('signed', 'optional'),
    help: 'whether the port of a Host must have been signed; default: signed',
  },
  {
    name: 'maxRequestBytes',
    kind: 'integer',
    min: 1,
    max: 1_073_741_824,
    help: 'longest request body; default: 1048576',
  },
  {
    name: 'maxConnections',
    kind: 'integer',
    min: 1,
    max: 1_000_000,
    help: 'event connections of an app key; default: 5',
  },
  { name: 'slotLingerMs', ...DURATION, help: 'how long a lost connection keeps its slot; default: none' },
  {
    name: 'oneTradeSubscription',
    ...FLAG,
    help: 'a second trade subscription of an app key ends with RESOURCE_EXHAUSTED',
  },
  { name: 'pingIntervalMs', ...DURATION, help: 'between two pings; default: 1m' },
  {
    name: 'subscriptionLifetimeMs',
    ...DURATION,
    help: 'a subscription ends with SubscribeExpired after this long; default: never',
  },
  { name: 'subscribeTypeSums', ...FLAG, help: 'accepts sums of subscribeTypes' },
  {
    name: 'streamAccessToken',
    ...choice('ignored', 'required'),
    help: 'whether streams need x-access-token; default: ignored',
  },
  {
    name: 'cursor',
    ...choice('exclusive', 'inclusive'),
    help: "whether a cursor's own event is replayed; default: exclusive",
  },
  {
    name: 'unknownCursor',
    ...choice('refuse', 'from-now', 'from-start'),
    help: 'what an unknown cursor gives; default: refuse',
  },
  {
    name: 'retainedEvents',
    kind: 'integer',
    min: 1,
    max: 10_000_000,
    help: 'events that each log keeps; default: 200000',
  },
  {
    name: 'retainedBytes',
    kind: 'integer',
    min: 1,
    max: 68_719_476_736,
    help: 'bytes that each log keeps; default: 268435456',
  },
  {
    name: 'placedEvents',
    ...FLAG,
    unless: 'accepted orders are not announced',
    help: 'whether an accepted order is announced; default: yes',
  },
  {
    name: 'sloppiness',
    ...choice('none', 'as-seen'),
    help: 'puts the deviations of published examples into payloads; default: none',
  },
  { name: 'sodEventType', kind: 'text', help: 'event type of SOD events; default: SOD' },
  {
    name: 'scenario',
    ...choice('none', 'lifecycles', 'lifecycles-forever'),
    orFile: 'a JSON file with steps, whose schema is scenario.schema.json of @brokerwire/simulator',
    help: 'what happens on the streams; default: lifecycles-forever',
    preset: 'lifecycles-forever',
  },
  {
    name: 'scenarioIntervalMs',
    kind: 'integer',
    min: 1,
    max: 86_400_000,
    flag: 'interval',
    help: 'milliseconds between two events; default: 1000',
    preset: 1000,
  },
]

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Name of an option's flag, without dashes; `undefined` if it has none. */
export function flagOf({ name, flag }: SimulateOption): string | undefined {
  return flag === false ? undefined : (flag ?? kebab(name.replace(/Ms$/, '')))
}

/** Validates a limit such as `10/30s`, or `off`. */
function rateLimitText(text: string, flag: string): string {
  if (text === 'off' || /^\d+\/\d+(ms|s|m|h)$/.test(text)) return text
  throw optionError(flag, `must be requests per duration, such as 10/30s, or off${receivedText(text)}`)
}

function definitionOf(option: SimulateOption): OptionDefinition {
  const name = `--${flagOf(option)}`
  const { help } = option
  switch (option.kind) {
    case 'choice':
      if (option.orFile !== undefined) {
        const [what, ...rest] = help.split(';')
        const names = option.choices.join(', ')
        return {
          flags: `${name} <name>`,
          help: [`${what}: ${names}, or ${option.orFile}`, ...rest].join(';'),
        }
      }
      return {
        flags: `${name} <${option.choices.length > 2 ? 'name' : 'one'}>`,
        help,
        choices: option.choices,
      }
    case 'integer':
      return { flags: `${name} <n>`, help, parse: wholeNumber(option.min, option.max) }
    case 'durationMs':
      return { flags: `${name} <duration>`, help, parse: timeSpan() }
    case 'flag':
      return option.unless === undefined
        ? { flags: name, help }
        : { flags: `--no-${flagOf(option)}`, help: option.unless }
    case 'list':
      return { flags: `${name} <list>`, help, listOf: option.choices }
    case 'text':
      return { flags: `${name} <text>`, help }
  }
}

/** The flags of `simulate`. */
export const SIMULATE_FLAGS: readonly OptionDefinition[] = [
  ...SIMULATE_OPTIONS.filter((option) => flagOf(option) !== undefined).map(definitionOf),
  { flags: '--app-secret-file <file>', help: 'a file with the app secret; default: drawn at random' },
  {
    flags: '--rate-limit <limit>',
    help: 'of the token endpoints, such as 10/30s, or off; default: 10/30s',
    parse: rateLimitText,
  },
  {
    flags: '--tls',
    help: 'HTTPS and HTTP/2 over TLS with a certificate made for the purpose; NODE_EXTRA_CA_CERTS in the printed lines makes Node trust it',
  },
  {
    flags: '--quotes',
    help: 'market data over MQTT too, with prices that move; BROKERWIRE_MQTT_URL is printed',
  },
  { flags: '--tls-cert <file>', help: 'a certificate of your own, PEM; together with --tls-key' },
  { flags: '--tls-key <file>', help: 'its private key, PEM, readable by its owner alone' },
  {
    flags: '--config <file>',
    help: 'options from a JSON file, by their names in the library; flags go before',
  },
  { flags: '--json', help: 'prints one JSON object with addresses and credentials instead of export lines' },
]
