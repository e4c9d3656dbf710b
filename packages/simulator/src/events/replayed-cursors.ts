/**
 * Finds the log positions of cursors that the simulator did not encode, because the events were replayed. The
 * log is searched when a subscription uses such a cursor, once for all of them.
 */
import type { EmittedModuleEvent } from './emitted.ts'
import type { EventLog } from './event-log.ts'
import type { PositionCodec } from './positions.ts'

/** Finds the latest event of an event type with this cursor. */
export type FindCursor = (eventType: string, position: string) => number | undefined

/** @param positions - Codecs of the simulator's own cursors, which encode their log position. */
export function createReplayedCursors(
  log: EventLog<EmittedModuleEvent>,
  positions: (eventType: string) => PositionCodec,
): FindCursor {
  let positionsByCursor = new Map<string, number>()
  let indexedUntil = 0
  return (eventType, position) => {
    // Discarded entries stay in the map until they are more than half of it.
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
