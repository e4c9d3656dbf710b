/** The checkpoint of a reader, and the sequences that the stream no longer has. */
import { describe, expect, test } from 'vitest'
import { computeCheckpoint, parseCheckpoint, removedAfter, serializeCheckpoint } from './checkpoint.ts'

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
/** The number of messages that a reader can have received and not handled. */
const WINDOW = 20

describe('the checkpoint of an existing consumer', () => {
  test.each(
    Object.entries({
      'is the record of a reader that ended normally': {
        found: consumer(90, 90, 90),
        before: record(50, 90),
        stream: state(91),
        expected: { sequence: 50, handledAtMost: 50 },
      },
      'is that record even if a purge has moved the ack floor': {
        found: consumer(200, 200, 5),
        before: record(5, 5),
        stream: state(201),
        expected: { sequence: 5, handledAtMost: 5 },
      },
      'is the start of a consumer that delivered nothing': {
        found: consumer(0, 99, 0),
        before: record(10, 0),
        stream: state(100),
        expected: { sequence: 10, handledAtMost: 10 },
      },
      'keeps the range of messages that may have been handled': {
        found: consumer(0, 99, 0),
        before: record(10, 0, 40),
        stream: state(100),
        expected: { sequence: 10, handledAtMost: 40 },
      },
      'is the ack floor while its message is stored': {
        found: consumer(60, 70, 70, 10),
        before: record(5, 9),
        stream: state(50),
        expected: { sequence: 60, handledAtMost: 60 },
      },
      'is the ack floor if there is no record': {
        found: consumer(60, 70, 70, 10),
        before: undefined,
        stream: state(60),
        expected: { sequence: 60, handledAtMost: 60 },
      },
      'may be before an ack floor whose message the limits of the stream removed': {
        found: consumer(60, 60, 60),
        before: record(5, 9),
        stream: state(61),
        expected: { sequence: 40, handledAtMost: 60 },
      },
      'may be before an ack floor whose message was deleted': {
        found: consumer(60, 60, 60),
        before: record(5, 9),
        stream: state(50, 60),
        expected: { sequence: 40, handledAtMost: 60 },
      },
      'is not before the last record': {
        found: consumer(60, 60, 60),
        before: record(55, 9),
        stream: state(61),
        expected: { sequence: 55, handledAtMost: 60 },
      },
      'is not before the first message': {
        found: consumer(3, 3, 3),
        before: undefined,
        stream: state(4),
        expected: { sequence: 0, handledAtMost: 3 },
      },
    }),
  )('%s', (_, { found, before, stream, expected }) => {
    expect(computeCheckpoint(found, before, stream, 'auto', WINDOW)).toMatchObject(expected)
  })

  test.each(
    Object.entries({
      'is the last record if the message at the ack floor was removed': {
        found: consumer(60, 80, 30),
        stream: state(61),
        expected: { sequence: 5, handledAtMost: 60 },
      },
      'is the last delivered sequence if no message waits for its acknowledgement': {
        found: consumer(60, 80, 30),
        stream: state(50),
        expected: { sequence: 80, handledAtMost: 80 },
      },
      'is the ack floor if messages wait for their acknowledgement': {
        found: consumer(60, 80, 30, 2),
        stream: state(50),
        expected: { sequence: 60, handledAtMost: 60 },
      },
    }),
  )('with a filter, %s', (_, { found, stream, expected }) => {
    expect(computeCheckpoint(found, record(5, 9), stream, 'auto', undefined)).toMatchObject(expected)
  })

  test.each(
    Object.entries({
      'is the last delivered sequence': { found: consumer(60, 80, 30, 20), expected: { sequence: 80 } },
      'is the start if nothing was delivered': { found: consumer(0, 69, 0), expected: { sequence: 5 } },
    }),
  )('of several processes, %s', (_, { found, expected }) => {
    expect(computeCheckpoint(found, record(5, 0), state(70), 'manual', WINDOW)).toMatchObject(expected)
  })
})

describe('removed sequences after a sequence', () => {
  test.each(
    Object.entries({
      'do not exist if the next sequence is stored': { after: 10, stream: state(11), ranges: [] },
      'do not exist in a new stream': { after: 0, stream: state(0), ranges: [] },
      'do not exist if only earlier messages were removed': { after: 10, stream: state(3, 5, 7), ranges: [] },
      'are the start of the stream': { after: 10, stream: state(15), ranges: [{ fromSeq: 11, toSeq: 14 }] },
      'are all sequences if the stream is empty': {
        after: 10,
        stream: state(21),
        ranges: [{ fromSeq: 11, toSeq: 20 }],
      },
      'are single messages': {
        after: 10,
        stream: state(3, 5, 12, 14),
        ranges: [
          { fromSeq: 12, toSeq: 12 },
          { fromSeq: 14, toSeq: 14 },
        ],
      },
      'are one range for adjacent messages': {
        after: 10,
        stream: state(3, 12, 13, 14, 20),
        ranges: [
          { fromSeq: 12, toSeq: 14 },
          { fromSeq: 20, toSeq: 20 },
        ],
      },
      'are the start of the stream and single messages': {
        after: 10,
        stream: state(15, 17),
        ranges: [
          { fromSeq: 11, toSeq: 14 },
          { fromSeq: 17, toSeq: 17 },
        ],
      },
    }),
  )('%s', (_, { after, stream, ranges }) => {
    expect(removedAfter(after, stream)).toEqual(ranges)
  })
})

describe('the record of a checkpoint', () => {
  test('is parsed as it was serialized', () => {
    const times = { serviceMs: 3, hostMs: undefined }
    const text = serializeCheckpoint({ sequence: 7, handledAtMost: 9, times }, 5)
    expect(text.length).toBeLessThan(200)
    expect(parseCheckpoint(text)).toEqual({ sequence: 7, handledAtMost: 9, deliveries: 5, ...times })
  })

  test.each([undefined, '', 'a description', 'brokerwire reader {', 'brokerwire reader {"sequence":1}'])(
    'is not found in the description %j',
    (description) => {
      expect(parseCheckpoint(description)).toBeUndefined()
    },
  )
})
