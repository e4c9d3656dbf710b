/** The JSON envelope that is the payload of a module event's frame. */

/** Fields of an envelope. */
export interface EnvelopeFields {
  readonly id: string
  readonly eventType: string
  /** The cursor. If it is empty, the key `position` is omitted, as in published examples. */
  readonly position: string
  readonly timestamp: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** Formats the envelope as compact JSON, with its keys in wire order. */
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
