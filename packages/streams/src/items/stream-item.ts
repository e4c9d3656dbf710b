/** What a stream consists of, whatever its events are. */
import type { StreamNotice } from './notices.ts'
import type { UndecodableItem } from './undecodable-item.ts'

/** An item of a stream: an event, a message that cannot be decoded, or a notice. */
export type ItemOf<Event> = Event | UndecodableItem | StreamNotice
