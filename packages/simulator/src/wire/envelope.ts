/** The JSON envelope inside a module event's payload. */

/** Fields of an envelope. */
export interface EnvelopeFields {
  readonly id: string
  readonly eventType: string
  /** The cursor. If it is empty, the key is omitted, as in published examples. */
  readonly position: string
  readonly timestamp: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** The envelope as compact JSON, with the key order of the wire. */
export function envelopeText(fields: EnvelopeFields): string {
  const { id, eventType, position, timestamp, payload } = fields
  return JSON.stringify({
    id,
    event_type: eventType,
    timestamp,
    payload,
    ...(position === '' ? {} : { position }),
  })
}
