/**
 * The attempts of one stream to subscribe: access token, request with the current cursors, signature, call.
 *
 * Failures are return values, so nothing here throws. Errors that may quote the request are not kept.
 */
import { type Clock, isBrokerwireError, Secret, type TokenProvider } from '@brokerwire/core'
import { addAbortListener, notify, revealSecret } from '@brokerwire/core/internal'
import { isTokenText } from '@brokerwire/signer/internal'
import type { DescMessage, DescMethodServerStreaming, MessageShape } from '@bufbuild/protobuf'
import type { StreamAttempt, StreamSource } from '../observer.ts'
import { optionInvalid } from '../streams-error.ts'
import type { CallFailure, PreSendFailure, Recovery, SentCredentials } from '../supervisor/machine-types.ts'
import type { Decoder, MessageBatch } from '../transport/message-batch.ts'
import { type RequestSecrets, toCallFailure } from './call-failure.ts'
import type { ServiceTarget } from './connection.ts'
import { additionalHeaders } from './headers.ts'
import type { AccessTokenRequiredHook, ClockSkewHook } from './hooks.ts'
import { parseCallRetryAfter } from './retry-after.ts'
import {
  batchReader,
  openSubscription,
  type SignedRequest,
  type StreamSigner,
  signRequest,
} from './subscribe.ts'

/** A call whose response has begun. */
export interface OpenCall<Frame> {
  /**
   * Waits for a frame and returns it with the others that were received: at most `maxFrames` frames, and at most `maxBytes` bytes
   * after the first one.
   *
   * @returns An empty batch after the status OK. Rejects if the call failed.
   */
  readonly next: (maxFrames: number, maxBytes: number) => Promise<MessageBatch<Frame>>
  /** Converts an error of `next`. */
  readonly toCallFailure: (error: unknown) => CallFailure
}

/** Options of {@link SubscriptionDialer}. */
export interface DialerOptions<I extends DescMessage, Frame> {
  readonly signer: StreamSigner
  readonly clock: Clock
  readonly accessTokens: TokenProvider | undefined
  readonly accessTokenRequired: AccessTokenRequiredHook | undefined
  /**
   * Called if the service requires a token and no token was sent. Called for the first such subscription, and
   * again only after a subscription with a token.
   */
  readonly onTokenMissing: () => void
  readonly onClockSkew: ClockSkewHook | undefined
  /** Returns additional headers of an attempt. */
  readonly headers: ((attempt: Omit<StreamAttempt, keyof StreamSource>) => unknown) | undefined
  readonly target: ServiceTarget
  readonly method: DescMethodServerStreaming<I>
  readonly decoder: Decoder<Frame>
  /** Positions by event type for the next request. */
  readonly cursors: () => ReadonlyMap<string, string>
  /** The secrets that each attempt sends are added to this object. */
  readonly secrets: RequestSecrets
  /** Returns the request. @param cursors - Positions by event type. */
  request(nowMs: number, cursors: ReadonlyMap<string, string>): MessageShape<I>
}

/** Opens the subscriptions of one stream, one after the other. */
export class SubscriptionDialer<I extends DescMessage, Frame> {
  readonly #options: DialerOptions<I, Frame>
  #lastToken: string | undefined
  /** The rejected token, which is not sent again. */
  #withheldToken: string | undefined
  /** Whether `accessTokenRequired` was called since the last subscription with a token. */
  #requirementChecked = false

  constructor(options: DialerOptions<I, Frame>) {
    this.#options = options
  }

  /** Origin of the service. `undefined` if a Connect transport has the address. */
  get origin(): string | undefined {
    return this.#options.target.origin
  }

  /**
   * Makes one attempt.
   *
   * @param attempt - The number of the attempt.
   * @param signal - Cancels the attempt, or the call that it opened. The caller then ignores the result.
   */
  async dial(
    attempt: number,
    signal: AbortSignal,
    onSend: (sent: SentCredentials) => void,
  ): Promise<OpenCall<Frame> | PreSendFailure | CallFailure> {
    const { clock, signer, method } = this.#options
    const token = await this.#getToken(signal)
    if ('step' in token) return token
    let step: PreSendFailure['step'] = 'request'
    try {
      signal.throwIfAborted()
      const accessToken = token.text === this.#withheldToken ? undefined : token.text
      this.#lastToken = accessToken
      const cursors = this.#options.cursors()
      const message = this.#options.request(clock.now(), cursors)
      step = 'signature'
      const signed = await signRequest(method.input, message, signer, accessToken)
      signal.throwIfAborted()
      step = 'headers'
      const headers = { ...this.#additionalHeaders(attempt), ...signed.headers }
      onSend({ tokenSent: accessToken !== undefined, cursorSent: cursors.size > 0 })
      if (accessToken !== undefined) this.#requirementChecked = false
      else void this.#checkTokenRequirement(signal)
      return await this.#connect({ ...signed, headers }, signal)
    } catch (error) {
      return { step, retryable: false, cause: safeCause(error) }
    }
  }

  /** Recovers from an authentication error: corrects the clock and, if a token was sent, asks for another one. */
  async recoverAuth(
    mode: 'clock' | 'token',
    serverNowMs: number | undefined,
    signal: AbortSignal,
  ): Promise<Recovery> {
    const clock = await this.#correctClock(serverNowMs, signal)
    // Even if the clock was not corrected, a new timestamp and nonce may be accepted.
    if (mode === 'clock') return { retry: true, cause: clock.cause }
    const token = await this.#getToken(signal, this.#lastToken)
    if ('step' in token) {
      const { retryable, cause = clock.cause } = token
      return { retry: clock.wasWrong, retryLater: retryable, cause }
    }
    const isOther = token.text !== undefined && token.text !== this.#lastToken
    return { retry: isOther || clock.wasWrong, cause: clock.cause }
  }

  /** Stops sending the last token. Other tokens are still sent. */
  withholdToken(): void {
    this.#withheldToken = this.#lastToken
  }

  #additionalHeaders(attempt: number): Readonly<Record<string, string>> {
    const added = this.#options.headers?.({ attempt, origin: this.origin })
    return additionalHeaders(added, 'headers()', optionInvalid)
  }

  async #correctClock(
    serverNowMs: number | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly wasWrong: boolean; readonly cause?: unknown }> {
    try {
      return { wasWrong: (await this.#options.onClockSkew?.({ serverNowMs, signal })) === true }
    } catch (error) {
      return { wasWrong: false, cause: safeCause(error) }
    }
  }

  async #checkTokenRequirement(signal: AbortSignal): Promise<void> {
    const { accessTokenRequired, onTokenMissing } = this.#options
    if (this.#requirementChecked || accessTokenRequired === undefined) return
    this.#requirementChecked = true
    // After an error, the requirement is unknown.
    const isRequired = await Promise.resolve()
      .then(() => accessTokenRequired({ signal }))
      .catch(() => undefined)
    // The check was cancelled, so the next attempt checks again.
    if (signal.aborted) this.#requirementChecked = false
    else if (isRequired === true) onTokenMissing()
  }

  /** @param rejected - The token of the last attempt, if the service rejected it. */
  async #getToken(
    signal: AbortSignal,
    rejected?: string,
  ): Promise<{ readonly text: string | undefined } | PreSendFailure> {
    const step = 'access-token'
    const { accessTokens, target } = this.#options
    // A token that is bound to an origin is not sent to an unknown address.
    if (accessTokens === undefined || (accessTokens.origin !== undefined && target.origin === undefined))
      return { text: undefined }
    try {
      if (rejected !== undefined)
        await accessTokens.reportRejected(new Secret(rejected), { status: 401 }, { signal })
      const provided = await accessTokens.get({ signal })
      const text = provided === undefined ? undefined : (revealSecret(provided.token) ?? '')
      return text === undefined || isTokenText(text) ? { text } : { step, retryable: false }
    } catch (error) {
      return { step, retryable: !isBrokerwireError(error) || error.retryable, cause: safeCause(error) }
    }
  }

  async #connect(request: SignedRequest<I>, signal: AbortSignal): Promise<OpenCall<Frame> | CallFailure> {
    const { target, method, secrets, decoder, clock } = this.#options
    const { headers } = request
    secrets.add(['x-signature', 'x-signature-nonce', 'x-access-token'].map((name) => headers[name] ?? ''))
    const failureOf = (error: unknown): CallFailure => ({
      ...toCallFailure(error, secrets.redact, target.host),
      retryAfterMs: parseCallRetryAfter(error, clock.now()),
    })
    try {
      const connection = target.open()
      const opening = openSubscription(method, request, connection.transport, signal)
      // This listener is added after the listener of the call, so the call is cancelled before its connection
      // is closed.
      addAbortListener(signal, () => notify(() => connection.close()))
      const next = batchReader(method.output, await opening, decoder)
      return { next, toCallFailure: failureOf }
    } catch (error) {
      return failureOf(error)
    }
  }
}

/**
 * Returns the error if it is an error of the toolkit, which contains no secrets. Other errors are discarded.
 */
function safeCause(error: unknown): unknown {
  return isBrokerwireError(error) ? error : undefined
}
