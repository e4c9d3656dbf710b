/** The envelope around the payload of a module event. */
import { instant } from '../combinators/instant.ts'
import { json } from '../combinators/json.ts'
import { object, optional } from '../combinators/object.ts'
import { string } from '../combinators/string.ts'
import type { Infer } from '../decoder.ts'

/** Decodes an envelope; its payload stays JSON. Source: specification, Event envelope. */
export const envelope = object({
  id: string,
  eventType: string,
  /** Opaque; missing in published examples. */
  position: optional(string),
  /** With nanoseconds. */
  timestamp: optional(instant),
  payload: json,
})

/** The envelope around the payload of a module event. */
export type Envelope = Infer<typeof envelope>
