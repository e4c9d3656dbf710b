/**
 * One attempt at a subscription: the token, the request with the cursors of this moment, its signature, the call.
 *
 * What becomes of it is a value. Nothing here throws, and no error is kept that might quote what was sent.
 */
import { isBrokerwireError, onAbort, revealSecret } from '@brokerwire/core'
import type { DescMessage, DescMethodServerStreaming, MessageShape } from '@bufbuild/protobuf'
import type { ServiceTarget, StreamsContext } from '../context.ts'
import type { CallFailure, NotSent, Recovery, SentCredentials } from '../supervisor/machine-types.ts'
import type { Decode, MessageBatch } from '../transport/message-batch.ts'
import { describeFailure } from './failure.ts'
import type { SentSecrets } from './shown.ts'
import { openSubscription, type SignedRequest, signRequest } from './subscribe.ts'

export interface OpenFrames<Frame> {
  /**
   * Waits for a frame, and takes what else is here: at most so many, and not so many bytes after the first.
   *
   * @returns None at a clean end.
   */
  next(maxFrames: number, maxBytes: number): Promise<MessageBatch<Frame> | CallFailure>
}

export interface Attempts<Frame> {
  /** @param signal - Cancels it, also after it was opened: then nobody looks at what it returns. */
  open(
    signal: AbortSignal,
    onSend: (sent: SentCredentials) => void,
  ): Promise<OpenFrames<Frame> | NotSent | CallFailure>
  /** After an authentication error. */
  recover(mode: 'clock' | 'token', serverNowMs: number | undefined, signal: AbortSignal): Promise<Recovery>
}

export interface AttemptOptions<I extends DescMessage, O extends DescMessage, Frame> {
  readonly context: StreamsContext
  readonly target: ServiceTarget
  readonly method: DescMethodServerStreaming<I, O>
  readonly decode: Decode<Frame>
  /** Told what each attempt sends. */
  readonly secrets: SentSecrets
  request(nowMs: number): { readonly message: MessageShape<I>; readonly cursorSent: boolean }
}

const HEADER_VALUE = /^[!-~]+$/
const GIVEN_UP: NotSent = { step: 'access-token', retryable: true }

/** Makes them. Nothing is opened before the first one. */
export function createAttempts<I extends DescMessage, O extends DescMessage, Frame>(
  options: AttemptOptions<I, O, Frame>,
): Attempts<Frame> {
  const { context, target, method, secrets, decode } = options
  let lastToken: string | undefined

  const readToken = async (
    signal: AbortSignal,
    rejected: boolean,
  ): Promise<{ readonly text: string | undefined } | NotSent> => {
    const notSent = (retryable: boolean, cause?: unknown): NotSent => ({
      step: 'access-token',
      retryable,
      cause: safeCause(cause),
    })
    try {
      const token = await context.accessToken?.({ signal, rejected })
      const text = token === undefined ? undefined : (revealSecret(token) ?? '')
      return text === undefined || HEADER_VALUE.test(text) ? { text } : notSent(false)
    } catch (error) {
      return notSent(!isBrokerwireError(error) || error.retryable, error)
    }
  }

  const connect = async (
    request: SignedRequest<I>,
    signal: AbortSignal,
  ): Promise<OpenFrames<Frame> | CallFailure> => {
    const { headers } = request
    secrets.add(['x-signature', 'x-signature-nonce', 'x-access-token'].map((name) => headers[name] ?? ''))
    const failed = (error: unknown): CallFailure => describeFailure(error, secrets.shown, target.host)
    try {
      signal.throwIfAborted()
      const connection = target.open()
      onAbort(signal, () => connection.close())
      const subscription = await openSubscription(method, request, connection.transport, signal)
      return {
        next: (maxFrames, maxBytes) => subscription.nextBatch(decode, maxFrames, maxBytes).catch(failed),
      }
    } catch (error) {
      return failed(error)
    }
  }

  return {
    async open(signal, onSend) {
      const token = await readToken(signal, false)
      if ('step' in token) return token
      if (signal.aborted) return GIVEN_UP
      lastToken = token.text
      let step: NotSent['step'] = 'request'
      try {
        const { message, cursorSent } = options.request(context.clock.now())
        step = 'signature'
        const request = await signRequest(method.input, message, context.signer, token.text)
        if (!signal.aborted) onSend({ tokenSent: token.text !== undefined, cursorSent })
        return await connect(request, signal)
      } catch (error) {
        return { step, retryable: false, cause: safeCause(error) }
      }
    },
    async recover(mode, serverNowMs, signal) {
      if (mode === 'token') {
        const token = await readToken(signal, true)
        return { retry: 'text' in token && token.text !== undefined && token.text !== lastToken }
      }
      // Where the offset cannot be learned, a fresh timestamp and nonce are still worth the one attempt.
      try {
        await context.learnClockOffset?.({ serverNowMs, signal })
        return { retry: true }
      } catch (error) {
        return { retry: true, cause: safeCause(error) }
      }
    },
  }
}

/** Errors of the toolkit alone are known to be free of secrets. */
function safeCause(error: unknown): unknown {
  return isBrokerwireError(error) ? error : undefined
}
