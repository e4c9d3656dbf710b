/**
 * One call to the service, within a deadline of its own: a port that never answers, or throws, becomes a failure
 * value like any other. The observer is told of each.
 */
import { type AbortSignalLike, isBrokerwireError } from '@brokerwire/core'
import {
  abortable,
  abortReason,
  isRecord,
  limitedAbort,
  linkedAbort,
  notify,
  onAbort,
  sleep,
  timeoutError,
} from '@brokerwire/core/internal'
import type { CallSettings } from './shared-options.ts'
import { shown, TokensError } from './tokens-error.ts'
import type { AnswerIssue, ApiCall, ApiCallOptions, ApiFailure, ApiResult } from './types.ts'

/** What a call that was told to stop may still take to say whether it had been sent. */
const LAST_WORD_MS = 1000

/** The failure of a call of which nothing is known: the careful reading is that it was sent. */
export const unanswered = (error: unknown = timeoutError()): ApiFailure => ({
  kind: 'no-answer',
  error: error instanceof Error ? error : new Error(),
})

/** What the port gives is somebody else's code: without an answer in it, nothing is known of the call, and a name is all that is shown. */
function resultOf<T>(given: unknown): ApiResult<T> {
  const isResult =
    isRecord(given) &&
    (given.ok === true ? isRecord(given.value) : given.ok === false && isRecord(given.failure))
  return isResult ? (given as unknown as ApiResult<T>) : failed(new TypeError())
}
const failed = (error: unknown) => ({ ok: false as const, failure: unanswered(error) })

/**
 * Makes the call. Ends at the latest one second after `callTimeoutMs`, or after the signal's abort.
 *
 * @param signal - Aborts the call itself; its result is then what the port says of it.
 * @param unsentSignal - Ends it as long as it has not left.
 */
export async function callApi<T>(
  { clock, callTimeoutMs, observe }: CallSettings,
  name: ApiCall,
  send: (options: ApiCallOptions) => Promise<ApiResult<T>>,
  signal?: AbortSignalLike | undefined,
  unsentSignal?: AbortSignalLike | undefined,
): Promise<ApiResult<T>> {
  const { controller, release } = limitedAbort(clock, callTimeoutMs, signal)
  const { controller: over } = linkedAbort()
  const stopListening = onAbort(controller.signal, () => {
    const end = (): void => over.abort(abortReason(controller.signal))
    sleep(clock, LAST_WORD_MS, over.signal).then(end, () => {})
  })
  // Awaited at once: workerd reports a rejection that is taken over a turn later as one that nobody handled.
  const answer = async () => await send({ signal: controller.signal, unsentSignal })
  const result = await abortable(answer(), over.signal).then(resultOf<T>, failed)
  over.abort()
  release()
  stopListening()
  const failure = result.ok ? undefined : result.failure
  const { kind, status, error } = failure ?? {}
  const own = isBrokerwireError(error) ? error : undefined
  notify(() => observe({ type: 'call', call: name, failure: kind, status, error: own }))
  const value: { readonly issues?: readonly AnswerIssue[] } = result.ok ? (result.value ?? {}) : {}
  for (const issue of value.issues ?? []) notify(() => observe({ type: 'answer-issue', call: name, issue }))
  return result
}

/** Whether something may have happened at the service although the call failed. */
export function isOutcomeUnknown(kind: ApiFailure['kind']): boolean {
  return kind === 'no-answer' || kind === 'server-error' || kind === 'bad-answer'
}

/** Whether a later call of the same kind may succeed without a change by the caller. */
const RETRYABLE: readonly ApiFailure['kind'][] = ['not-sent', 'no-answer', 'server-error', 'rate-limited']

/** The error for a failed call. A foreign error is kept as its name only: its text may quote the answer. */
export function callFailed(call: ApiCall, failure: ApiFailure): TokensError<'TOKEN_CALL_FAILED'> {
  const { kind, status, code, retryAfterMs, error } = failure
  const answered = status === undefined ? '' : `, HTTP status ${status}`
  return new TokensError('TOKEN_CALL_FAILED', `the ${call} call failed: ${kind}${answered}`, {
    details: {
      call,
      kind,
      status,
      code: code === undefined ? undefined : shown(code),
      retryAfterMs,
      errorName: shown(error.name),
    },
    retryable: RETRYABLE.includes(kind),
    ...(isBrokerwireError(error) ? { cause: error } : {}),
  })
}
