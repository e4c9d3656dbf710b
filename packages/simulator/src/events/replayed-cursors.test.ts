import { expect, it } from 'vitest'
import type { EmittedModuleEvent } from './emitted.ts'
import { createEventLog, type EventLog } from './event-log.ts'
import { createPositionCodec } from './positions.ts'
import { createReplayedCursors } from './replayed-cursors.ts'

const codec = (eventType: string) => createPositionCodec(1, eventType)
const event = (eventType: string, position: string): EmittedModuleEvent => ({
  module: undefined,
  id: '',
  eventType,
  position,
  timestamp: '',
  version: '',
  payload: '',
  invented: true,
})

it('the latest position of a replayed cursor is found, but not in another event type or in dropped events', () => {
  const log = createEventLog<EmittedModuleEvent>({ retainedEvents: 3, retainedBytes: 1_000_000 })
  const find = createReplayedCursors(log, codec)
  log.append(event('A', 'one'))
  log.append(event('A', 'two'))
  expect([find('A', 'one'), find('A', 'two'), find('B', 'one'), find('A', '')]).toEqual([
    0,
    1,
    undefined,
    undefined,
  ])
  log.append(event('A', 'one'))
  log.append(event('A', codec('A').encode(3)))
  expect([find('A', 'one'), find('A', codec('A').encode(3))]).toEqual([2, undefined])
  for (let index = 0; index < 10; index += 1) log.append(event('B', `b${index}`))
  expect([find('A', 'one'), find('B', 'b9'), find('B', 'b0')]).toEqual([undefined, 13, undefined])
})

it('each event is read once, however many cursors a subscription has', () => {
  const log = createEventLog<EmittedModuleEvent>({ retainedEvents: 1000, retainedBytes: 1_000_000 })
  for (let index = 0; index < 1000; index += 1) log.append(event('A', `a${index}`))
  let reads = 0
  const counted = Object.create(log, {
    at: {
      value: (index: number) => {
        reads += 1
        return log.at(index)
      },
    },
  }) as EventLog<EmittedModuleEvent>
  const find = createReplayedCursors(counted, codec)
  for (let index = 0; index < 500; index += 1) expect(find('A', `unknown ${index}`)).toBeUndefined()
  expect(reads).toBe(1000)
})
