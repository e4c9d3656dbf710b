/**
 * Classes of frames. A frame is one message of a subscription.
 *
 * The two services number their messages differently; the supervisor only needs these classes. Control frames are about the
 * subscription, and are not delivered to the consumer.
 */

/** The meaning of a frame for the supervisor. */
export type FrameClass =
  | 'subscribed'
  | 'ping'
  | 'event'
  | 'auth-error'
  | 'connection-limit'
  | 'expired'
  /** A code that is neither in the enum of the service nor in the list of data codes. */
  | 'unknown'

/** Creates a lookup function from a table by code. It returns `'unknown'` for a code that is not in the table. */
export function lookupByCode<T>(table: Readonly<Record<number, T>>): (code: number) => T | 'unknown' {
  const values = new Array<T | undefined>(1 + Math.max(...Object.keys(table).map(Number)))
  for (const [code, value] of Object.entries(table)) values[Number(code)] = value
  return (code) => values[code] ?? 'unknown'
}

/** Whether frames of this class are delivered to the consumer. All others are control frames. */
export function isDelivered(frameClass: FrameClass): frameClass is 'event' | 'unknown' {
  return frameClass === 'event' || frameClass === 'unknown'
}

/** Reads what the supervisor needs from a frame. */
export interface FrameReader<Frame> {
  /** Returns the class of a frame. */
  classify(frame: Frame): FrameClass
  /** Returns the frame's timestamp in milliseconds since the Unix epoch, or `undefined` if it cannot be parsed. */
  serverTimeMs(frame: Frame): number | undefined
  /** Returns the service's id of the connection, if the frame has one. */
  connectionId?(frame: Frame): string | undefined
}
