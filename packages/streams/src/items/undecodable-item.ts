/** Items for messages that cannot be decoded. */
import type { UndecodableMessage, UndecodableReason } from '../transport/undecodable.ts'

/**
 * A received message that cannot be decoded. The stream continues after it, on the same connection.
 *
 * The item is plain data. It has no id and no position, and cannot be acknowledged. The cursor moves only
 * with the next event, so the message may be received again after a restart.
 */
export interface UndecodableItem {
  /** Distinguishes undecodable messages from events and notices. */
  readonly type: 'undecodable'
  /** Same as `type`, so that every item has a `kind`. */
  readonly kind: 'undecodable'
  /** The service that sent the message. */
  readonly service: 'trade' | 'module'
  /**
   * - `malformed`: the bytes are not a message of the service, for example a string is not UTF-8.
   * - `compression`: the bytes cannot be decompressed.
   * - `too-large`: the message is longer than `connection.readMaxBytes`, as received or after decompression.
   */
  readonly reason: UndecodableReason
  /** The reason in words, without content of the message. */
  readonly message: string
  /**
   * The bytes of the message. They are still compressed if `reason` is `compression`, and `undefined` if it
   * is `too-large`.
   */
  readonly bytes: Uint8Array | undefined
  /** Length of the message in bytes. As received if `reason` is `compression` or `too-large`, otherwise after decompression. */
  readonly length: number
  /** Time of receipt by this host's clock, in milliseconds since the Unix epoch. */
  readonly receivedAtMs: number
}

/** Creates the item of a message. */
export function createUndecodableItem(
  { reason, message, bytes, length }: UndecodableMessage,
  service: UndecodableItem['service'],
  receivedAtMs: number,
): UndecodableItem {
  const type = 'undecodable'
  return { type, kind: type, service, reason, message, bytes, length, receivedAtMs }
}
