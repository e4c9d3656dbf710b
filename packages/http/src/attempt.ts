/** One attempt: takes a token, signs anew, sends exactly the URL and the bytes that were signed, and makes an error of an answer that is one. */
import { type AbortSignalLike, createRedactor } from '@brokerwire/core'
import type { ReadOptions } from './client-options.ts'
import { type Answer, exchange, type SignedAttempt } from './exchange.ts'
import { readHttpDate } from './http-date.ts'
import { HttpError } from './http-error.ts'
import { type Prepared, requireToken } from './prepare.ts'
import { statusError } from './status-error.ts'

/** What an attempt came to: with what there is of an answer, which without an error is a success. */
export interface Outcome extends Partial<Answer> {
  readonly error: HttpError | undefined
  readonly durationMs: number
}

/** Rejects with what the token source and the signer throw. */
export async function signAttempt(
  options: ReadOptions,
  prepared: Prepared,
  signal: AbortSignalLike | undefined,
): Promise<SignedAttempt> {
  const { details, body, secrets, authenticated, accessToken, query } = prepared
  const asks = authenticated && accessToken === undefined
  const own = asks ? await options.accessTokens?.get({ signal }) : undefined
  const tokenText = own ? requireToken(own.token) : accessToken
  const offsetMs = options.serverClock?.offsetMs
  const { scheme, host } = options
  const { url, headers } = await options.signer.sign({
    scheme,
    host,
    path: details.path,
    query,
    body,
  })
  return {
    url,
    headers: {
      ...prepared.headers,
      ...headers,
      ...(tokenText !== undefined && { 'x-access-token': tokenText }),
    },
    ownToken: own?.token,
    offsetMs,
    redact: createRedactor([...secrets, tokenText ?? '', headers['x-signature']]),
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
  const answer = await exchange(options, prepared, signed, signal)
  const durationMs = Math.max(0, clock.now() - startMs)
  if (answer instanceof HttpError) return { error: answer, durationMs }
  // An offset that a wrong date has taught lasts until an answer says a better one. Without an offset nothing is read. A
  // 401 may be the one that teaches: what it says is read once, by whoever decides what follows.
  if (serverClock?.offsetMs && answer.status !== 401)
    serverClock.takeBack(readHttpDate(answer.headers.get('date'), serverClock.now()))
  const nowMs = (serverClock ?? clock).now()
  return { ...answer, error: statusError(answer, prepared, signed.redact, nowMs), durationMs }
}
