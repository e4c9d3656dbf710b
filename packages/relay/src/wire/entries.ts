/** Conversion of the service's items to messages for the stream. */
import { createHash, randomBytes } from 'node:crypto'
import type { StreamItem, UndecodableItem } from '@brokerwire/streams'
import type { RelayedFrame } from './frames.ts'
import {
  eventHeaders,
  type Headers,
  noticeHeaders,
  type TooLarge,
  tooLargeHeaders,
  undecodableHeaders,
  undecodableTooLargeHeaders,
} from './headers.ts'
import type { RelayedNotice } from './notices.ts'
import {
  eventSubject,
  getAccount,
  MAX_TOKEN_LENGTH,
  noticeSubject,
  type RelayStream,
  subjectToken,
  undecodableSubject,
} from './subjects.ts'

/** A message to store in a stream. */
export interface SinkEntry {
  /** The subject of the message. */
  readonly subject: string
  /** The identity of an event, the same for all its copies: event type, id or request id, and a digest of the body. */
  readonly key: string
  /** The headers of the message. */
  readonly headers: Headers
  /** The payload as received, or a notice as JSON. */
  readonly body: string
  /** The body of an undecodable message, instead of `body`, which is empty. */
  readonly data?: Uint8Array | undefined
}

/** An event of any stream. */
export type AnyEvent = Extract<StreamItem<unknown>, { readonly type: 'event' }>

const NO_DATA = new Uint8Array(0)
/** Longer ids are replaced by their hash. */
const MAX_ID_LENGTH = 200
/** The longest key: a stream, two tokens and a digest. */
export const MAX_KEY_LENGTH = 2 * MAX_TOKEN_LENGTH + 64

function idToken(name: string): string {
  return subjectToken(name.length > MAX_ID_LENGTH ? name.padEnd(1025, ' ') : name)
}

/** The first half of the SHA-256 of a body, a string as UTF-8. */
function digest(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, 22)
}

/** Creates the messages of one writer. */
export class EntryFactory {
  readonly #root: string
  readonly #cluster: string
  /** A random id of this writer, for messages without an identity: a relay may write a stream more than once. */
  readonly #writerId: string
  #uniqueCount = 0

  /** @param cluster - The cluster whose relay writes the messages. */
  constructor(root: string, incarnation: string, cluster: string) {
    this.#root = root
    this.#cluster = cluster
    this.#writerId = `${incarnation}.${randomBytes(6).toString('base64url')}`
  }

  event(stream: 'trade' | 'position' | 'module', item: AnyEvent): SinkEntry {
    const name = item.service === 'module' && item.kind === 'module' ? item.eventType : item.kind
    return {
      subject: eventSubject(this.#root, stream, getAccount(item.payload), name),
      key: this.#eventKey(stream, item),
      headers: eventHeaders(toFrame(stream, item), item.kind, this.#cluster),
      body: item.payload,
    }
  }

  /** The replacement of a message that is too large: with its key, and without its body. */
  tooLarge({ subject, key, headers, data }: SinkEntry, tooLarge: TooLarge): SinkEntry {
    if (data === undefined) return { subject, key, headers: tooLargeHeaders(headers, tooLarge), body: '' }
    return {
      subject: subject.replace(/[^.]+$/, 'too-large'),
      key,
      headers: undecodableTooLargeHeaders(headers, tooLarge),
      body: '',
      data: NO_DATA,
    }
  }

  undecodable(stream: 'trade' | 'position' | 'module', item: UndecodableItem): SinkEntry {
    const { reason, message, length, receivedAtMs, bytes } = item
    return {
      subject: undecodableSubject(this.#root, stream, reason),
      // Without bytes, two messages cannot be recognized as copies.
      key: `${stream}:undecodable:${bytes === undefined ? `~${this.#unique()}` : digest(bytes)}`,
      headers: undecodableHeaders({ stream, reason, message, length, receivedAtMs }, this.#cluster),
      body: '',
      data: bytes ?? NO_DATA,
    }
  }

  notice(stream: RelayStream, notice: RelayedNotice): SinkEntry {
    return {
      subject: noticeSubject(this.#root, stream, notice.kind),
      key: `notice:${stream}:${notice.kind}:${this.#unique()}`,
      headers: noticeHeaders(stream, notice.kind, this.#cluster),
      body: JSON.stringify(notice),
    }
  }

  /** The identity of an event. An event without an id is never a copy. */
  #eventKey(stream: string, item: AnyEvent): string {
    const name = item.service === 'module' ? item.id : item.requestId
    const position = item.service === 'module' ? item.position : ''
    const named =
      name === '' ? (position === '' ? `~${this.#unique()}` : `@${idToken(position)}`) : idToken(name)
    return `${stream}:${idToken(String(item.eventType))}:${named}:${digest(item.payload)}`
  }

  #unique(): string {
    this.#uniqueCount += 1
    return `${this.#writerId}-${this.#uniqueCount.toString(36)}`
  }
}

function toFrame(stream: 'trade' | 'position' | 'module', item: AnyEvent): RelayedFrame {
  const { timestamp, unknownFields, receivedAtMs } = item
  if (item.service === 'module') {
    const { messageType, id, eventType, position, version } = item
    const names = { stream: 'module', messageType, id, eventType, position, version } as const
    return { ...names, timestamp, unknownFields, receivedAtMs }
  }
  const { eventType, subscribeType, contentType, requestId } = item
  const names = { eventType, subscribeType, contentType, requestId }
  return { stream: stream === 'module' ? 'trade' : stream, ...names, timestamp, unknownFields, receivedAtMs }
}
