/** The union of all that streams yield. */
import type { ModuleEvent } from '@brokerwire/payloads'
import type { ModuleItem } from './module-items.ts'
import type { StreamNotice } from './notices.ts'
import type { TradeStreamEvent } from './trade-items.ts'

/** An item of any stream: an event, or a notice. */
export type StreamItem<Event = ModuleEvent> = TradeStreamEvent | ModuleItem<Event> | StreamNotice
