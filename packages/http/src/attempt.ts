/** One attempt: takes a token, signs anew, and sends exactly the URL and the bytes that were signed. */
import { type AbortSignalLike, createRedactor, type Redactor } from '@brokerwire/core'
import type { ReadOptions } from './client-options.ts'
import { type Answer, exchange, type Outgoing } from './exchange.ts'
import { readHttpDate } from './http-date.ts'
import { type HttpError, isHttpError } from './http-error.ts'
import { type Prepared, requireToken } from './prepare.ts'
import { statusError } from './status-error.ts'

/** A request that was signed. */
export interface SignedAttempt {
  readonly outgoing: Outgoing
  /** The token it carries, where it came from the client's own source. */
  readonly ownToken: string | undefined
  /** The offset of the service's clock when it was signed. */
  readonly offsetMs: number | undefined
  /** Takes the secrets of this request out of what the service says. */
  readonly redact: Redactor
}

/** What an attempt came to: a success, an error, or an answer that is an error. */
export type Outcome = { readonly durationMs: number } & (
  | { readonly answer: Answer; readonly error: undefined }
  | { readonly answer: Answer | undefined; readonly error: HttpError }
)

/** Rejects with what the token source and the signer throw. */
export async function signAttempt(
  options: ReadOptions,
  prepared: Prepared,
  signal: AbortSignalLike | undefined,
): Promise<SignedAttempt> {
  const { details, body, token, query } = prepared
  const own = token === 'own' ? await options.accessTokens?.get({ signal }) : undefined
  const ownToken = own === undefined ? undefined : requireToken(own.token)
  const tokenText = typeof token === 'object' ? token.text : ownToken
  const offsetMs = options.serverClock?.offsetMs
  const { scheme, host } = options
  const signature = await options.signer.sign({ scheme, host, path: details.path, query, body: body.bytes })
  return {
    outgoing: {
      url: signature.url,
      method: details.method,
      headers: {
        ...prepared.headers,
        ...signature.headers,
        ...(tokenText !== undefined && { 'x-access-token': tokenText }),
      },
      body: body.bytes,
    },
    ownToken,
    offsetMs,
    redact: createRedactor([...body.secrets, tokenText ?? '', signature.headers['x-signature']]),
  }
}

/** Sends and reads. Rejects with the signal's reason alone. */
export async function deliver(
  options: ReadOptions,
  prepared: Prepared,
  signed: SignedAttempt,
  signal: AbortSignalLike | undefined,
): Promise<Outcome> {
  const { fetch, isHostFetch, clock, serverClock } = options
  const { details, timeoutMs, maxResponseBytes } = prepared
  const strict = prepared.repeat !== 'always'
  const startMs = clock.now()
  const passed = (): number => Math.max(0, clock.now() - startMs)
  try {
    const { redact } = signed
    const limits = { fetch, isHostFetch, strict, clock, timeoutMs, maxResponseBytes, signal, details, redact }
    const answer = await exchange(signed.outgoing, limits)
    takeBackClock(serverClock, answer)
    const isSuccess = answer.status >= 200 && answer.status < 300
    const nowMs = (serverClock ?? clock).now()
    const error = isSuccess ? undefined : statusError(answer, details, redact, nowMs, strict)
    return { answer, error, durationMs: passed() }
  } catch (error) {
    if (!isHttpError(error)) throw error
    return { answer: undefined, error, durationMs: passed() }
  }
}

/** An offset that a wrong date has taught lasts until an answer says a better one. Without an offset nothing is read. */
function takeBackClock(serverClock: ReadOptions['serverClock'], { status, headers }: Answer): void {
  // A 401 may be the one that teaches: what it says is read once, by whoever decides what follows.
  if (serverClock === undefined || serverClock.offsetMs === 0 || status === 401) return
  serverClock.takeBack(readHttpDate(headers.get('date'), serverClock.now()))
}
