/** One attempt: takes a token, signs anew, sends exactly the URL and the bytes that were signed, and makes an error of an answer that is one. */
import { type AbortSignalLike, createRedactor } from '@brokerwire/core'
import type { ReadOptions } from './client-options.ts'
import { type Answer, exchange, type SignedAttempt } from './exchange.ts'
import { readHttpDate } from './http-date.ts'
import { type HttpError, isHttpError } from './http-error.ts'
import { type Prepared, requireToken } from './prepare.ts'
import { statusError } from './status-error.ts'

/** What an attempt came to: without an error, the answer is a success. */
export interface Outcome {
  readonly answer: Answer | undefined
  readonly error: HttpError | undefined
  readonly durationMs: number
}

/** Rejects with what the token source and the signer throw. */
export async function signAttempt(
  options: ReadOptions,
  prepared: Prepared,
  signal: AbortSignalLike | undefined,
): Promise<SignedAttempt> {
  const { details, body, token, query } = prepared
  const own = token === 'own' ? await options.accessTokens?.get({ signal }) : undefined
  const ownText = own && requireToken(own.token)
  const tokenText = typeof token === 'object' ? token.text : ownText
  const offsetMs = options.serverClock?.offsetMs
  const { scheme, host } = options
  const { url, headers } = await options.signer.sign({
    scheme,
    host,
    path: details.path,
    query,
    body: body.bytes,
  })
  const all: Record<string, string> = { ...prepared.headers, ...headers }
  if (tokenText !== undefined) all['x-access-token'] = tokenText
  return {
    url,
    headers: all,
    ownToken: own?.token,
    offsetMs,
    redact: createRedactor([...body.secrets, tokenText ?? '', headers['x-signature']]),
  }
}

/** Sends and reads. Rejects with the signal's reason alone. */
export async function deliver(
  options: ReadOptions,
  prepared: Prepared,
  signed: SignedAttempt,
  signal: AbortSignalLike | undefined,
): Promise<Outcome> {
  const { clock, serverClock } = options
  const startMs = clock.now()
  let answer: Answer | undefined
  let error: HttpError | undefined
  try {
    answer = await exchange(options, prepared, signed, signal)
    // An offset that a wrong date has taught lasts until an answer says a better one. Without an offset nothing is read. A
    // 401 may be the one that teaches: what it says is read once, by whoever decides what follows.
    if (serverClock?.offsetMs && answer.status !== 401)
      serverClock.takeBack(readHttpDate(answer.headers.get('date'), serverClock.now()))
    const nowMs = (serverClock ?? clock).now()
    error = statusError(answer, prepared, signed.redact, nowMs)
  } catch (thrown) {
    if (!isHttpError(thrown)) throw thrown
    error = thrown
  }
  return { answer, error, durationMs: Math.max(0, clock.now() - startMs) }
}
