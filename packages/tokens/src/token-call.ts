/**
 * A call to the service with a time limit. If the port throws or does not respond, the result is a failure value.
 * The observer is called at the end.
 */
import { isBrokerwireError } from '@brokerwire/core'
import {
  abortable,
  abortReason,
  addAbortListener,
  createLinkedController,
  createReporter,
  createTimeoutController,
  durationText,
  isRecord,
  revealSecret,
  sleep,
  timeoutError,
} from '@brokerwire/core/internal'
import type { CallSettings } from './shared-options.ts'
import { sanitize, sanitizeMessage, TokensError } from './tokens-error.ts'
import type {
  ResponseIssue,
  TokenCall,
  TokenCallFailure,
  TokenCallOptions,
  TokenCallResult,
} from './types.ts'

/**
 * How long an aborted call may take to return a result that states whether its request was sent, in
 * milliseconds.
 */
const ABORT_GRACE_MS = 1000

/** Returns the failure of a call about which nothing is known. Its request counts as sent. */
export const noResponseFailure = (error: unknown = timeoutError()): TokenCallFailure => ({
  kind: 'no-response',
  error: error instanceof Error ? error : new Error(),
})

/**
 * Accepts only a well-formed result from the port, which may be the caller's own code. Any other value becomes a
 * failure, which shows no part of the value.
 */
function toResult<T>(name: TokenCall, given: unknown): TokenCallResult<T> {
  const isResult =
    isRecord(given) &&
    (given.ok === true ? isValue(name, given.value) : given.ok === false && isFailure(given.failure))
  return isResult ? (given as unknown as TokenCallResult<T>) : failed(new TypeError())
}
const isSecret = (value: unknown): boolean => isRecord(value) && revealSecret(value) !== undefined
const isOptional = (value: unknown, type: 'number' | 'string'): boolean =>
  value === undefined || (typeof value === type && !Number.isNaN(value))

function isValue(name: TokenCall, value: unknown): boolean {
  if (!isRecord(value) || !(value.issues === undefined || Array.isArray(value.issues))) return false
  if (name === 'config') return typeof value.tokenCheckEnabled === 'boolean'
  if (name === 'create' || name === 'check')
    return (
      isSecret(value.token) && typeof value.status === 'string' && isOptional(value.expiresAtMs, 'number')
    )
  const isPair = isSecret(value.accessToken) && isSecret(value.refreshToken)
  return isPair && Number.isFinite(value.expiresAtMs) && Number.isFinite(value.refreshExpiresAtMs)
}

function isFailure(value: unknown): boolean {
  if (!isRecord(value) || !isRecord(value.error) || typeof value.error.name !== 'string') return false
  const { kind, status, code, retryAfterMs } = value
  const isKind = typeof kind === 'string' && Object.hasOwn(REASONS, kind)
  return (
    isKind && isOptional(status, 'number') && isOptional(code, 'string') && isOptional(retryAfterMs, 'number')
  )
}
const failed = (error: unknown) => ({ ok: false as const, failure: noResponseFailure(error) })

/**
 * Makes the call. The call ends at the latest one second after `callTimeoutMs` or the abort of the signal.
 *
 * If the port returns a result within that second, the call returns that result.
 */
export async function callEndpoint<T>(
  { clock, callTimeoutMs, clientId, observer }: CallSettings,
  name: TokenCall,
  send: (options: TokenCallOptions) => Promise<TokenCallResult<T>>,
  { signal, unsentSignal }: TokenCallOptions = {},
): Promise<TokenCallResult<T>> {
  const startMs = clock.now()
  const { controller, release } = createTimeoutController(clock, callTimeoutMs, signal)
  /** Aborts when the call no longer waits for the result of the port. */
  const { controller: graceEnd } = createLinkedController()
  const stopListening = addAbortListener(controller.signal, () => {
    const end = (): void => graceEnd.abort(abortReason(controller.signal))
    sleep(clock, ABORT_GRACE_MS, graceEnd.signal).then(end, () => {})
  })
  // The function is `async` and awaits at once, because workerd reports a rejection as unhandled if it is
  // handled one turn later.
  const response = async () => await send({ signal: controller.signal, unsentSignal })
  const result = await abortable(response(), graceEnd.signal).then(
    (given) => toResult<T>(name, given),
    failed,
  )
  graceEnd.abort()
  release()
  stopListening()
  const failure = result.ok ? undefined : result.failure
  const { kind, status, error } = failure ?? {}
  const own = isBrokerwireError(error) ? error : undefined
  const report = createReporter(observer, { clientId, call: name })
  const durationMs = Math.max(0, clock.now() - startMs)
  report('onTokenCall', { durationMs, failure: kind, status, error: own })
  const value: { readonly issues?: readonly ResponseIssue[] } = result.ok ? (result.value ?? {}) : {}
  for (const issue of value.issues ?? []) report('onTokenResponseIssue', { issue })
  return result
}

/** Whether a failed call may have had an effect at the service. */
export function isOutcomeUnknown(kind: TokenCallFailure['kind']): boolean {
  return kind === 'no-response' || kind === 'server-error' || kind === 'invalid-response'
}

/** Failures after which the same call may succeed later without a change by the caller. */
const RETRYABLE: readonly TokenCallFailure['kind'][] = [
  'not-sent',
  'no-response',
  'server-error',
  'rate-limited',
]

const SUBJECTS: Readonly<Record<TokenCall, string>> = {
  create: 'creating an access token',
  check: 'checking the access token',
  config: 'checking whether the service requires an access token',
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

/**
 * Returns the reason of a failure. An error of another library may quote the response, so only its name is
 * shown.
 */
function failureReason({ kind, status, code, error }: TokenCallFailure): string {
  if (isBrokerwireError(error)) return sanitizeMessage(error.message)
  const statusText = status === undefined ? '' : `, status ${status}`
  return `${REASONS[kind]}${statusText}${code === undefined ? '' : `, ${sanitize(code)}`} (${sanitize(error.name)})`
}

/** Returns the advice at the end of the message; an empty string if there is none for this failure. */
function nextStep(call: TokenCall, { kind, status, retryAfterMs }: TokenCallFailure): string {
  if (kind === 'rejected' && status === 401 && call !== 'client-refresh')
    return ". Check the app key, the app secret, the region, the environment and this host's clock"
  if (kind === 'rate-limited' && retryAfterMs !== undefined)
    return `. Try again in ${durationText(retryAfterMs)}`
  if (call === 'create' && isOutcomeUnknown(kind)) return '. Whether a token was created is unknown'
  return ''
}

/** Creates the error for a failed call. The message contains the reason. */
export function callFailed(call: TokenCall, failure: TokenCallFailure): TokensError<'TOKEN_CALL_FAILED'> {
  const { kind, status, code, retryAfterMs, error } = failure
  const message = `${SUBJECTS[call]} failed: ${failureReason(failure)}${nextStep(call, failure)}`
  return new TokensError('TOKEN_CALL_FAILED', message, {
    details: {
      call,
      kind,
      status,
      code: code === undefined ? undefined : sanitize(code),
      retryAfterMs,
      errorName: sanitize(error.name),
    },
    retryable: RETRYABLE.includes(kind),
    ...(isBrokerwireError(error) ? { cause: error } : {}),
  })
}
