/**
 * A call of grpc-js that starts once its message is signed.
 *
 * grpc-js sends the metadata before it knows the message. So this call keeps both, signs the message, and then makes the next call
 * with the signature in the metadata. It delivers the status itself if the call ends before that.
 */
import { systemClock } from '@brokerwire/core'
import { createHostController } from '@brokerwire/core/internal'
import { SignerError } from '../signer-error.ts'
import type { GrpcCall, GrpcCallOptions, GrpcListener, GrpcMetadata, GrpcStatus } from './grpc-js-types.ts'
import type { SignRequestBytes } from './request-signer.ts'

/** Codes of gRPC. */
const DEADLINE_EXCEEDED = 4
const UNIMPLEMENTED = 12
const INTERNAL = 13
/** The code that grpc-js uses when its own call credentials fail. */
const UNAUTHENTICATED = 16

/** The parts of its interceptor that a call uses. */
export interface SigningCallContext {
  readonly sign: SignRequestBytes
  readonly options: GrpcCallOptions
  /** Makes the next call. */
  readonly makeCall: () => GrpcCall
  /** Creates empty metadata. */
  readonly createMetadata: () => object
}

export class SigningCall implements GrpcCall {
  readonly #context: SigningCallContext
  readonly #controller = createHostController()
  #metadata: GrpcMetadata | undefined
  #listener: GrpcListener | undefined
  /** The next call, after the signature. */
  #call: GrpcCall | undefined
  #isReading = false
  #isHalfClosed = false
  #hasEnded = false
  #clearDeadline = (): void => {}

  constructor(context: SigningCallContext) {
    this.#context = context
  }

  start(metadata: GrpcMetadata, listener?: GrpcListener): void {
    // A copy, because the caller may use its metadata for several calls.
    this.#metadata = metadata.clone()
    this.#listener = listener
    const { method_definition: method, deadline } = this.#context.options
    if (method.requestStream) {
      const message = `the method must be unary or server streaming, because a signature covers one message; received ${method.path}`
      this.#fail(UNIMPLEMENTED, new SignerError('SIGNER_METHOD_UNSUPPORTED', message, { details: METHOD }))
    } else if (metadata.get('x-app-secret').length > 0) {
      const message = 'x-app-secret must not be sent: remove it from the metadata'
      this.#fail(INTERNAL, new SignerError('SIGNER_HEADER_FORBIDDEN', message, { details: APP_SECRET }))
    } else this.#startDeadline(Number(deadline ?? Number.POSITIVE_INFINITY))
  }

  sendMessageWithContext(context: object, message: unknown): void {
    if (this.#call !== undefined) this.#call.sendMessageWithContext(context, message)
    else if (!this.#hasEnded) void this.#send(context, message)
  }

  sendMessage(message: unknown): void {
    this.sendMessageWithContext({}, message)
  }

  startRead(): void {
    this.#isReading = true
    this.#call?.startRead()
  }

  halfClose(): void {
    this.#isHalfClosed = true
    this.#call?.halfClose()
  }

  cancelWithStatus(code: number, details: string): void {
    if (this.#call !== undefined) this.#call.cancelWithStatus(code, details)
    else this.#end({ code, details })
  }

  /** The address of the server. Empty before the message is signed. */
  getPeer(): string {
    return this.#call?.getPeer() ?? ''
  }

  getAuthContext(): unknown {
    return this.#call?.getAuthContext() ?? null
  }

  async #send(context: object, message: unknown): Promise<void> {
    const { sign, options, makeCall } = this.#context
    const serialize = (): Uint8Array => options.method_definition.requestSerialize(message as never)
    let bytes: Uint8Array
    try {
      bytes = serialize()
    } catch (error) {
      this.#fail(INTERNAL, error, 'serializing the request failed')
      return
    }
    let headers: Readonly<Record<string, string>>
    try {
      headers = await sign(bytes, this.#controller.signal)
    } catch (error) {
      this.#fail(UNAUTHENTICATED, error, 'signing the request failed')
      return
    }
    const metadata = this.#metadata
    if (this.#hasEnded || metadata === undefined) return
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
    try {
      // grpc-js serializes the message again, without a pause after this check.
      if (!isEqual(serialize(), bytes)) throw changed()
      this.#clearDeadline()
      const call = makeCall()
      this.#call = call
      call.start(metadata, this.#listener)
      if (this.#isReading) call.startRead()
      call.sendMessageWithContext(context, message)
      if (this.#isHalfClosed) call.halfClose()
    } catch (error) {
      this.#fail(INTERNAL, error)
    }
  }

  #startDeadline(deadlineMs: number): void {
    const message = 'the deadline was exceeded before the request was signed'
    const end = (): void => this.#end({ code: DEADLINE_EXCEEDED, details: message })
    if (deadlineMs < Number.POSITIVE_INFINITY)
      this.#clearDeadline = systemClock.setTimer(end, deadlineMs - systemClock.now())
  }

  #fail(code: number, cause: unknown, subject?: string): void {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const details = subject === undefined ? reason : `${subject}: ${reason}`
    if (this.#call !== undefined) this.#call.cancelWithStatus(code, details)
    else this.#end({ code, details, cause })
  }

  /** Ends the call before the next call was made. */
  #end(status: Omit<GrpcStatus, 'metadata'>): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#clearDeadline()
    this.#controller.abort(new Error(status.details))
    // Later, because the caller adds its listeners after `start()`.
    const metadata = this.#context.createMetadata()
    void Promise.resolve().then(() => this.#listener?.onReceiveStatus?.({ ...status, metadata }))
  }
}

const METHOD = { field: 'method', expected: 'unary or server streaming' }
const APP_SECRET = { field: 'x-app-secret', expected: 'absent' }

function changed(): SignerError {
  const message = 'the message must not change while it is signed: pass a copy'
  return new SignerError('SIGNER_MESSAGE_CHANGED', message, {
    details: { field: 'message', expected: 'unchanged' },
  })
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}
