/**
 * One call to the service, within a deadline of its own: a port that never answers, or throws, becomes a failure
 * value like any other. The observer is told of each.
 */
import { type AbortSignalLike, isBrokerwireError } from '@brokerwire/core'
import {
  abortable,
  abortReason,
  durationText,
  isRecord,
  limitedAbort,
  linkedAbort,
  notify,
  onAbort,
  sleep,
  timeoutError,
} from '@brokerwire/core/internal'
import type { CallSettings } from './shared-options.ts'
import { shown, shownReason, TokensError } from './tokens-error.ts'
import type {
  ResponseIssue,
  TokenCall,
  TokenCallFailure,
  TokenCallOptions,
  TokenCallResult,
} from './types.ts'

/** What a call that was told to stop may still take to say whether it had been sent. */
const LAST_WORD_MS = 1000

/** The failure of a call of which nothing is known: the careful reading is that it was sent. */
export const unanswered = (error: unknown = timeoutError()): TokenCallFailure => ({
  kind: 'no-response',
  error: error instanceof Error ? error : new Error(),
})

/** What the port gives is somebody else's code: without an answer in it, nothing is known of the call, and a name is all that is shown. */
function resultOf<T>(given: unknown): TokenCallResult<T> {
  const isResult =
    isRecord(given) &&
    (given.ok === true ? isRecord(given.value) : given.ok === false && isRecord(given.failure))
  return isResult ? (given as unknown as TokenCallResult<T>) : failed(new TypeError())
}
const failed = (error: unknown) => ({ ok: false as const, failure: unanswered(error) })

/**
 * Makes the call. Ends at the latest one second after `callTimeoutMs`, or after the signal's abort.
 *
 * @param signal - Aborts the call itself; its result is then what the port says of it.
 * @param unsentSignal - Ends it as long as it has not left.
 */
export async function callEndpoint<T>(
  { clock, callTimeoutMs, observer }: CallSettings,
  name: TokenCall,
  send: (options: TokenCallOptions) => Promise<TokenCallResult<T>>,
  signal?: AbortSignalLike | undefined,
  unsentSignal?: AbortSignalLike | undefined,
): Promise<TokenCallResult<T>> {
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
  notify(() => observer.onCall?.({ call: name, failure: kind, status, error: own }))
  const value: { readonly issues?: readonly ResponseIssue[] } = result.ok ? (result.value ?? {}) : {}
  for (const issue of value.issues ?? []) notify(() => observer.onResponseIssue?.({ call: name, issue }))
  return result
}

/** Whether something may have happened at the service although the call failed. */
export function isOutcomeUnknown(kind: TokenCallFailure['kind']): boolean {
  return kind === 'no-response' || kind === 'server-error' || kind === 'invalid-response'
}

/** Whether a later call of the same kind may succeed without a change by the caller. */
const RETRYABLE: readonly TokenCallFailure['kind'][] = [
  'not-sent',
  'no-response',
  'server-error',
  'rate-limited',
]

const SUBJECTS: Readonly<Record<TokenCall, string>> = {
  create: 'creating an access token',
  check: 'checking the access token',
  config: 'asking whether an access token is needed',
  'client-create': 'creating a client token',
  'client-refresh': 'refreshing a client token',
}
const REASONS: Readonly<Record<TokenCallFailure['kind'], string>> = {
  'not-sent': 'the request was not sent',
  'no-response': 'the service did not respond',
  rejected: 'the service rejected it',
  'server-error': 'the service failed',
  'rate-limited': 'the service received too many requests',
  'invalid-response': 'the response cannot be used',
}

/** Why a call failed. The text of a foreign error may quote the answer: only its name is shown. */
function reasonOf({ kind, status, code, error }: TokenCallFailure): string {
  if (isBrokerwireError(error)) return shownReason(error.message)
  const answered = status === undefined ? '' : `, status ${status}`
  return `${REASONS[kind]}${answered}${code === undefined ? '' : `, ${shown(code)}`} (${shown(error.name)})`
}

/** What to do about it; empty if the reason says it. */
function nextStepOf(call: TokenCall, { kind, status, retryAfterMs }: TokenCallFailure): string {
  if (kind === 'rejected' && status === 401 && call !== 'client-refresh')
    return ". Check the app key, the app secret, the region, the environment and this host's clock"
  if (kind === 'rate-limited' && retryAfterMs !== undefined)
    return `. Try again in ${durationText(retryAfterMs)}`
  if (call === 'create' && isOutcomeUnknown(kind)) return '. Whether a token was created is unknown'
  return ''
}

/** The error for a failed call. It states the reason; a foreign error is kept as its name only. */
export function callFailed(call: TokenCall, failure: TokenCallFailure): TokensError<'TOKEN_CALL_FAILED'> {
  const { kind, status, code, retryAfterMs, error } = failure
  const message = `${SUBJECTS[call]} failed: ${reasonOf(failure)}${nextStepOf(call, failure)}`
  return new TokensError('TOKEN_CALL_FAILED', message, {
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
