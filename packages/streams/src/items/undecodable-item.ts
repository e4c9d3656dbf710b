/** Messages of a stream that cannot be decoded, as items in their place among the events. */
import type { UndecodableMessage, UndecodableReason } from '../transport/undecodable.ts'

/**
 * A message that was received and cannot be decoded. The stream goes on after it, on the same connection.
 *
 * It is plain data, has no identity and no position, and is not acknowledged: the cursor moves with the next event. So it
 * may come again after a restart.
 */
export interface UndecodableItem {
  readonly type: 'undecodable'
  readonly kind: 'undecodable'
  readonly service: 'trade' | 'module'
  /**
   * - `malformed`: the bytes are no message of the service, such as a text that is not UTF-8.
   * - `compression`: the bytes cannot be decompressed.
   * - `too-large`: the message is longer than `connection.readMaxBytes`, as received or once decompressed.
   */
  readonly reason: UndecodableReason
  /** The reason in words, without content of the message. */
  readonly message: string
  /** The message: still compressed with `compression`, `undefined` with `too-large`. */
  readonly bytes: Uint8Array | undefined
  /** Length of the message in bytes, as received with `compression` and `too-large`. */
  readonly length: number
  /** Milliseconds since the Unix epoch, on this host's clock. */
  readonly receivedAtMs: number
}

/** Makes the item of a message. */
export function undecodableItem(
  { reason, message, bytes, length }: UndecodableMessage,
  service: UndecodableItem['service'],
  receivedAtMs: number,
): UndecodableItem {
  const type = 'undecodable'
  return { type, kind: type, service, reason, message, bytes, length, receivedAtMs }
}
