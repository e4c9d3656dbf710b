/** The position of a reader, and the sequences that the stream no longer has. */
import { describe, expect, test } from 'vitest'
import { computePosition, parseRecord, removedAfter, serializeRecord } from './position.ts'

const state = (firstSeq: number, ...deleted: number[]) => ({ firstSeq, deleted })
const consumer = (floor: number, delivered: number, deliveries: number, num_ack_pending = 0) => ({
  ack_floor: { stream_seq: floor, consumer_seq: deliveries - num_ack_pending },
  delivered: { stream_seq: delivered, consumer_seq: deliveries },
  num_ack_pending,
})
const record = (sequence: number, deliveries: number, handledAtMost = sequence) => ({
  sequence,
  deliveries,
  handledAtMost,
})
const WINDOW = 20

describe('the position of an existing consumer', () => {
  test.each([
    [
      'is the record of a reader that ended in good order',
      consumer(90, 90, 90),
      record(50, 90),
      state(91),
      50,
      50,
    ],
    [
      'is that record also after a purge has moved the floor',
      consumer(200, 200, 5),
      record(5, 5),
      state(201),
      5,
      5,
    ],
    [
      'is the start of a consumer that delivered nothing',
      consumer(0, 99, 0),
      record(10, 0),
      state(100),
      10,
      10,
    ],
    ['keeps what a record leaves open', consumer(0, 99, 0), record(10, 0, 40), state(100), 10, 40],
    ['is the floor while its message is stored', consumer(60, 70, 70, 10), record(5, 9), state(50), 60, 60],
    ['is the floor without a record', consumer(60, 70, 70, 10), undefined, state(60), 60, 60],
    ['may be before a floor that was removed', consumer(60, 60, 60), record(5, 9), state(61), 40, 60],
    ['may be before a floor that was deleted', consumer(60, 60, 60), record(5, 9), state(50, 60), 40, 60],
    ['is not before the last record', consumer(60, 60, 60), record(55, 9), state(61), 55, 60],
    ['is not before the first message', consumer(3, 3, 3), undefined, state(4), 0, 3],
  ])('%s', (_, found, before, stream, sequence, handledAtMost) => {
    expect(computePosition(found, before, stream, 'auto', WINDOW)).toMatchObject({ sequence, handledAtMost })
  })

  test.each([
    ['is the last record if the floor was removed', consumer(60, 80, 30), record(5, 9), state(61), 5, 60],
    ['is the end of the stream if nothing waits', consumer(60, 80, 30), record(5, 9), state(50), 80, 80],
    ['is the floor if messages wait', consumer(60, 80, 30, 2), record(5, 9), state(50), 60, 60],
  ])('is computed with a filter: %s', (_, found, before, stream, sequence, handledAtMost) => {
    expect(computePosition(found, before, stream, 'auto', undefined)).toMatchObject({
      sequence,
      handledAtMost,
    })
  })

  test.each([
    ['the last delivery', consumer(60, 80, 30, 20), record(5, 0), state(70), 80],
    ['the start if nothing was delivered', consumer(0, 69, 0), record(5, 0), state(70), 5],
  ])('is computed for a shared consumer: %s', (_, found, before, stream, sequence) => {
    expect(computePosition(found, before, stream, 'manual', WINDOW)).toMatchObject({ sequence })
  })
})

test.each([
  ['nothing, if the next sequence is stored', 10, state(11), []],
  ['nothing, in a new stream', 0, state(0), []],
  ['nothing, if the stream has more', 10, state(3, 5, 7), []],
  ['the start of the stream', 10, state(15), [[11, 14]]],
  ['all, if the stream is empty', 10, state(21), [[11, 20]]],
  [
    'single messages',
    10,
    state(3, 5, 12, 14),
    [
      [12, 12],
      [14, 14],
    ],
  ],
  [
    'messages in a row as one range',
    10,
    state(3, 12, 13, 14, 20),
    [
      [12, 14],
      [20, 20],
    ],
  ],
  [
    'the start and single messages',
    10,
    state(15, 17),
    [
      [11, 14],
      [17, 17],
    ],
  ],
])('finds removed sequences after a position: %s', (_, position, stream, expected) => {
  const ranges = removedAfter(position, stream).map(({ fromSeq, toSeq }) => [fromSeq, toSeq])
  expect(ranges).toEqual(expected)
})

test('parses a serialized record', () => {
  const times = { serviceMs: 3, hostMs: undefined }
  const text = serializeRecord({ sequence: 7, handledAtMost: 9, times }, 5)
  expect(text.length).toBeLessThan(200)
  expect(parseRecord(text)).toEqual({ sequence: 7, handledAtMost: 9, deliveries: 5, ...times })
})

test.each([undefined, '', 'a description', 'brokerwire reader {', 'brokerwire reader {"sequence":1}'])(
  'parses no record from %s',
  (description) => {
    expect(parseRecord(description)).toBeUndefined()
  },
)
