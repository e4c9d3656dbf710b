/** The items of a stream, for any type of events. */
import type { StateItem } from '@brokerwire/core'
import type { StreamNotice } from './notices.ts'
import type { UndecodableItem } from './undecodable-item.ts'

/** An item in the queue of a stream: an event, a message that cannot be decoded, a notice, or a state of a backfill. */
export type QueuedItem<Event> = Event | UndecodableItem | StreamNotice | StateItem
