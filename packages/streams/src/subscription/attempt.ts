/**
 * One attempt at a subscription: the token, the request with the cursors of this moment, its signature, the call.
 *
 * What becomes of it is a value. Nothing here throws, and no error is kept that might quote what was sent.
 */
import { type Clock, isBrokerwireError, Secret, type TokenProvider } from '@brokerwire/core'
import { notify, onAbort, revealSecret } from '@brokerwire/core/internal'
import type { DescMessage, DescMethodServerStreaming, MessageShape } from '@bufbuild/protobuf'
import type { CallFailure, NotSent, Recovery, SentCredentials } from '../supervisor/machine-types.ts'
import type { Decoder, MessageBatch } from '../transport/message-batch.ts'
import type { ServiceTarget } from './connection.ts'
import type { AccessTokenRequiredHook, ClockSkewHook } from './hooks.ts'
import { retryAfterOf } from './retry-after.ts'
import { describeFailure, type SentSecrets } from './shown.ts'
import {
  batchesOf,
  openSubscription,
  type SignedRequest,
  type StreamSigner,
  signRequest,
} from './subscribe.ts'

/** An open call. */
export interface OpenCall<Frame> {
  /**
   * Waits for a frame and takes what else was received: at most `maxFrames`, and at most `maxBytes` beyond the first frame,
   * which is always taken.
   *
   * @returns No frames at a clean end. Rejects if the call failed.
   */
  readonly next: (maxFrames: number, maxBytes: number) => Promise<MessageBatch<Frame>>
  /** Describes what `next` rejected with. */
  readonly describeFailure: (error: unknown) => CallFailure
}

export interface AttemptOptions<I extends DescMessage, Frame> {
  readonly signer: StreamSigner
  readonly clock: Clock
  readonly accessTokens: TokenProvider | undefined
  readonly accessTokenRequired: AccessTokenRequiredHook | undefined
  /** Called if the service wants a token and none was sent: for the first such subscription, and again after one with a token. */
  readonly onTokenMissing: () => void
  readonly onClockSkew: ClockSkewHook | undefined
  readonly target: ServiceTarget
  readonly method: DescMethodServerStreaming<I>
  readonly decoder: Decoder<Frame>
  /** Positions by event type for the next request. */
  readonly cursors: () => ReadonlyMap<string, string>
  /** Told what each attempt sends. */
  readonly secrets: SentSecrets
  /** @param cursors - Position by event type, where there is one. */
  request(nowMs: number, cursors: ReadonlyMap<string, string>): MessageShape<I>
}

const HEADER_VALUE = /^[!-~](?:[ -~]*[!-~])?$/

/** The attempts of one stream. Nothing is opened before the first one. */
export class Attempts<I extends DescMessage, Frame> {
  readonly #options: AttemptOptions<I, Frame>
  #lastToken: string | undefined
  /** The token that the service refused, which is not sent again. */
  #withheldToken: string | undefined
  #wasRequiredAsked = false

  constructor(options: AttemptOptions<I, Frame>) {
    this.#options = options
  }

  /** @param signal - Cancels it, also after it was opened: then nobody looks at what it returns. */
  async open(
    signal: AbortSignal,
    onSend: (sent: SentCredentials) => void,
  ): Promise<OpenCall<Frame> | NotSent | CallFailure> {
    const { clock, signer, method } = this.#options
    const token = await this.#getToken(signal)
    if ('step' in token) return token
    let step: NotSent['step'] = 'request'
    try {
      signal.throwIfAborted()
      const accessToken = token.text === this.#withheldToken ? undefined : token.text
      this.#lastToken = accessToken
      const cursors = this.#options.cursors()
      const message = this.#options.request(clock.now(), cursors)
      step = 'signature'
      const request = await signRequest(method.input, message, signer, accessToken)
      signal.throwIfAborted()
      onSend({ tokenSent: accessToken !== undefined, cursorSent: cursors.size > 0 })
      if (accessToken !== undefined) this.#wasRequiredAsked = false
      else void this.#checkIfRequired(signal)
      return await this.#connect(request, signal)
    } catch (error) {
      return { step, retryable: false, cause: safeCause(error) }
    }
  }

  /** After an authentication error: sets the clock right, and looks for another token if one was sent. */
  async recover(
    mode: 'clock' | 'token',
    serverNowMs: number | undefined,
    signal: AbortSignal,
  ): Promise<Recovery> {
    const clock = await this.#correctClock(serverNowMs, signal)
    // If the offset cannot be learned, a fresh timestamp and nonce are still worth the one attempt.
    if (mode === 'clock') return { retry: true, cause: clock.cause }
    const token = await this.#getToken(signal, this.#lastToken)
    if ('step' in token) {
      const { retryable, cause = clock.cause } = token
      return { retry: clock.wasWrong, retryLater: retryable, cause }
    }
    const isOther = token.text !== undefined && token.text !== this.#lastToken
    return { retry: isOther || clock.wasWrong, cause: clock.cause }
  }

  /** Does not send the last token again. Another one is sent. */
  withholdToken(): void {
    this.#withheldToken = this.#lastToken
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

  async #checkIfRequired(signal: AbortSignal): Promise<void> {
    const { accessTokenRequired, onTokenMissing } = this.#options
    if (this.#wasRequiredAsked || accessTokenRequired === undefined) return
    this.#wasRequiredAsked = true
    // An error means that it is not known.
    const isRequired = await Promise.resolve()
      .then(() => accessTokenRequired({ signal }))
      .catch(() => undefined)
    // The next attempt asks again.
    if (signal.aborted) this.#wasRequiredAsked = false
    else if (isRequired === true) onTokenMissing()
  }

  /** @param rejected - The token of the last attempt, if the service rejected it. */
  async #getToken(
    signal: AbortSignal,
    rejected?: string,
  ): Promise<{ readonly text: string | undefined } | NotSent> {
    const step = 'access-token'
    const { accessTokens, target } = this.#options
    // Tokens of one service are not sent to an unknown address.
    if (accessTokens === undefined || (accessTokens.origin !== undefined && target.origin === undefined))
      return { text: undefined }
    try {
      if (rejected !== undefined)
        await accessTokens.reportRejected(new Secret(rejected), { status: 401 }, { signal })
      const provided = await accessTokens.get({ signal })
      const text = provided === undefined ? undefined : (revealSecret(provided.token) ?? '')
      return text === undefined || HEADER_VALUE.test(text) ? { text } : { step, retryable: false }
    } catch (error) {
      return { step, retryable: !isBrokerwireError(error) || error.retryable, cause: safeCause(error) }
    }
  }

  async #connect(request: SignedRequest<I>, signal: AbortSignal): Promise<OpenCall<Frame> | CallFailure> {
    const { target, method, secrets, decoder, clock } = this.#options
    const { headers } = request
    secrets.add(['x-signature', 'x-signature-nonce', 'x-access-token'].map((name) => headers[name] ?? ''))
    const failed = (error: unknown): CallFailure => ({
      ...describeFailure(error, secrets.shown, target.host),
      retryAfterMs: retryAfterOf(error, clock.now()),
    })
    try {
      const connection = target.open()
      const opening = openSubscription(method, request, connection.transport, signal)
      // After the call's own listener: the call is cancelled before its connection is closed.
      onAbort(signal, () => notify(() => connection.close()))
      const next = batchesOf(method.output, await opening, decoder)
      return { next, describeFailure: failed }
    } catch (error) {
      return failed(error)
    }
  }
}

/** Errors of the toolkit alone are known to be free of secrets. */
function safeCause(error: unknown): unknown {
  return isBrokerwireError(error) ? error : undefined
}
