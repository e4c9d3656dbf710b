/**
 * The parts of grpc-js that its interceptor uses, as structural types: a project without grpc-js compiles this package too.
 */

/** The metadata of a call. */
export interface GrpcMetadata {
  set(name: string, value: string): void
  get(name: string): unknown[]
  clone(): GrpcMetadata
}

/** The status of a call. */
export interface GrpcStatus {
  readonly code: number
  readonly details: string
  readonly metadata: unknown
  /** grpc-js copies it to the error that the caller receives. */
  readonly cause?: unknown
}

/** The receiver of a response. */
export interface GrpcListener {
  onReceiveStatus?(status: GrpcStatus): void
}

/** The next interceptor, or the call itself: grpc-js' `InterceptingCallInterface`. */
export interface GrpcCall {
  cancelWithStatus(code: number, details: string): void
  getPeer(): string
  start(metadata: GrpcMetadata, listener?: GrpcListener): void
  sendMessageWithContext(context: object, message: unknown): void
  sendMessage(message: unknown): void
  startRead(): void
  halfClose(): void
  getAuthContext(): unknown
}

/** The options of a call that an interceptor receives. */
export interface GrpcCallOptions {
  readonly deadline?: Date | number | undefined
  readonly method_definition: {
    readonly path: string
    readonly requestStream: boolean
    requestSerialize(message: never): Uint8Array
  }
}

/**
 * The exports of grpc-js that the interceptor needs.
 *
 * @typeParam Next - grpc-js' `InterceptingCallInterface`.
 * @typeParam Call - grpc-js' `InterceptingCall`.
 */
export interface GrpcJs<Next, Call> {
  readonly InterceptingCall: new (nextCall: Next) => Call
  readonly Metadata: new () => object
}

/** An interceptor: grpc-js' `Interceptor`. */
export type GrpcInterceptor<Next, Call> = (
  options: GrpcCallOptions,
  nextCall: (options: never) => Next,
) => Call
