/** The event log, which evaluates the runs with faults, finds each kind of error. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SentEvent } from '../service-process.ts'
import {
  compareIds,
  type LogNotice,
  readEventLog,
  reversedGaps,
  unreported,
  waitForEventLog,
} from './event-log.ts'

test.each([
  ['all of it', ['a', 'b', 'c'], { missing: 0, invented: 0, duplicates: 0, inOrder: true }],
  ['one missing', ['a', 'c'], { missing: 1, invented: 0, duplicates: 0, inOrder: true }],
  ['one invented', ['a', 'b', 'x', 'c'], { missing: 0, invented: 1, duplicates: 0, inOrder: true }],
  ['one twice', ['a', 'b', 'b', 'c'], { missing: 0, invented: 0, duplicates: 1, inOrder: true }],
  ['two swapped', ['b', 'a', 'c'], { missing: 0, invented: 0, duplicates: 0, inOrder: false }],
])('%s', (_, handled, verdict) => {
  expect(compareIds(handled, ['a', 'b', 'c'])).toEqual(verdict)
})

test('ignores an incomplete last line, and fails if the event does not arrive before the deadline', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-event-log-'))
  const file = join(folder, 'handled.txt')
  writeFileSync(file, 'N {"kind":"thrown"}\nE a\nE b\nE c-is-cut')
  expect(readEventLog(file)).toEqual({ ids: ['a', 'b'], notices: [{ kind: 'thrown' }], idsBefore: [0] })
  await expect(waitForEventLog(file, 'three', ({ ids }) => ids.length === 3, 20)).rejects.toThrow('three')
  rmSync(folder, { recursive: true })
})

const gap = (fromMs: number | undefined, toMs: number | undefined): LogNotice => ({
  type: 'notice',
  kind: 'gap',
  cause: 'retention',
  atMs: 0,
  fromSeq: 1,
  toSeq: 2,
  certain: true,
  fromMs,
  toMs,
  hostFromMs: fromMs,
  hostToMs: toMs,
  clockOffsetMs: undefined,
  eventTypes: undefined,
})
const sent: readonly SentEvent[] = [
  { stream: 'order', id: 'a', atMs: 10 },
  { stream: 'order', id: 'b', atMs: 20 },
  { stream: 'order', id: 'c', atMs: 30 },
]

test.each([
  ['no gap', [], ['b']],
  ['a gap around the event', [gap(15, 25)], []],
  ['a gap that ends at the event', [gap(15, 20)], []],
  ['a gap before the event', [gap(11, 19)], ['b']],
  ['a gap after the event', [gap(21, 29)], ['b']],
])('a missing event is unreported unless it is inside of a gap: %s', (_, notices, expected) => {
  const found = unreported({ ids: ['a', 'c'], notices, idsBefore: notices.map(() => 1) }, sent)
  expect(found.map(({ id }) => id)).toEqual(expected)
})

test.each([
  [0, []],
  [1, []],
  [2, ['b']],
])('a gap without a start begins with the last event before it: after %i events', (before, expected) => {
  const found = unreported({ ids: ['a', 'c'], notices: [gap(undefined, 40)], idsBefore: [before] }, sent)
  expect(found.map(({ id }) => id)).toEqual(expected)
})

test('a gap without an end ends with the first event after it', () => {
  const eventLog = { ids: ['a', 'c'], notices: [gap(15, undefined)], idsBefore: [1] }
  expect(unreported(eventLog, [...sent, { stream: 'order', id: 'd', atMs: 40 }]).map(({ id }) => id)).toEqual(
    ['d'],
  )
})

test('counts gaps that end before they start', () => {
  expect(reversedGaps({ ids: [], notices: [gap(1, 2), gap(2, 1), gap(undefined, 1)], idsBefore: [] })).toBe(1)
})
