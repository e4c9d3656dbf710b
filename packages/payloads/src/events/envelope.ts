/** What a module event's payload is wrapped in. */
import { instant } from '../combinators/instant.ts'
import { json } from '../combinators/json.ts'
import { optional, record } from '../combinators/record.ts'
import { text } from '../combinators/text.ts'
import type { Infer } from '../decoder.ts'

/** Decodes an envelope; its payload stays JSON. Source: specification, Event envelope. */
export const envelope = record({
  id: text,
  eventType: text,
  /** Opaque; missing in published examples. */
  position: optional(text),
  /** With nanoseconds. */
  timestamp: optional(instant),
  payload: json,
})

/** An envelope. */
export type Envelope = Infer<typeof envelope>
