/**
 * The status of a call, from the response's head, its trailers, a reset or a lost connection, whichever comes first.
 *
 * No I/O: `GrpcCall` reports what its stream received. A status in the head of a response that has a body counts only if
 * the body ends without trailers.
 */
import type { IncomingHttpHeaders } from 'node:http2'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Compression } from '@connectrpc/connect/protocol'
import { contentTypeError, errorWithoutStatus, quoted, readGrpcStatus, resetError } from './grpc-status.ts'

/** The server's status; an error is one that ends the call. */
export type Status = 'ok' | ConnectError

/** How a stream ended, apart from what the response says. */
export interface StreamEnd {
  /** Code of RST_STREAM, 0 without one. */
  readonly resetCode: number
  /** Why the connection was lost. */
  readonly connectionError: ConnectError | undefined
}

/** A call that the server did not process. */
export interface Unprocessed {
  /** Whether the server may have seen it. */
  readonly sent: boolean
  /** How many calls the server processed on the connection. */
  readonly processed: number
}

/**
 * RFC 9113, section 6.8: a stream with a higher number was not processed, nor was one that was not sent yet.
 *
 * @param waits - Whether the stream was not sent yet.
 */
export function afterGoaway(id: number, waits: boolean, lastStreamId: number): Unprocessed | undefined {
  // Numbers of calls are odd.
  return waits || id > lastStreamId ? { sent: !waits, processed: Math.ceil(lastStreamId / 2) } : undefined
}

export class ResponseStatus {
  readonly header: Headers = new Headers()
  readonly trailer: Headers = new Headers()
  /** Undefined until it is known. In the end, the error that the call failed with here. */
  status: Status | undefined
  /** The coding of compressed messages, if the head names one that was offered. */
  compression: Compression | undefined
  /** Why the stream failed, if that is known better than by its reset or the connection's end. */
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

  headersTooLong(): void {
    const text = "the request's headers are longer than the 64 KiB that this side sends"
    this.#transportError = new ConnectError(text, Code.InvalidArgument)
  }

  /** nghttp2 refused what the server sent, such as a response in HTTP/1. */
  streamError(error: Error): void {
    if (!('code' in error) || error.code !== 'ERR_HTTP2_ERROR') return
    const text = `the server does not keep to HTTP/2: ${error.message}`
    this.#transportError ??= new ConnectError(text, Code.Internal)
  }

  /** The stream ended before its body did. */
  lose(end: StreamEnd): void {
    this.status ??= this.#lossOf(end)
  }

  /** The body ended, and no trailers follow. Node ends the body of a reset or lost stream in the same way. */
  finish(end: StreamEnd): Status {
    const isLost = end.connectionError !== undefined || end.resetCode !== 0
    this.status ??= isLost ? this.#lossOf(end) : (this.#headerStatus ?? this.withoutStatus())
    return this.status
  }

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
    const text = `the server compresses in a way that was not offered: ${quoted(given)}`
    this.status = new ConnectError(text, Code.Internal, this.header)
  }
}

function copyHeaders(from: IncomingHttpHeaders, to: Headers): void {
  for (const [name, value] of Object.entries(from)) {
    if (name.startsWith(':') || value === undefined) continue
    for (const text of Array.isArray(value) ? value : [value]) to.append(name, text)
  }
}
