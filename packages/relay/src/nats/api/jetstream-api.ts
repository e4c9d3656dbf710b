/**
 * The part of JetStream's API that a writer needs, as requests on the caller's connection. All of them are answered by the
 * stream's leader. They are the same on every server since 2.9, and need no consumer, which a broken cluster is slow to make.
 */
import { isRecord, parseJsonObject } from '@brokerwire/core/internal'
import type { NatsConnection } from '@nats-io/nats-core'

/** The connection, as far as it is used: that of `@nats-io/transport-node` fits. */
export type NatsConnectionLike = Pick<NatsConnection, 'info' | 'publish' | 'request' | 'subscribe'>

/** An answer that is an error. */
export class JetStreamApiError extends Error {
  readonly code: number
  readonly errorCode: number

  constructor(code: number, errorCode: number, description: string) {
    super(description)
    this.code = code
    this.errorCode = errorCode
  }
}

/** Numbers of JetStream's errors. */
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

/** `max_payload` where nobody can raise it any more, bytes. */
export const MAX_SUPPORTED_PAYLOAD = 64 * 1024 * 1024

/**
 * How often a stream that ends before what is known of it is looked at again, at most two seconds apart: a new leader may
 * answer before it has read its own log to the end, and a busy one is slow. It is given a minute.
 */
export const MAX_STALE_READS = 35

/** A stream's configuration, under the names of the API. */
export type StreamConfig = Readonly<Record<string, unknown>>

/** A message as the API gives it. */
export interface RawMessage {
  readonly subject: string
  readonly sequence: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface JetStreamApi {
  info(): Promise<{
    readonly config: StreamConfig
    /** When the stream was made: another one of the same name has another instant. */
    readonly created: string
    readonly lastSequence: number
    readonly messages: number
  }>
  create(config: StreamConfig): Promise<StreamConfig>
  /** Bytes of files that the account's streams take. */
  storedBytes(): Promise<number>
  /** @returns `undefined` where there is none. */
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
    if (value === undefined) throw new Error('JetStream answered with no JSON object')
    if (isRecord(value.error)) throw apiError(value.error)
    return value
  }
  const call = (endpoint: string, body?: object) => request(`${endpoint}.${stream}`, body)
  return {
    async info() {
      const { config, created, state } = await call('STREAM.INFO')
      if (!isRecord(config) || !isRecord(state)) throw new Error('JetStream described no stream')
      const [lastSequence, messages] = [Number(state.last_seq), Number(state.messages)]
      return { config, created: String(created), lastSequence, messages }
    },
    async create(config) {
      const { config: made } = await call('STREAM.CREATE', config)
      if (!isRecord(made)) throw new Error('JetStream described no stream')
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

/** The error of an answer, or of an acknowledgement. */
export function apiError(error: Readonly<Record<string, unknown>>): JetStreamApiError {
  return new JetStreamApiError(Number(error.code), Number(error.err_code), String(error.description))
}

function parseMessage(message: Readonly<Record<string, unknown>>): RawMessage {
  const { subject, seq, hdrs, data } = message
  return {
    subject: String(subject),
    sequence: Number(seq),
    headers: typeof hdrs === 'string' ? parseHeaderLines(Buffer.from(hdrs, 'base64').toString()) : {},
    body: typeof data === 'string' ? Buffer.from(data, 'base64').toString() : '',
  }
}

/** Lines of `name: value` behind a first one that names the version. */
function parseHeaderLines(text: string): Readonly<Record<string, string>> {
  const headers: [string, string][] = []
  for (const line of text.split('\r\n').slice(1)) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.push([line.slice(0, colon), line.slice(colon + 1).trim()])
  }
  return Object.fromEntries(headers)
}
