/** `verify()` finds each kind of error. */
import { expect, test } from 'vitest'
import { HEADER } from '../../../packages/relay/src/wire/headers.ts'
import { WRITER_HEADER } from './sink-place.ts'
import { type SentEvent, type StoredMessage, takeovers, verify } from './verify.ts'

let sequence = 0
const message = (writer: string, headers: object, body: string, storedAtMs = 0): StoredMessage => {
  sequence += 1
  return { sequence, storedAtMs, headers: { ...headers, [WRITER_HEADER]: writer }, body }
}
const event = (id: string, stream: SentEvent['stream'] = 'module', writer = 'w-1'): StoredMessage => {
  const name = stream === 'module' ? HEADER.id : HEADER.requestId
  const headers = { [HEADER.type]: 'event', [HEADER.source]: stream, [name]: id }
  return message(writer, headers, `payload of ${id}`)
}
const notice = (stream: string, kind: string, body: object, writer = 'w-1', atMs = 0): StoredMessage => {
  const headers = { [HEADER.type]: 'notice', [HEADER.source]: stream, [HEADER.kind]: kind }
  return message(writer, headers, JSON.stringify(body), atMs)
}
const taken = (relay: string, writer = 'w-1', atMs = 0): StoredMessage =>
  notice('relay', 'writer-changed', { state: 'acquired', relay }, writer, atMs)
const sent = (id: string, stream: SentEvent['stream'] = 'module', atMs = 50): SentEvent => {
  const eventType = stream === 'module' ? 'APPLICATION' : stream
  return { stream, eventType, id, atMs, payload: `payload of ${id}` }
}

const ERRORS =
  'missing duplicates outOfOrder invented altered unexplained duplicateTrades openGaps fromEarlierWriter'
const RIGHT = Object.fromEntries(ERRORS.split(' ').map((name) => [name, 0]))
const MODULES = [sent('a'), sent('b'), sent('c')]
const gap = (fromMs: number | undefined, toMs: number): StoredMessage =>
  notice('trade', 'gap', { fromMs, toMs, atMs: toMs })

test.each([
  ['all of it', [event('a'), event('b'), event('c')], {}],
  ['one missing', [event('a'), event('c')], { missing: 1 }],
  ['one twice', [event('a'), event('b'), event('b'), event('c')], { duplicates: 1 }],
  ['two swapped', [event('b'), event('a'), event('c')], { outOfOrder: 1 }],
  ['one invented', [event('a'), event('b'), event('x'), event('c')], { invented: 1 }],
  ['one altered', [event('a'), { ...event('b'), body: 'other' }, event('c')], { altered: 1 }],
  [
    'one of an earlier writer',
    [event('a'), taken('two', 'w-2'), event('b'), event('c', 'module', 'w-2')],
    { fromEarlierWriter: 1 },
  ],
])('module events: %s', (_, stored, verdict) => {
  expect(verify([taken('one'), ...stored], MODULES)).toMatchObject({ ...RIGHT, ...verdict })
})

test.each([
  ['present', [event('t', 'trade')], {}],
  ['present twice', [event('t', 'trade'), event('t', 'trade')], { duplicateTrades: 1 }],
  ['in a gap', [gap(40, 60)], { lost: 1 }],
  ['before the gap', [gap(51, 60)], { lost: 1, unexplained: 1 }],
  ['after the gap', [gap(40, 49)], { lost: 1, unexplained: 1 }],
  ['in no gap', [], { lost: 1, unexplained: 1 }],
  ['in the gap of others', [notice('position', 'gap', { fromMs: 0, toMs: 99 })], { lost: 1, unexplained: 1 }],
  [
    'in a gap without a beginning',
    [notice('trade', 'subscribed', {}), gap(undefined, 60)],
    { lost: 1, openGaps: 1 },
  ],
])('a trade event: %s', (_, stored, verdict) => {
  expect(verify([taken('one'), ...stored], [sent('t', 'trade')])).toMatchObject({ ...RIGHT, ...verdict })
})

test('measures a takeover from the kill of the writer to the next writer', () => {
  const stored = [
    taken('one', 'w-1', 10),
    notice('module', 'subscribed', {}, 'w-1', 20),
    taken('two', 'w-2', 130),
    notice('module', 'subscribed', {}, 'w-2', 150),
    notice('trade', 'subscribed', {}, 'w-2', 170),
  ]
  expect(takeovers(stored, [{ relay: 'one', atMs: 100 }])).toEqual({
    module: [50],
    trade: [70],
    position: [],
  })
  expect(takeovers(stored, [{ relay: 'two', atMs: 100 }])).toEqual({ module: [], trade: [], position: [] })
})
