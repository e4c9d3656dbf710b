/**
 * Sends requests to the receiver of webhooks over one connection, which is kept open. Redirects are not followed,
 * the time of each attempt is limited, and of a response only the status and `Retry-After` are used.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { AbortSignalLike, Clock } from '@brokerwire/core'
import { addAbortListener, parseRetryAfter, throwIfAborted } from '@brokerwire/core/internal'
import {
  createPublicLookup,
  type Lookup,
  PrivateAddressError,
  requirePublicHost,
} from './private-addresses.ts'

/** The response of a receiver. */
export interface ReceiverResponse {
  readonly status: number
  /** The wait that the receiver requested, milliseconds. */
  readonly retryAfterMs: number | undefined
}

export interface ReceiverOptions {
  readonly url: string
  /** Time limit of an attempt, milliseconds. */
  readonly timeoutMs: number
  readonly allowPrivateAddresses: boolean
  readonly clock: Clock
  /** The resolver. @defaultValue the resolver of the system */
  readonly lookup?: Lookup | undefined
}

/** The bytes of a response's body that are read, so that the connection can be used again. */
const MAX_RESPONSE_BYTES = 64 * 1024

export class Receiver {
  readonly #options: ReceiverOptions
  readonly #url: URL
  readonly #agent: HttpAgent

  constructor(options: ReceiverOptions) {
    this.#options = options
    this.#url = new URL(options.url)
    const settings = {
      keepAlive: true,
      maxSockets: 1,
      ...(options.allowPrivateAddresses ? {} : { lookup: createPublicLookup(options.lookup) }),
    }
    this.#agent = this.#url.protocol === 'https:' ? new HttpsAgent(settings) : new HttpAgent(settings)
  }

  /**
   * Sends a request.
   *
   * @throws The error of the connection, which has no secret; the reason of the signal.
   */
  post(
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
    signal: AbortSignalLike,
  ): Promise<ReceiverResponse> {
    const { timeoutMs, clock } = this.#options
    return new Promise((resolve, reject) => {
      // Without this, there would be a request whose errors have no listener.
      throwIfAborted(signal)
      if (!this.#options.allowPrivateAddresses) requirePublicHost(this.#url.hostname)
      const send = this.#url.protocol === 'https:' ? httpsRequest : httpRequest
      const request = send(this.#url, {
        method: 'POST',
        agent: this.#agent,
        headers: { ...headers, 'content-length': String(body.length) },
      })
      const fail = (error: unknown): void => {
        release()
        reject(error)
        request.destroy()
      }
      let response: IncomingMessage | undefined
      const cancel = clock.setTimer(() => {
        if (response === undefined) fail(new Error(`no response within ${timeoutMs} ms`))
        else response.destroy()
      }, timeoutMs)
      const unlink = addAbortListener(signal, fail)
      const release = (): void => {
        cancel()
        unlink()
      }
      // Also handles errors after the end of the attempt.
      request.on('error', fail)
      request.on('response', (received) => {
        response = received
        let bytes = 0
        received.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > MAX_RESPONSE_BYTES) received.destroy()
        })
        // The status counts, even if the body ends early.
        received.on('error', () => {})
        received.on('close', () => {
          release()
          resolve({ status: received.statusCode ?? 0, retryAfterMs: retryAfter(received, clock.now()) })
        })
      })
      request.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

function retryAfter({ headers }: IncomingMessage, nowMs: number): number | undefined {
  const get = (name: string): string | null => {
    const value = headers[name]
    return typeof value === 'string' ? value : null
  }
  return parseRetryAfter({ get }, nowMs)
}

/** Describes an error of a connection: its code if it has one. The messages of Node contain no secret. */
export function describeConnectionError(error: unknown): string {
  if (error instanceof PrivateAddressError) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  // The error of several failed addresses has a code and no message.
  return [code, message].filter(Boolean).join(': ') || 'the connection failed'
}
