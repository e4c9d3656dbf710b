/**
 * Runs the steps of `doctor --live`. If a call cannot be made, its question stays without an answer, so that a
 * stopped run still has a result.
 */
import { type Answer, createAnswer } from './answer.ts'
import { createCalls, MAX_REQUESTS, STOPPED } from './calls.ts'
import { decideLimitHeaders, MAX_CONNECTIONS, MAX_SUBSCRIPTIONS } from './decisions.ts'
import type { MeasureOptions } from './options.ts'
import { isRateLimited } from './outcome.ts'
import { QUESTION_NAMES } from './questions.ts'
import { measureRequests, type RequestResult } from './requests.ts'
import { measureSubscriptions } from './subscriptions.ts'

/** The result of {@link measure}. */
export interface Measurement {
  /** One answer for each question, in the order of the questions. */
  readonly answers: readonly Answer[]
  /** Number of calls that were made. */
  readonly calls: number
  /** All accounts that are known, which must not be in the record. */
  readonly accounts: readonly string[]
}

const REQUESTS = `send at most ${MAX_REQUESTS} requests that read. They count towards the rate limits, and as a use of the stored token`
const SUBSCRIPTIONS = `request at most ${MAX_SUBSCRIPTIONS} subscriptions, one after the other and each on its own event connection; at most ${MAX_CONNECTIONS} stay open. Each connection uses one of the connections of the app key until about a minute after its end, so that subscriptions of your other programs may be rejected`
const NO_REQUESTS: RequestResult = { answers: [], accounts: [], areCredentialsRejected: false }

/** Never rejects because of the service or the network. */
export async function measure(options: MeasureOptions): Promise<Measurement> {
  const { confirm, announce, signal } = options
  await using calls = createCalls(options)
  const requests = (await confirm(REQUESTS)) ? await measureRequests(options, calls) : NO_REQUESTS
  const accounts = options.accounts.length > 0 ? options.accounts : requests.accounts
  const obstacle = findObstacle(requests, accounts)
  if (obstacle !== undefined) announce(`no event connection is opened: ${obstacle}`)
  const isConfirmed = obstacle === undefined && (await confirm(SUBSCRIPTIONS))
  const subscriptions = isConfirmed ? await measureSubscriptions(options, calls, [...new Set(accounts)]) : []
  const limited = calls.outcomes.filter(isRateLimited)
  const answers = [
    ...requests.answers,
    ...subscriptions,
    createAnswer('rate-limit-headers', decideLimitHeaders(limited), limited),
  ]
  const reason = signal.aborted ? STOPPED : (obstacle ?? 'the step was not confirmed')
  return {
    answers: QUESTION_NAMES.map(
      (question) =>
        answers.find((answer) => answer.question === question) ?? createAnswer(question, { reason }, []),
    ),
    calls: calls.made,
    accounts: [...new Set([...options.accounts, ...requests.accounts])],
  }
}

/** Returns the reason why no event connection is opened. */
function findObstacle(
  { areCredentialsRejected }: RequestResult,
  accounts: readonly string[],
): string | undefined {
  if (areCredentialsRejected) return 'the service rejected the app key or the signature'
  return accounts.length === 0 ? 'no account is known: set --accounts' : undefined
}
