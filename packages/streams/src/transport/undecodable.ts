/** Messages that cannot be decoded. The call continues after them, because envelopes contain the length. */

/**
 * - `malformed`: the bytes are not a message of the expected type, for example a string is not UTF-8.
 * - `compression`: the bytes cannot be decompressed.
 * - `too-large`: the message is longer than the limit, as received or once decompressed.
 */
export type UndecodableReason = 'malformed' | 'compression' | 'too-large'

/** A message that cannot be decoded. */
export interface UndecodableMessage {
  readonly reason: UndecodableReason
  /** The reason in words, without content of the message. */
  readonly message: string
  /** A copy of the message: still compressed with `compression`, `undefined` with `too-large`. */
  readonly bytes: Uint8Array | undefined
  /** Length of the message in bytes. */
  readonly length: number
}

/** Creates an undecodable message with a copy of its bytes. */
export function undecodable(
  reason: 'malformed' | 'compression',
  message: string,
  bytes: Uint8Array,
  start: number,
  end: number,
): UndecodableMessage {
  return { reason, message, bytes: new Uint8Array(bytes.subarray(start, end)), length: end - start }
}
