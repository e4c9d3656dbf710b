/**
 * The part of JetStream's API that a writer needs, as requests on the caller's connection. The stream's
 * leader responds to all of them. The requests are the same on every server since 2.9. They need no consumer,
 * because its creation is slow in a broken cluster.
 */
import { isRecord, parseJsonObject } from '@brokerwire/core/internal'
import type { NatsConnection } from '@nats-io/nats-core'

/** The part of a NATS connection that is used, for example of a connection of `@nats-io/transport-node`. */
export type NatsConnectionLike = Pick<NatsConnection, 'info' | 'publish' | 'request' | 'subscribe'>

/** An error response of JetStream's API. */
export class JetStreamApiError extends Error {
  readonly code: number
  readonly errorCode: number

  constructor(code: number, errorCode: number, description: string) {
    super(description)
    this.code = code
    this.errorCode = errorCode
  }
}

/** Error codes of JetStream (`err_code`). */
export const JETSTREAM_ERROR = {
  accountResourcesExceeded: 10002,
  insufficientResources: 10023,
  messageNotFound: 10037,
  storageExceeded: 10047,
  messageTooLong: 10054,
  streamNotFound: 10059,
  wrongLastMsgId: 10070,
  wrongLastSequence: 10071,
  storeFailed: 10077,
} as const

/** The highest `max_payload` that a server accepts, bytes. */
export const MAX_SUPPORTED_PAYLOAD = 64 * 1024 * 1024

/**
 * How often a stream is read again if it has fewer messages than are known to be stored. A new leader may
 * respond before it has read its log. With delays of at most two seconds, this takes about a minute.
 */
export const MAX_STALE_READS = 35

/** A stream's configuration, with the names of the API. */
export type StreamConfig = Readonly<Record<string, unknown>>

/** A message as returned by the API. */
export interface RawMessage {
  readonly subject: string
  readonly sequence: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly bytes: Uint8Array
}

export interface JetStreamApi {
  /** Reads the configuration and the state of the stream. */
  info(): Promise<{
    readonly config: StreamConfig
    /** The creation time of the stream. It distinguishes streams of the same name. */
    readonly created: string
    readonly lastSequence: number
    readonly messages: number
  }>
  /** Creates the stream. @returns The configuration that the server applied. */
  create(config: StreamConfig): Promise<StreamConfig>
  /** Reads the file storage that the account's streams use, bytes. */
  storedBytes(): Promise<number>
  /** Reads one message. @returns `undefined` if there is no such message. */
  message(
    which: { readonly seq: number } | { readonly last_by_subj: string },
  ): Promise<RawMessage | undefined>
}

export function createJetStreamApi(
  connection: NatsConnectionLike,
  stream: string,
  options: { readonly timeoutMs: number; readonly domain: string | undefined },
): JetStreamApi {
  const { timeoutMs, domain } = options
  const prefix = domain === undefined ? '$JS.API' : `$JS.${domain}.API`
  const request = async (endpoint: string, body?: object): Promise<Readonly<Record<string, unknown>>> => {
    const payload = body === undefined ? '' : JSON.stringify(body)
    const reply = await connection.request(`${prefix}.${endpoint}`, payload, { timeout: timeoutMs })
    const value = parseJsonObject(reply.string())
    if (value === undefined) throw new Error('a response of JetStream must be a JSON object')
    if (isRecord(value.error)) throw apiError(value.error)
    return value
  }
  const call = (endpoint: string, body?: object) => request(`${endpoint}.${stream}`, body)
  return {
    async info() {
      const { config, created, state } = await call('STREAM.INFO')
      if (!isRecord(config) || !isRecord(state))
        throw new Error('a response of JetStream must describe a stream')
      const [lastSequence, messages] = [Number(state.last_seq), Number(state.messages)]
      return { config, created: String(created), lastSequence, messages }
    },
    async create(config) {
      const { config: made } = await call('STREAM.CREATE', config)
      if (!isRecord(made)) throw new Error('a response of JetStream must describe a stream')
      return made
    },
    async storedBytes() {
      const { storage } = await request('INFO')
      return Number(storage)
    },
    async message(which) {
      try {
        const { message } = await call('STREAM.MSG.GET', which)
        return isRecord(message) ? parseMessage(message) : undefined
      } catch (error) {
        if (error instanceof JetStreamApiError && error.errorCode === JETSTREAM_ERROR.messageNotFound)
          return undefined
        throw error
      }
    },
  }
}

/** Converts the `error` of a response or of an acknowledgement to an `Error`. */
export function apiError(error: Readonly<Record<string, unknown>>): JetStreamApiError {
  return new JetStreamApiError(Number(error.code), Number(error.err_code), String(error.description))
}

function parseMessage(message: Readonly<Record<string, unknown>>): RawMessage {
  const { subject, seq, hdrs, data } = message
  const bytes = Buffer.from(typeof data === 'string' ? data : '', 'base64')
  return {
    subject: String(subject),
    sequence: Number(seq),
    headers: typeof hdrs === 'string' ? parseHeaderLines(Buffer.from(hdrs, 'base64').toString()) : {},
    body: bytes.toString(),
    bytes,
  }
}

/** Parses lines of `name: value` after the version line. */
function parseHeaderLines(text: string): Readonly<Record<string, string>> {
  const headers: [string, string][] = []
  for (const line of text.split('\r\n').slice(1)) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.push([line.slice(0, colon), line.slice(colon + 1).trim()])
  }
  return Object.fromEntries(headers)
}
