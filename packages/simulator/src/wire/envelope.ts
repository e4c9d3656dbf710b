/** The JSON envelope inside a module event's payload. */

/** What an envelope says. */
export interface EnvelopeFields {
  readonly id: string
  readonly eventType: string
  /** Empty: the key is left out, as published examples do. */
  readonly position: string
  readonly timestamp: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** The envelope as compact JSON; the wire's key order. */
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
