/** Conversion of the service's items to messages for the stream. */
import { createHash, randomBytes } from 'node:crypto'
import type { StreamItem, UndecodableItem } from '@brokerwire/streams'
import type { RelayedFrame } from './frames.ts'
import {
  eventHeaders,
  type Headers,
  noticeHeaders,
  type Oversize,
  oversizedHeaders,
  oversizedUndecodableHeaders,
  undecodableHeaders,
} from './headers.ts'
import type { RelayedNotice } from './notices.ts'
import {
  eventSubject,
  getAccount,
  MAX_TOKEN_LENGTH,
  type MessageSource,
  noticeSubject,
  type Subscription,
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
  /** The body of an undecodable message. In that case, `body` is empty. */
  readonly data?: Uint8Array | undefined
}

/** An event of any subscription. */
export type AnyEvent = Extract<StreamItem<unknown>, { readonly type: 'event' }>

const NO_DATA = new Uint8Array(0)
/** Ids that are longer than this are replaced by their hash. */
const MAX_ID_LENGTH = 200
/** The maximum length of a key, which has a subscription, two tokens and a digest. */
export const MAX_KEY_LENGTH = 2 * MAX_TOKEN_LENGTH + 64

function idToken(name: string): string {
  return subjectToken(name.length > MAX_ID_LENGTH ? name.padEnd(1025, ' ') : name)
}

/** Returns the first half of the SHA-256 of a body. A string is hashed as UTF-8. */
function digest(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, 22)
}

/** Creates the messages of one writer. */
export class EntryFactory {
  readonly #root: string
  readonly #cluster: string
  /**
   * A random id of this run, for messages without an identity. It is needed because a relay may write a
   * stream more than once.
   */
  readonly #runId: string
  #uniqueCount = 0

  /** @param cluster - The cluster whose relay writes the messages. */
  constructor(root: string, incarnation: string, cluster: string) {
    this.#root = root
    this.#cluster = cluster
    this.#runId = `${incarnation}.${randomBytes(6).toString('base64url')}`
  }

  event(subscription: Subscription, item: AnyEvent): SinkEntry {
    const name = item.service === 'module' && item.kind === 'module' ? item.eventType : item.kind
    return {
      subject: eventSubject(this.#root, subscription, getAccount(item.payload), name),
      key: this.#eventKey(subscription, item),
      headers: eventHeaders(toFrame(subscription, item), item.kind, this.#cluster),
      body: item.payload,
    }
  }

  /** Returns the replacement of an oversized message, with its key and without its body. */
  oversized({ subject, key, headers, data }: SinkEntry, oversize: Oversize): SinkEntry {
    if (data === undefined) return { subject, key, headers: oversizedHeaders(headers, oversize), body: '' }
    return {
      subject: subject.replace(/[^.]+$/, 'too-large'),
      key,
      headers: oversizedUndecodableHeaders(headers, oversize),
      body: '',
      data: NO_DATA,
    }
  }

  undecodable(subscription: Subscription, item: UndecodableItem): SinkEntry {
    const { reason, message, length, receivedAtMs, bytes } = item
    return {
      subject: undecodableSubject(this.#root, subscription, reason),
      // Without bytes, two messages cannot be recognized as copies, so the key is unique.
      key: `${subscription}:undecodable:${bytes === undefined ? `~${this.#unique()}` : digest(bytes)}`,
      headers: undecodableHeaders({ subscription, reason, message, length, receivedAtMs }, this.#cluster),
      body: '',
      data: bytes ?? NO_DATA,
    }
  }

  notice(source: MessageSource, notice: RelayedNotice): SinkEntry {
    return {
      subject: noticeSubject(this.#root, source, notice.kind),
      key: `notice:${source}:${notice.kind}:${this.#unique()}`,
      headers: noticeHeaders(source, notice.kind, this.#cluster),
      body: JSON.stringify(notice),
    }
  }

  /** Returns the identity of an event. An event without an id and a position is never a copy. */
  #eventKey(subscription: string, item: AnyEvent): string {
    const name = item.service === 'module' ? item.id : item.requestId
    const position = item.service === 'module' ? item.position : ''
    const named =
      name === '' ? (position === '' ? `~${this.#unique()}` : `@${idToken(position)}`) : idToken(name)
    return `${subscription}:${idToken(String(item.eventType))}:${named}:${digest(item.payload)}`
  }

  #unique(): string {
    this.#uniqueCount += 1
    return `${this.#runId}-${this.#uniqueCount.toString(36)}`
  }
}

function toFrame(subscription: Subscription, item: AnyEvent): RelayedFrame {
  const { timestamp, unknownFields, receivedAtMs } = item
  if (item.service === 'module') {
    const { messageType, id, eventType, position, version } = item
    const names = { subscription: 'module', messageType, id, eventType, position, version } as const
    return { ...names, timestamp, unknownFields, receivedAtMs }
  }
  const { eventType, subscribeType, contentType, requestId } = item
  const names = { eventType, subscribeType, contentType, requestId }
  return {
    subscription: subscription === 'module' ? 'trade' : subscription,
    ...names,
    timestamp,
    unknownFields,
    receivedAtMs,
  }
}
