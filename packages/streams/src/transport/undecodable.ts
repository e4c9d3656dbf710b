/** A message that was received and cannot be decoded. The stream goes on after it, because envelopes say where it ends. */

/**
 * - `malformed`: the bytes are no message of the expected type, such as a text that is not UTF-8.
 * - `compression`: the bytes cannot be decompressed.
 * - `too-large`: the message is longer than the limit, as received or once decompressed.
 */
export type UndecodableReason = 'malformed' | 'compression' | 'too-large'

export interface UndecodableMessage {
  readonly reason: UndecodableReason
  /** The reason in words, without content of the message. */
  readonly message: string
  /** A copy of the message: still compressed with `compression`, `undefined` with `too-large`. */
  readonly bytes: Uint8Array | undefined
  /** Length of the message in bytes. */
  readonly length: number
}

/** @returns A message whose bytes from `start` to `end` are copied. */
export function undecodable(
  reason: 'malformed' | 'compression',
  message: string,
  bytes: Uint8Array,
  start: number,
  end: number,
): UndecodableMessage {
  return { reason, message, bytes: new Uint8Array(bytes.subarray(start, end)), length: end - start }
}
