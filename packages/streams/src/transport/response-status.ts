/**
 * The status of a call: from the response headers, the trailers, a reset or a lost connection, whichever is first.
 *
 * This module does no I/O: `GrpcCall` passes on the data that its stream received. A status in the headers of
 * a response with a body is used only if there are no trailers.
 */
import type { IncomingHttpHeaders } from 'node:http2'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Compression } from '@connectrpc/connect/protocol'
import { contentTypeError, errorWithoutStatus, quoted, readGrpcStatus, resetError } from './grpc-status.ts'

/** The status of a call: OK or an error. */
export type Status = 'ok' | ConnectError

/** Facts about the end of a stream that are not part of the response. */
export interface StreamEnd {
  /** The code of RST_STREAM; 0 without one. */
  readonly resetCode: number
  /** The error of a lost connection. */
  readonly connectionError: ConnectError | undefined
}

/** A call that the server did not process. */
export interface Unprocessed {
  /** Whether the request was sent. */
  readonly sent: boolean
  /** Number of calls that the server processed on the connection. */
  readonly processed: number
}

/**
 * Returns a value if a GOAWAY shows that the server did not process a call, because the call's stream has a
 * higher id or was not sent yet (RFC 9113, section 6.8). Otherwise returns `undefined`.
 *
 * @param isWaiting - Whether the stream was not sent yet.
 */
export function afterGoaway(id: number, isWaiting: boolean, lastStreamId: number): Unprocessed | undefined {
  // Stream ids of clients are odd.
  return isWaiting || id > lastStreamId
    ? { sent: !isWaiting, processed: Math.ceil(lastStreamId / 2) }
    : undefined
}

/** The headers, trailers and status of one response. */
export class ResponseStatus {
  readonly header: Headers = new Headers()
  readonly trailer: Headers = new Headers()
  /** The status; `undefined` until it is known. */
  status: Status | undefined
  /** The coding of compressed messages, if the headers name one that was offered. */
  compression: Compression | undefined
  /** An error that is more precise than the reset of the stream or the end of the connection. */
  #transportError: ConnectError | undefined
  #httpStatus = 0
  #headerStatus: Status | undefined

  get error(): ConnectError | undefined {
    return this.status instanceof ConnectError ? this.status : undefined
  }

  /** @param isLast - Whether neither a body nor trailers follow. */
  receiveHeaders(headers: IncomingHttpHeaders, isLast: boolean, accepted: readonly Compression[]): void {
    const { header } = this
    copyHeaders(headers, header)
    const httpStatus = Number(headers[':status'] ?? 0)
    this.#httpStatus = httpStatus
    const status = readGrpcStatus(header)
    // A body without gRPC's content type has no messages.
    const notGrpc = httpStatus === 200 ? contentTypeError(header) : errorWithoutStatus(httpStatus, header)
    if (isLast) this.status = status ?? notGrpc ?? this.withoutStatus()
    else if (notGrpc !== undefined) this.status = status instanceof ConnectError ? status : notGrpc
    else {
      this.#headerStatus = status
      this.#readEncoding(accepted)
    }
  }

  receiveTrailers(headers: IncomingHttpHeaders): void {
    copyHeaders(headers, this.trailer)
    this.status ??= readGrpcStatus(this.trailer, this.header)
  }

  /** Called if the request headers are too long to be sent. */
  headersTooLong(): void {
    const text = 'request headers must be at most 64 KiB long'
    this.#transportError = new ConnectError(text, Code.InvalidArgument)
  }

  /**
   * Called with an error of the stream. Records it if nghttp2 rejected data of the server, such as a response
   * in HTTP/1.
   */
  streamError(error: Error): void {
    if (!('code' in error) || error.code !== 'ERR_HTTP2_ERROR') return
    const text = `the server violated HTTP/2: ${error.message}`
    this.#transportError ??= new ConnectError(text, Code.Internal)
  }

  /** Called if the stream ended before the end of the body. */
  lose(end: StreamEnd): void {
    this.status ??= this.#lossOf(end)
  }

  /**
   * Called when the body ended and no trailers follow. Node also emits the end of the body for a reset stream
   * and a lost connection.
   */
  finish(end: StreamEnd): Status {
    const isLost = end.connectionError !== undefined || end.resetCode !== 0
    this.status ??= isLost ? this.#lossOf(end) : (this.#headerStatus ?? this.withoutStatus())
    return this.status
  }

  /** Returns the error of a response without a status. */
  withoutStatus(): ConnectError {
    return errorWithoutStatus(this.#httpStatus, this.header)
  }

  #lossOf({ resetCode, connectionError }: StreamEnd): ConnectError {
    return this.#transportError ?? connectionError ?? resetError(resetCode)
  }

  #readEncoding(accepted: readonly Compression[]): void {
    const given = this.header.get('grpc-encoding') ?? 'identity'
    const encoding = given.toLowerCase()
    if (encoding === 'identity') return
    this.compression = accepted.find(({ name }) => name === encoding)
    if (this.compression !== undefined) return
    const text = `grpc-encoding of a response must be one that was offered; received ${quoted(given)}`
    this.status = new ConnectError(text, Code.Internal, this.header)
  }
}

function copyHeaders(from: IncomingHttpHeaders, to: Headers): void {
  for (const [name, value] of Object.entries(from)) {
    if (name.startsWith(':') || value === undefined) continue
    for (const text of Array.isArray(value) ? value : [value]) to.append(name, text)
  }
}
