/**
 * Where cursors point to that the simulator did not write itself: those of replayed events. They are looked for only when
 * a subscription names one, and in one pass over the log however many it names.
 */
import type { EmittedModuleEvent } from './emitted.ts'
import type { EventLog } from './event-log.ts'
import type { PositionCodec } from './positions.ts'

/** Finds the latest event of an event type with this cursor. */
export type FindCursor = (eventType: string, position: string) => number | undefined

/** @param positions - The simulator's own cursors, which say their place by themselves. */
export function createForeignCursors(
  log: EventLog<EmittedModuleEvent>,
  positions: (eventType: string) => PositionCodec,
): FindCursor {
  let places = new Map<string, number>()
  let readTo = 0
  return (eventType, position) => {
    // What was let go of stays in the map until there is more of it than of the rest.
    if (places.size > 2 * (log.end - log.start)) {
      places = new Map()
      readTo = 0
    }
    for (let index = Math.max(readTo, log.start); index < log.end; index += 1) {
      const event = log.at(index)
      if (event === undefined || event.position === '') continue
      if (positions(event.eventType).decode(event.position) === index) continue
      places.set(`${event.eventType}\0${event.position}`, index)
    }
    readTo = log.end
    const found = places.get(`${eventType}\0${position}`)
    return found !== undefined && found >= log.start ? found : undefined
  }
}
