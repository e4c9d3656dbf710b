/**
 * Table of the library's options, from which the flags of `simulate`, its configuration file and the
 * published schema are generated. The library validates the values. The table defines how they are written.
 */
import { separateWords } from '@brokerwire/core/internal'
import { optionError } from '../cli-error.ts'
import type { OptionDefinition } from '../frame/definition.ts'
import { timeSpan, wholeNumber } from '../number-option.ts'
import { receivedText } from '../suggestion.ts'

/**
 * The written form of an option. `durationMs` is a duration such as `30s` in a flag, and milliseconds in a
 * file.
 */
export type OptionKind =
  /** With `orFile`, the flag may also name a file that contains the value. */
  | { readonly kind: 'choice'; readonly choices: readonly string[]; readonly orFile?: string }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'durationMs' }
  /** With `unless`, the default is true and the flag sets false. `unless` is the help of that flag. */
  | { readonly kind: 'flag'; readonly unless?: string }
  | { readonly kind: 'text' }
  | { readonly kind: 'list'; readonly choices?: readonly string[] }

/** An option of the library. */
export type SimulateOption = OptionKind & {
  /** Name in the library and in a configuration file. */
  readonly name: string
  /** Name of the flag, if it differs from the option's. If it is `false`, only a file sets the option. */
  readonly flag?: string | false
  readonly help: string
  /** Default of `simulate`, if it differs from the library's. */
  readonly preset?: string | number | boolean
}

const PORT = { kind: 'integer', min: 0, max: 65_535 } as const
const choice = (...choices: readonly string[]) => ({ kind: 'choice', choices }) as const
const DURATION = { kind: 'durationMs' } as const
const FLAG = { kind: 'flag' } as const

/** All options with a written form. */
export const SIMULATE_OPTIONS: readonly SimulateOption[] = [
  {
    name: 'environment',
    ...choice('sandbox', 'production'),
    help: 'in production every new token needs a second factor; default: production',
  },
  {
    name: 'region',
    ...choice('hk', 'us'),
    help: 'region of instruments, currency and time zone offsets; default: us',
  },
  { name: 'appKey', kind: 'text', help: 'app key; default: random' },
  {
    name: 'seed',
    kind: 'integer',
    min: 0,
    max: 4_294_967_295,
    help: 'seed of all events; default: 1',
  },
  {
    name: 'accounts',
    kind: 'list',
    help: 'comma-separated accounts of the app; default: two, from the seed',
  },
  {
    name: 'symbols',
    kind: 'list',
    help: 'comma-separated tradable symbols; default: a few of the region',
  },
  { name: 'httpPort', ...PORT, help: 'port for requests; 0: any free port; default: 0' },
  { name: 'eventsPort', ...PORT, help: 'port for trade and position events; 0: any free port; default: 0' },
  {
    name: 'moduleEventsPort',
    kind: 'text',
    help: 'port for module events: a number, or shared for the port of the other events; default: 0',
  },
  {
    name: 'listen',
    kind: 'text',
    help: 'IP address to listen on; beyond this machine it needs TLS or --allow-insecure; default: 127.0.0.1',
  },
  { name: 'allowInsecure', ...FLAG, help: 'allow clear text beyond this machine' },
  {
    name: 'controlPort',
    ...PORT,
    help: 'port of the control address, which is always on 127.0.0.1; default: 0',
  },
  {
    name: 'stateFile',
    kind: 'text',
    flag: 'state',
    help: 'file for state that survives a restart, mode 600; default: none',
  },
  {
    name: 'profile',
    // `--profile` is the profile of settings.
    flag: 'service-profile',
    ...choice('specification', 'official-clients'),
    help: 'preset for the requests that are accepted and for the format of responses; default: specification',
  },
  {
    name: 'control',
    ...FLAG,
    unless: 'do not open the control port: `brokerwire simulate approve`, `drop` and so on do not work',
    help: 'open a control port on this machine for `brokerwire simulate approve`, `drop` and so on; default: yes',
    preset: true,
  },
  {
    name: 'console',
    ...FLAG,
    help: 'serve a page on 127.0.0.1 that shows and controls the service, and print its address; the second factor is then manual',
  },
  {
    name: 'consolePort',
    ...PORT,
    help: 'port of the console; 0: the last one, else any free port; default: 0',
  },
  {
    name: 'consoleFile',
    kind: 'text',
    help: 'file for port and key of the console, which survive a restart without --state, mode 600; default: console.json in the state directory',
  },
  {
    name: 'secondFactor',
    ...choice('manual', 'automatic'),
    help: 'how the second factor is completed: manual with `brokerwire simulate approve` or in the console, or automatic; default: automatic, with --console manual',
    preset: 'automatic',
  },
  {
    name: 'secondFactorDelayMs',
    ...DURATION,
    help: 'delay of the automatic second factor after the create request; default: 1ms',
  },
  { name: 'verificationWindowMs', ...DURATION, help: 'time limit of the second factor; default: 5m' },
  { name: 'tokenValidityMs', ...DURATION, help: 'lifetime of an access token; default: 15d' },
  { name: 'tokenIdleMs', ...DURATION, help: 'time without use after which a token is INVALID; default: 15d' },
  {
    name: 'tokenRenewal',
    ...choice('second-factor', 'normal'),
    help: 'response to a create request if a usable token exists (production): second-factor = a pending token, normal = a usable token; default: second-factor',
  },
  { name: 'revokePreviousOnCreate', ...FLAG, help: 'a create request revokes the earlier tokens' },
  {
    name: 'expiryField',
    ...choice('expires_at', 'expires', 'both'),
    help: 'name of the expiry in token records; default: expires_at',
  },
  { name: 'expiryAsString', ...FLAG, help: 'write expiries as strings' },
  { name: 'tokenRefresh', ...FLAG, help: 'serve POST /openapi/auth/token/refresh' },
  {
    name: 'tokenCheckEnabled',
    ...FLAG,
    unless: 'requests need no token',
    flag: 'token-check',
    help: 'whether requests need a token; default: yes',
  },
  { name: 'clientTokenLifetimeMs', ...DURATION, help: 'lifetime of a client access token; default: 2h' },
  { name: 'refreshTokenLifetimeMs', ...DURATION, help: 'lifetime of a refresh token; default: 15d' },
  {
    name: 'signatureWindowMs',
    ...DURATION,
    help: 'largest difference of a timestamp from the clock; default: 5m',
  },
  {
    name: 'algorithms',
    kind: 'list',
    choices: ['HMAC-SHA1', 'HMAC-SHA256'],
    help: 'comma-separated accepted algorithms; default: both',
  },
  {
    name: 'headerCollision',
    ...choice('sorted', 'header-first'),
    help: 'canonical order of a query parameter and a header with the same name; default: sorted',
  },
  {
    name: 'nameOrder',
    ...choice('code-point', 'utf-16'),
    help: 'canonical order of names; default: code-point',
  },
  { name: 'nonceFormat', ...choice('hex32', 'any'), help: 'format of nonces; default: hex32' },
  {
    name: 'hostPort',
    ...choice('signed', 'optional'),
    help: 'whether the signature must cover the port of a Host; default: signed',
  },
  {
    name: 'maxRequestBytes',
    kind: 'integer',
    min: 1,
    max: 1_073_741_824,
    help: 'limit of a request body in bytes; default: 1048576',
  },
  {
    name: 'maxConnections',
    kind: 'integer',
    min: 1,
    max: 1_000_000,
    help: 'limit of event connections of an app key; default: 5',
  },
  { name: 'slotLingerMs', ...DURATION, help: 'how long a lost connection still counts; default: 0' },
  {
    name: 'oneTradeSubscription',
    ...FLAG,
    help: 'reject a second trade subscription of an app key with RESOURCE_EXHAUSTED',
  },
  { name: 'pingIntervalMs', ...DURATION, help: 'interval of pings; default: 1m' },
  {
    name: 'subscriptionLifetimeMs',
    ...DURATION,
    help: 'time after which a subscription ends with SubscribeExpired; default: never',
  },
  {
    name: 'combinedSubscribeTypes',
    ...FLAG,
    help: 'accept combined subscribeTypes, which are sums, such as 3 for orders and positions',
  },
  {
    name: 'streamAccessToken',
    ...choice('ignored', 'required'),
    help: 'whether streams need x-access-token; default: ignored',
  },
  {
    name: 'cursor',
    ...choice('exclusive', 'inclusive'),
    help: 'whether the event of a cursor is replayed too; default: exclusive',
  },
  {
    name: 'unknownCursor',
    ...choice('reject', 'from-now', 'from-start'),
    help: 'response to an unknown cursor; default: reject',
  },
  {
    name: 'retainedEvents',
    kind: 'integer',
    min: 1,
    max: 10_000_000,
    help: 'number of events that each log retains; default: 200000',
  },
  {
    name: 'retainedBytes',
    kind: 'integer',
    min: 1,
    max: 68_719_476_736,
    help: 'bytes that each log retains; default: 268435456',
  },
  {
    name: 'emitPlaceEvents',
    flag: 'place-events',
    ...FLAG,
    unless: 'send no event for an accepted order',
    help: 'whether an accepted order sends an event; default: yes',
  },
  {
    name: 'quirks',
    ...choice('none', 'as-seen'),
    help: 'add the quirks of published examples to payloads; default: none',
  },
  { name: 'sodEventType', kind: 'text', help: 'event type of SOD events; default: SOD' },
  {
    name: 'scenario',
    ...choice('none', 'lifecycles', 'lifecycles-forever'),
    orFile: 'a JSON file with steps (schema: scenario.schema.json of @brokerwire/simulator)',
    help: 'scenario of the streams; default: lifecycles-forever',
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

/** Returns the name of an option's flag, without dashes; `undefined` if the option has no flag. */
export function getFlag({ name, flag }: SimulateOption): string | undefined {
  return flag === false ? undefined : (flag ?? separateWords(name.replace(/Ms$/, ''), '-'))
}

/** Validates a limit such as `10/30s`, or `off`. */
function validateRateLimit(text: string, flag: string): string {
  if (text === 'off' || /^\d+\/\d+(ms|s|m|h)$/.test(text)) return text
  throw optionError(flag, `must be requests per duration, such as 10/30s, or off${receivedText(text)}`)
}

function toDefinition(option: SimulateOption): OptionDefinition {
  const name = `--${getFlag(option)}`
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
        flags: `${name} <name>`,
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
        : { flags: `--no-${getFlag(option)}`, help: option.unless }
    case 'list':
      return { flags: `${name} <list>`, help, listOf: option.choices }
    case 'text':
      return { flags: `${name} <text>`, help }
  }
}

/** The flags of `simulate`. */
export const SIMULATE_FLAGS: readonly OptionDefinition[] = [
  ...SIMULATE_OPTIONS.filter((option) => getFlag(option) !== undefined).map(toDefinition),
  { flags: '--app-secret-file <file>', help: 'file with the app secret; default: random' },
  {
    flags: '--rate-limit <limit>',
    help: 'rate limit of the token endpoints, such as 10/30s, or off; default: 10/30s',
    parse: validateRateLimit,
  },
  {
    flags: '--tls',
    help: 'serve HTTPS and HTTP/2 over TLS with a new certificate; NODE_EXTRA_CA_CERTS in the printed lines makes Node trust it',
  },
  {
    flags: '--quotes',
    help: 'serve market data over MQTT with moving prices, and print BROKERWIRE_MQTT_URL',
  },
  { flags: '--tls-cert <file>', help: 'your certificate, PEM; together with --tls-key' },
  { flags: '--tls-key <file>', help: 'its private key, PEM, readable only by its owner' },
  {
    flags: '--config <file>',
    help: 'JSON file with options, by their names in the library; flags override it',
  },
  { flags: '--json', help: 'print one JSON object with addresses and credentials instead of export lines' },
]
