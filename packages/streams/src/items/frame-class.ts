/** The meaning of a frame to the supervisor. The two services number their frames differently; these names are common to both. */

export type FrameClass =
  | 'subscribed'
  | 'ping'
  | 'event'
  | 'auth-error'
  | 'connection-limit'
  | 'expired'
  /** A code that neither the enum nor the list of data codes contains. */
  | 'unknown'

/** Makes a look-up by code. A code that is not in the table is `'unknown'`. */
export function byCode<T>(known: Readonly<Record<number, T>>): (code: number) => T | 'unknown' {
  const kinds = new Array<T | undefined>(1 + Math.max(...Object.keys(known).map(Number)))
  for (const [code, kind] of Object.entries(known)) kinds[Number(code)] = kind
  return (code) => kinds[code] ?? 'unknown'
}

/** Whether frames of this class reach the consumer. All others are control frames. */
export function isDelivered(kind: FrameClass): kind is 'event' | 'unknown' {
  return kind === 'event' || kind === 'unknown'
}

/** Reads what the supervisor needs of a frame. */
export interface FrameReader<Frame> {
  classOf(frame: Frame): FrameClass
  /** The frame's own timestamp, milliseconds since the Unix epoch, if it can be read. */
  serverTimeMs(frame: Frame): number | undefined
  /** The name of the connection, if the service sends one. */
  connectionId?(frame: Frame): string | undefined
}
