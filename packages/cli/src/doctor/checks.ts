/** Checks of the service and the token store. */
import { type Brokerage, createBrokerage } from '@brokerwire/client'
import {
  CONFIG_PATH,
  createServiceIdentity,
  resolveEndpoint,
  type ServiceIdentity,
} from '@brokerwire/core/endpoints'
import { createNodeFetch } from '@brokerwire/core/proxy'
import { createFileStore } from '@brokerwire/stores/file'
import { nextCreateAtMs } from '@brokerwire/tokens'
import { oldAccessTokenStoreKey } from '@brokerwire/tokens/internal'
import { jsonLine } from '../listen/json-line.ts'
import { durationText } from '../render/duration.ts'
import type { Connection } from '../settings/read-settings.ts'
import { describeStatus, getTokenExitStatus, readStatus } from '../token/stored.ts'
import { type CheckResult, failed, note, ok } from './finding.ts'
import { describeReason } from './reason.ts'

const SECOND_MS = 1000
const DAY_MS = 86_400_000
/** Maximum difference between the clocks. If it is larger, the service may reject timestamps. */
const MAX_SKEW_MS = 60_000

/**
 * Checks the clock with the `Date` in the response to an unsigned request.
 *
 * @param allowedMs - Difference that the setting of the clock offset allows.
 */
export async function checkClock(
  url: URL,
  allowedMs: number | undefined,
  proxy: Connection['proxy'],
  signal: AbortSignal,
): Promise<CheckResult> {
  const before = Date.now()
  let date: string | null
  try {
    const init = { method: 'HEAD', redirect: 'manual', headers: {}, signal: signal as never } as const
    const response = await createNodeFetch({ proxy })(new URL(CONFIG_PATH, url).href, init)
    date = response.headers.get('date')
  } catch (error) {
    return failed(
      `no response from ${url.origin}: ${describeReason(error)}`,
      'see the lines above; check that the service runs, and that this is its address',
    )
  }
  const serverMs = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(serverMs)) return note('the response has no Date header')
  const skewMs = serverMs + SECOND_MS / 2 - (before + Date.now()) / 2
  const text = `${(Math.abs(skewMs) / SECOND_MS).toFixed(1)} s ${skewMs < 0 ? 'ahead of' : 'behind'} the service`
  if (Math.abs(skewMs) < 2 * SECOND_MS) return ok('correct within the precision of a Date header')
  if (Math.abs(skewMs) <= Math.max(allowedMs ?? 0, MAX_SKEW_MS)) return note(text)
  const days = Math.ceil(Math.abs(skewMs) / DAY_MS)
  return failed(
    text,
    `set this machine's clock, for example with NTP: timestamps are part of the signature; if the service's clock was moved on purpose, for example by \`brokerwire simulate advance\`, use --max-clock-offset ${days}d`,
  )
}

/** Checks the signature with the only request that needs no token. */
export async function checkSignature(
  { http, endpoint }: Brokerage,
  signal: AbortSignal,
): Promise<CheckResult> {
  try {
    await http.request({ method: 'GET', path: CONFIG_PATH, authenticated: false, signal })
    return ok(`${endpoint.algorithm} accepted`)
  } catch (error) {
    const next = 'check app key and app secret, and that they belong to this region and environment'
    return failed(describeReason(error), next)
  }
}

/** Shows the endpoint of the region and environment. */
export function checkTable({ endpoint }: Brokerage): CheckResult {
  const { region, environment, algorithm, streamAlgorithm, moduleEventsUrl } = endpoint
  const text = `${region} ${environment}: requests ${algorithm}, streams ${streamAlgorithm}`
  return moduleEventsUrl === undefined
    ? note(`${text}; the module event host is unknown; set --module-events-url`)
    : ok(text)
}

/** Creates the identity of the service and app key to which stored records belong. */
function createIdentity({
  region,
  environment,
  overrides,
  allowInsecure,
  appKey,
}: Connection): ServiceIdentity {
  const endpoint = resolveEndpoint({ region, environment, overrides, allowInsecure })
  return createServiceIdentity(endpoint, appKey)
}

/** Checks the store and the token in it. */
export async function checkToken(
  connection: Connection,
  directory: string | undefined,
): Promise<CheckResult> {
  if (directory === undefined) return failed('no store', 'set HOME, BROKERWIRE_STORE or --store')
  const identity = createIdentity(connection)
  const store = createFileStore({ directory })
  try {
    const status = await readStatus({ store, identity })
    const text = `${describeStatus(status)} (store ${directory})`
    if (!identity.hasTableAddresses && (await store.get(oldAccessTokenStoreKey(identity))) !== undefined)
      return note(
        `${text}; a token of an earlier version is ignored, because it has no host and this host is not in the endpoint table`,
      )
    return getTokenExitStatus(status) === 0 ? ok(text) : note(text)
  } catch (error) {
    return failed(
      describeReason(error),
      `make the store private (chmod 700 on the directory, 600 on its files), or use another one with --store`,
    )
  }
}

/**
 * Checks when the next create request is allowed. In production each such request may ask a person for a
 * code.
 */
export async function checkCreates(connection: Connection, directory: string): Promise<CheckResult> {
  const identity = createIdentity(connection)
  if (identity.environment === 'sandbox') return ok('no limit: a token of the sandbox needs no second factor')
  const { record, nowMs } = await readStatus({ store: createFileStore({ directory }), identity })
  const nextMs = nextCreateAtMs(record, nowMs)
  return nextMs === undefined
    ? ok('one is allowed now, then one in five minutes')
    : note(`the next one is allowed in ${durationText(nextMs - nowMs)} (one in five minutes)`)
}

/** Checks one subscription to the trade stream. */
export async function checkSubscription(
  connection: Connection,
  accounts: readonly string[],
  signal: AbortSignal,
): Promise<CheckResult> {
  if (accounts.length === 0) return failed('no account', 'set --accounts or BROKERWIRE_ACCOUNTS')
  await using brokerage = createBrokerage({ ...connection, streams: { supervision: { maxAttempts: 1 } } })
  try {
    for await (const item of brokerage.tradeEvents({ accounts, signal })) {
      if (item.type === 'event' || item.kind === 'subscribed')
        return ok('subscribed; the slot is free in about a minute')
      if (item.kind === 'reconnecting') {
        const { message, status, reason } = JSON.parse(jsonLine('trade', item))
        return failed(
          String(message ?? status ?? reason),
          'see the lines about the events host; NumOfConnExceed: five streams are open',
        )
      }
    }
    return failed('the stream ended', 'try again in a minute')
  } catch (error) {
    return failed(describeReason(error), 'check app key, app secret and accounts')
  }
}
