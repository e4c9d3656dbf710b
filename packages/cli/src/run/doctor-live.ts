/** Runs `brokerwire doctor --live`. */
import type { Secret } from '@brokerwire/core'
import {
  createServiceIdentity,
  ENDPOINTS,
  type Endpoint,
  FURTHER_ENDPOINTS,
  resolveEndpoint,
} from '@brokerwire/core/endpoints'
import { escapeJsonControlChars, findProxy } from '@brokerwire/core/internal'
import { createFileStore } from '@brokerwire/stores/file'
import { optionError } from '../cli-error.ts'
import { MAX_CALLS } from '../doctor/live/calls.ts'
import { measure } from '../doctor/live/measure.ts'
import type { MeasureOptions, StoredToken } from '../doctor/live/options.ts'
import { createRecord, recordLines } from '../doctor/live/record.ts'
import { describeReason } from '../doctor/reason.ts'
import { EXIT, getStopStatus } from '../exit-status.ts'
import type { GuardedIo } from '../io.ts'
import { parseDuration } from '../number-option.ts'
import { createRecordingFile } from '../record/recording-file.ts'
import {
  type Connection,
  parseList,
  readConnection,
  readSettings,
  type SettingFlags,
} from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { getTokenExitStatus, readStatus } from '../token/stored.ts'
import { readVersion } from '../version.ts'

/** A second between two calls, and two ping intervals of the documents, which show about 60 s. */
const TIMING: Pick<MeasureOptions, 'pauseMs' | 'pingWaitMs'> = { pauseMs: 1000, pingWaitMs: 150_000 }

/** Longest time limit of the HTTP client: a day. */
const MAX_TIMEOUT_MS = 86_400_000

/** Flags of `doctor` that apply to `--live`. */
export interface LiveFlags extends SettingFlags {
  readonly streams?: boolean
  readonly json?: boolean
  readonly timeout: string
  readonly output?: string
}

/** @param timing - Times of the measurement, which tests shorten. */
export async function runLive(flags: LiveFlags, io: GuardedIo, timing = TIMING): Promise<number> {
  if (flags.streams) throw optionError('--streams', 'must not be given together with --live')
  const settings = chooseEnvironment(await readSettings(flags, io))
  const connection = await readConnection(flags, settings, io)
  const { region, environment, overrides, allowInsecure, appKey, appSecret } = connection
  const endpoint = resolveEndpoint({ region, environment, overrides, allowInsecure })
  const isProduction = environment === 'production'
  if (!isProduction) rejectProductionHosts(connection)
  else if (io.prompt === undefined)
    throw optionError(
      '--environment',
      'must be sandbox without a terminal, because each step is confirmed in production; received "production"',
    )
  const token = await findToken(connection, endpoint, settings.store?.value, io)
  const file = flags.output === undefined ? undefined : createRecordingFile(flags.output)
  try {
    io.err(
      `measuring ${region} ${environment} with at most ${MAX_CALLS} calls. No token is created, and no order is sent`,
    )
    const date = new Date()
    const measurement = await measure({
      connection,
      endpoint,
      accounts: parseList(settings.accounts?.value ?? ''),
      token,
      timeoutMs: Math.min(parseDuration(flags.timeout) ?? 1, MAX_TIMEOUT_MS),
      announce: (line) => io.err(line),
      confirm: (step) => confirmStep(step, isProduction, io),
      signal: io.signal,
      ...timing,
    })
    const record = createRecord(measurement, {
      date,
      brokerwire: readVersion(),
      environment,
      region,
      requestsHost: endpoint.baseUrl,
      eventsHost: endpoint.eventsUrl,
      isComplete: !io.signal.aborted,
      appKey,
      appSecret: appSecret.reveal(),
      secrets: 'value' in token ? [token.value.reveal()] : [],
      proxies: listProxyNames(connection, endpoint),
    })
    if (flags.json) io.out(escapeJsonControlChars(JSON.stringify(record)))
    else for (const line of recordLines(record)) io.out(line)
    file?.line(JSON.stringify(record, undefined, 2))
    if (io.signal.aborted) return getStopStatus(io.signal.reason)
    return record.answers.some(({ answer }) => answer !== null) ? EXIT.done : EXIT.no
  } finally {
    file?.close()
  }
}

/**
 * Uses the sandbox unless the flag names production. A variable or a profile with `production` is an error, because its keys
 * are probably those of production.
 *
 * @throws CliError `CLI_OPTION_INVALID`
 */
function chooseEnvironment(settings: Settings): Settings {
  const { environment } = settings
  if (environment === undefined)
    return { ...settings, environment: { value: 'sandbox', source: 'the default of --live' } }
  if (environment.value !== 'production' || environment.source === '--environment') return settings
  throw optionError(
    '--environment',
    `must be given with --live, because ${environment.source} names production: --environment production or --environment sandbox`,
  )
}

/**
 * Rejects production hosts that the settings name for the sandbox.
 *
 * @throws CliError `CLI_OPTION_INVALID`
 */
function rejectProductionHosts({ overrides }: Connection): void {
  const hosts = Object.values({ ...ENDPOINTS, ...FURTHER_ENDPOINTS }).flatMap(({ production }) =>
    [production.baseUrl, production.eventsUrl].map(toHostname),
  )
  for (const [flag, url] of [
    ['--base-url', overrides.baseUrl],
    ['--events-url', overrides.eventsUrl],
  ] as const)
    if (url !== undefined && hosts.includes(toHostname(url)))
      throw optionError(
        flag,
        `must not be a host of production without --environment production; received ${url}`,
      )
}

/** Returns the name of a host, on any port and without the final dot of an absolute name. */
const toHostname = (url: string): string => new URL(url).hostname.replace(/\.$/, '')

/** Returns the forms in which errors name the proxies of the connections. */
function listProxyNames({ proxy }: Connection, { baseUrl, eventsUrl }: Endpoint): readonly string[] {
  return [baseUrl, eventsUrl].flatMap((url) => {
    const found = url === undefined ? undefined : findProxy(proxy, url)
    if (found === undefined) return []
    const { origin, hostname, port } = found
    return [origin, `${hostname}:${port}`, hostname]
  })
}

/** Returns the stored token if it is usable. It is read from the store only. */
async function findToken(
  { appKey }: Connection,
  endpoint: Endpoint,
  directory: string | undefined,
  io: GuardedIo,
): Promise<StoredToken> {
  if (directory === undefined) return { missing: 'no store: set --store' }
  try {
    const store = createFileStore({ directory })
    const status = await readStatus({ store, identity: createServiceIdentity(endpoint, appKey) })
    const value: Secret | undefined = status.record.current?.token
    if (value === undefined || getTokenExitStatus(status) !== EXIT.done)
      return { missing: 'no usable token is stored: run `brokerwire token create --wait` before' }
    io.keepSecret(value.reveal())
    return { value }
  } catch (error) {
    return { missing: `the store cannot be read (${describeReason(error)})` }
  }
}

/** Asks before a step in production. A stopped question is a no. */
async function confirmStep(
  step: string,
  isProduction: boolean,
  { prompt, signal }: GuardedIo,
): Promise<boolean> {
  if (signal.aborted) return false
  if (!isProduction) return true
  try {
    return (await prompt?.confirm(`Production: ${step}. Continue?`)) ?? false
  } catch (error) {
    if (signal.aborted) return false
    throw error
  }
}
