/** Functions for tests that wait for conditions of the simulator. */
import { escapeControlChars } from '@brokerwire/core'
import { integer, isRecord, oneOf, received } from '@brokerwire/core/internal'
import type { OpenSubscription } from '../grpc/stream-hub.ts'
import { STREAM_SERVICES } from '../grpc/subscription-fault.ts'
import type { LoggedRequest, RequestLog } from '../request-log.ts'
import { argumentFailure, readArguments } from '../simulator-error.ts'
import type { WaiterRegistry, WaitOptions } from './waiter-registry.ts'

/** Selection of subscriptions to wait for. */
export interface SubscriptionMatch extends WaitOptions {
  /** The service of the subscriptions. @defaultValue either */
  readonly service?: 'trade' | 'module' | undefined
  /** App key of the subscription. @defaultValue any */
  readonly appKey?: string | undefined
  /** Number of subscriptions that must be open. @defaultValue 1 */
  readonly count?: number | undefined
}

/** Selection of a request to wait for. All given fields must match. */
export type RequestMatch = Partial<
  Pick<LoggedRequest, 'protocol' | 'method' | 'path' | 'appKey' | 'status' | 'errorCode'>
>

/** A token whose second factor is pending. */
export interface PendingToken {
  /** The token, for `approveSecondFactor()`. */
  readonly token: string
  /** App key that created the token. */
  readonly appKey: string
  /** Name of the app that created the token. */
  readonly app: string
  /** Expiry of the token, milliseconds since the Unix epoch. */
  readonly expiresAtMs: number
}

/** Functions that wait for a condition. Each resolves immediately if the condition is already met. */
export interface SimulatorWaits {
  /**
   * Waits for open subscriptions.
   *
   * @returns All subscriptions that match.
   * @throws SimulatorError `SIMULATOR_WAIT_TIMEOUT`
   */
  waitForSubscriptions(match?: SubscriptionMatch): Promise<readonly OpenSubscription[]>
  /**
   * Waits for a completed request.
   *
   * @returns The oldest request that matches and that no earlier call returned.
   * @throws SimulatorError `SIMULATOR_WAIT_TIMEOUT`
   */
  waitForRequest(
    match?: RequestMatch | ((request: LoggedRequest) => boolean),
    options?: WaitOptions,
  ): Promise<LoggedRequest>
  /** Waits for a token in status PENDING. @throws SimulatorError `SIMULATOR_WAIT_TIMEOUT` */
  waitForPendingToken(
    options?: WaitOptions & {
      /** Only tokens of this app key. @defaultValue any app key */
      readonly appKey?: string | undefined
    },
  ): Promise<PendingToken>
}

/** Dependencies of the waits. */
export interface WaitsContext {
  readonly waiters: WaiterRegistry
  readonly requestLog: RequestLog
  readonly subscriptions: () => readonly OpenSubscription[]
  readonly pendingTokens: () => readonly PendingToken[]
}

const MATCH_FIELDS = ['protocol', 'method', 'path', 'appKey', 'status', 'errorCode'] as const
const MAX_SHOWN = 5

/** Creates the waits. */
export function createWaits({
  waiters,
  requestLog,
  subscriptions,
  pendingTokens,
}: WaitsContext): SimulatorWaits {
  const returned = new Set<number>()
  return {
    async waitForSubscriptions(given = {}) {
      const { service, appKey, count, ...options } = readArguments(given, [
        'service',
        'appKey',
        'count',
        'timeoutMs',
        'signal',
      ])
      if (service !== undefined) oneOf(STREAM_SERVICES)(service, 'service', argumentFailure)
      const minCount = integer({ min: 1, max: 1_000_000, default: 1 })(count, 'count', argumentFailure)
      const matching = (): readonly OpenSubscription[] =>
        subscriptions().filter(
          (item) =>
            (service === undefined || item.requested.service === service) &&
            (appKey === undefined || item.appKey === appKey),
        )
      return waiters.wait(
        {
          name: `waitForSubscriptions(${describeMatch({ service, appKey, count })})`,
          find: () => (matching().length >= minCount ? matching() : undefined),
          describeState: () => `${matching().length} of ${subscriptions().length} open subscriptions match`,
        },
        readWaitOptions(options),
      )
    },
    async waitForRequest(match = {}, options = {}) {
      const matches = readMatch(match)
      return waiters.wait(
        {
          name: `waitForRequest(${typeof match === 'function' ? 'a function' : describeMatch(match)})`,
          find() {
            for (let index = requestLog.start; index < requestLog.total; index += 1) {
              const request = returned.has(index) ? undefined : requestLog.at(index)
              if (request === undefined || !matches(request)) continue
              returned.add(index)
              return request
            }
            return undefined
          },
          describeState: () => {
            const latest = requestLog.entries().slice(-MAX_SHOWN)
            const lines = latest.map(
              ({ method, path, status }) => `${method} '${escapeControlChars(path, 80)}' ${status}`,
            )
            return lines.length === 0 ? 'no request arrived' : `the latest requests are ${lines.join(', ')}`
          },
        },
        readWaitOptions(readArguments(options, ['timeoutMs', 'signal'])),
      )
    },
    async waitForPendingToken(given = {}) {
      const { appKey, ...options } = readArguments(given, ['appKey', 'timeoutMs', 'signal'])
      return waiters.wait(
        {
          name: `waitForPendingToken(${describeMatch({ appKey })})`,
          find: () => pendingTokens().find((item) => appKey === undefined || item.appKey === appKey),
          describeState: () => `${pendingTokens().length} tokens of other apps are PENDING`,
        },
        readWaitOptions(options),
      )
    },
  }
}

function readWaitOptions({ timeoutMs, signal }: WaitOptions): WaitOptions & { readonly timeoutMs: number } {
  const bounds = { min: 0, max: 2_147_483_647, default: 10_000 }
  return { timeoutMs: integer(bounds)(timeoutMs, 'timeoutMs', argumentFailure), signal }
}

function readMatch(
  match: RequestMatch | ((request: LoggedRequest) => boolean),
): (request: LoggedRequest) => boolean {
  if (typeof match === 'function') return match
  if (!isRecord(match)) throw argumentFailure('match', 'an object or a function', received(match))
  for (const name of ['timeoutMs', 'signal'])
    if (name in match)
      throw argumentFailure(name, 'in the second argument of waitForRequest()', 'it in the first')
  const wanted = Object.entries(readArguments(match, MATCH_FIELDS)).filter(([, value]) => value !== undefined)
  return (request) => wanted.every(([name, value]) => request[name as keyof RequestMatch] === value)
}

/** Formats the selection as JSON, without missing fields. */
function describeMatch(match: object): string {
  const text = JSON.stringify(match)
  return text === '{}' ? '' : text
}
