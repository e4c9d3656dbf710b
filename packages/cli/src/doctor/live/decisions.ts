/** The answers of `doctor --live`. Each is a pure function of the outcomes of calls. */
import type { PathFamily } from '@brokerwire/core'
import type { SignatureAlgorithm } from '@brokerwire/core/endpoints'
import { isRecord } from '@brokerwire/core/internal'
import {
  type CallOutcome,
  describeOutcome,
  isAuthRejection,
  isConclusive,
  isRateLimited,
  isServed,
  type StreamAttempt,
} from './outcome.ts'

/** The answer to a question, or the reason why there is none. */
export type Decision =
  | { readonly answer: string | Readonly<Record<string, string | number>> }
  | { readonly reason: string }

export const ALGORITHMS: readonly SignatureAlgorithm[] = ['HMAC-SHA1', 'HMAC-SHA256']

/** A `Date` header has whole seconds, so the service's time is on average half a second later. */
const HALF_SECOND_MS = 500

/** The service's clock minus this host's clock. */
export function decideClockOffset(first: CallOutcome): Decision {
  if (first.type !== 'response') return { reason: describeOutcome(first) }
  const { dateMs, sentMs, receivedMs } = first
  if (dateMs === undefined) return { reason: 'the response has no Date header' }
  const offsetMs = Math.round(dateMs + HALF_SECOND_MS - (sentMs + receivedMs) / 2)
  return { answer: { offsetMs, precisionMs: Math.round(HALF_SECOND_MS + (receivedMs - sentMs) / 2) } }
}

/** The algorithms that requests may be signed with. */
export function decideAlgorithm(outcomes: ReadonlyMap<SignatureAlgorithm, CallOutcome>): Decision {
  const entries = [...outcomes]
  if ([...outcomes.values()].some(isServed)) {
    const described = entries.map(([name, one]) => {
      const text = isServed(one) ? 'accepted' : describeOutcome(one)
      return [name, isConclusive(one) ? text : `unknown: ${text}`]
    })
    return { answer: Object.fromEntries(described) }
  }
  const text = entries.map(([name, one]) => `${name}: ${describeOutcome(one)}`).join('; ')
  return { reason: `no algorithm was accepted (${text}): check app key, app secret, region and environment` }
}

/** Whether both algorithms were rejected with 401, so that the credentials are probably wrong. */
export function areCredentialsRejected(outcomes: ReadonlyMap<SignatureAlgorithm, CallOutcome>): boolean {
  return (
    outcomes.size === ALGORITHMS.length &&
    [...outcomes.values()].every((one) => one.type === 'response' && one.status === 401)
  )
}

/** Whether the service checks access tokens, by its own configuration. */
export function decideTokenCheck(config: CallOutcome): Decision {
  if (config.type !== 'response' || !isServed(config)) return { reason: describeOutcome(config) }
  const value = isRecord(config.json) ? config.json.token_check_enabled : undefined
  if (value === true || value === 'true') return { answer: 'required' }
  if (value === false || value === 'false') return { answer: 'not required' }
  return { reason: 'the response has no token_check_enabled' }
}

/** The same operation in both path families. */
export interface FamilyOutcomes extends Readonly<Record<PathFamily, CallOutcome>> {
  /** Paths that no source names, with the same prefix, method and use of the token. */
  readonly unknownPaths: Readonly<Record<PathFamily, CallOutcome>>
}

/**
 * The path families that the service has. A rejected request shows that its path exists only if the service
 * responds in another way to the unknown path of the same prefix.
 */
export function decidePathFamily({ current, openapi, unknownPaths }: FamilyOutcomes): Decision {
  const exists = (outcome: CallOutcome, unknownPath: CallOutcome): boolean | undefined => {
    if (outcome.type !== 'response' || !isConclusive(outcome)) return undefined
    if (isServed(outcome)) return true
    const isDistinct = unknownPath.type === 'response' && unknownPath.status === 404
    return isDistinct ? outcome.status !== 404 : undefined
  }
  const found = {
    current: exists(current, unknownPaths.current),
    openapi: exists(openapi, unknownPaths.openapi),
  }
  const responses = {
    current: describeOutcome(current),
    openapi: describeOutcome(openapi),
    'current unknown path': describeOutcome(unknownPaths.current),
    'openapi unknown path': describeOutcome(unknownPaths.openapi),
  }
  if (found.current === undefined || found.openapi === undefined) {
    const text = Object.entries(responses).map(([name, outcome]) => `${name}: ${outcome}`)
    return { reason: text.join('; ') }
  }
  const both = found.openapi ? 'both' : 'current'
  return { answer: { family: found.current ? both : found.openapi ? 'openapi' : 'neither', ...responses } }
}

/** A request of one path family, with its usual API version and with the other one. */
export interface VersionOutcomes {
  readonly family: PathFamily
  readonly usual: readonly [version: string, outcome: CallOutcome]
  readonly other: readonly [version: string, outcome: CallOutcome]
}

/** The API versions that each path family accepts. */
export function decideVersions(families: readonly VersionOutcomes[]): Decision {
  const answer: Record<string, string> = {}
  for (const { family, usual, other } of families) {
    // Without a response to the usual version, the response to the other one may have another reason.
    if (!isServed(usual[1]) || !isConclusive(other[1])) continue
    for (const [version, outcome] of [usual, other])
      answer[`${family} ${version}`] = isServed(outcome) ? 'accepted' : describeOutcome(outcome)
  }
  if (Object.keys(answer).length > 0) return { answer }
  const text = families.map(({ family, usual, other }) => {
    const [version, outcome] = isServed(usual[1]) ? other : usual
    return `${family} ${version}: ${describeOutcome(outcome)}`
  })
  return { reason: text.join('; ') || 'no request was sent' }
}

/** Describes the attempts. */
const describeAttempts = (attempts: readonly StreamAttempt[]): string =>
  attempts
    .map(
      ({ algorithm, hasToken, outcome }) =>
        `${algorithm} ${hasToken ? 'with' : 'without'} a token: ${describeOutcome(outcome)}`,
    )
    .join('; ') || 'no subscription was requested'

const isSubscribed = ({ outcome }: StreamAttempt): boolean => outcome.type === 'subscribed'

/** The algorithms that subscriptions may be signed with. */
export function decideStreamAlgorithm(attempts: readonly StreamAttempt[]): Decision {
  const accepted = attempts.find(isSubscribed)
  if (accepted === undefined) return { reason: describeAttempts(attempts) }
  const entries = ALGORITHMS.map((algorithm) => {
    const tried = attempts.filter((one) => one.algorithm === algorithm)
    // A rejection without a token is no statement about the algorithm if the accepted attempt had a token.
    const rejected = tried.find(
      ({ outcome, hasToken }) => isAuthRejection(outcome) && hasToken === accepted.hasToken,
    )
    const found = rejected && describeOutcome(rejected.outcome)
    return [algorithm, tried.some(isSubscribed) ? 'accepted' : (found ?? 'unknown')] as const
  })
  return { answer: Object.fromEntries(entries) }
}

/** Whether a subscription needs an access token. */
export function decideStreamToken(
  attempts: readonly StreamAttempt[],
  noToken?: string | undefined,
): Decision {
  const accepted = attempts.find(isSubscribed)
  if (accepted === undefined) {
    const text = describeAttempts(attempts)
    return { reason: noToken === undefined ? text : `${text}; no subscription with a token: ${noToken}` }
  }
  if (!accepted.hasToken) return { answer: 'not required to subscribe' }
  const without = attempts.find(
    ({ algorithm, hasToken, outcome }) =>
      algorithm === accepted.algorithm && !hasToken && isAuthRejection(outcome),
  )
  return without === undefined
    ? { reason: describeAttempts(attempts) }
    : { answer: { token: 'required', withoutToken: describeOutcome(without.outcome) } }
}

/** The most connections that stay open. */
export const MAX_CONNECTIONS = 3

/** The most attempts to subscribe: four for the first connection, one for each further one. */
export const MAX_SUBSCRIPTIONS = 6

/**
 * The number of event connections at the same time. It is known if all were opened, or if the service rejected
 * one for another reason than its credentials.
 *
 * @param stillOpen - Number of connections that were open after the last attempt. `undefined` if the command
 * was stopped before.
 */
export function decideConnections(
  attempts: readonly StreamAttempt[],
  stillOpen: number | undefined,
): Decision {
  const opened = attempts.filter(isSubscribed).length
  const last = attempts.at(-1)?.outcome
  const isReached = opened >= MAX_CONNECTIONS
  const isRejected = last?.type === 'rejected' && !isAuthRejection(last)
  if (opened === 0 || stillOpen === undefined || !(isReached || isRejected))
    return { reason: describeAttempts(attempts) }
  const limit = isReached || last === undefined ? 'not reached' : describeOutcome(last)
  return { answer: { opened, open: stillOpen, limit } }
}

/**
 * The interval of pings on one connection.
 *
 * @param pings - Times of receipt, in milliseconds.
 */
export function decidePingInterval(pings: readonly number[], waitedMs: number): Decision {
  const [first, last] = [pings[0], pings.at(-1)]
  if (first !== undefined && last !== undefined && pings.length > 1) {
    const intervalMs = Math.round((last - first) / (pings.length - 1))
    return { answer: { intervalMs, pings: pings.length } }
  }
  const count = pings.length === 1 ? 'one ping' : 'no ping'
  return { reason: `${count} within ${Math.round(waitedMs / 1000)} s` }
}

/** The headers of a 429. No call is made to cause one. */
export function decideLimitHeaders(outcomes: readonly CallOutcome[]): Decision {
  const limited = outcomes.find(isRateLimited)
  if (limited?.type !== 'response') return { reason: 'no response had the status 429' }
  const { limitHeaders = {} } = limited
  return { answer: Object.keys(limitHeaders).length === 0 ? 'none' : limitHeaders }
}

/** Credentials of an attempt to subscribe. */
export type NextAttempt = Pick<StreamAttempt, 'algorithm' | 'hasToken'>

/**
 * Decides the next attempt. The first connection is tried without a token, with the token, and then both with
 * the other algorithm. The second one is tried with the other algorithm, if that was not tried yet.
 *
 * @returns `undefined` if all is known, or if the service rejected the connection and not the credentials.
 */
export function nextAttempt(
  attempts: readonly StreamAttempt[],
  usual: SignatureAlgorithm,
  hasToken: boolean,
): NextAttempt | undefined {
  if (attempts.length >= MAX_SUBSCRIPTIONS) return undefined
  const last = attempts.at(-1)
  if (last !== undefined && !isSubscribed(last) && !isAuthRejection(last.outcome)) return undefined
  const first = attempts.find(isSubscribed)
  const other = ALGORITHMS.find((name) => name !== usual) ?? usual
  if (first === undefined) {
    const plan = [usual, other].flatMap((algorithm) =>
      (hasToken ? [false, true] : [false]).map((withToken) => ({ algorithm, hasToken: withToken })),
    )
    return plan[attempts.length]
  }
  if (attempts.filter(isSubscribed).length >= MAX_CONNECTIONS) return undefined
  if (!attempts.some(({ algorithm }) => algorithm === other))
    return { algorithm: other, hasToken: first.hasToken }
  // The credentials of the first connection were rejected, so that another attempt would not be different.
  if (last !== undefined && !isSubscribed(last) && last.algorithm === first.algorithm) return undefined
  return { algorithm: first.algorithm, hasToken: first.hasToken }
}
