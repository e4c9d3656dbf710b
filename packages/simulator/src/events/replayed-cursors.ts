/**
 * Finds the log positions of cursors that the simulator did not encode, because their events were replayed.
 * When a subscription uses such a cursor, the entries that were not searched before are searched for all such
 * cursors.
 */
import type { EmittedModuleEvent } from './emitted.ts'
import type { EventLog } from './event-log.ts'
import type { PositionCodec } from './positions.ts'

/**
 * Returns the log position of the latest event with this event type and this cursor. `undefined` if there is
 * none.
 */
export type FindCursor = (eventType: string, position: string) => number | undefined

/** @param positions - Returns the codec of the cursors that the simulator encodes itself. */
export function createReplayedCursors(
  log: EventLog<EmittedModuleEvent>,
  positions: (eventType: string) => PositionCodec,
): FindCursor {
  let positionsByCursor = new Map<string, number>()
  let indexedUntil = 0
  return (eventType, position) => {
    // Cursors of discarded log entries stay in the map until the map has more than twice as many cursors as
    // the log has entries.
    if (positionsByCursor.size > 2 * (log.end - log.start)) {
      positionsByCursor = new Map()
      indexedUntil = 0
    }
    for (let index = Math.max(indexedUntil, log.start); index < log.end; index += 1) {
      const event = log.at(index)
      if (event === undefined || event.position === '') continue
      if (positions(event.eventType).decode(event.position) === index) continue
      positionsByCursor.set(`${event.eventType}\0${event.position}`, index)
    }
    indexedUntil = log.end
    const found = positionsByCursor.get(`${eventType}\0${position}`)
    return found !== undefined && found >= log.start ? found : undefined
  }
}
