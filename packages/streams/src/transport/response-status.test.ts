/** The status of a call, by its headers, its trailers and the end of its stream. */
import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from 'vitest'
import { gzipCompression } from './compression.ts'
import { afterGoaway, ResponseStatus, type Status, type StreamEnd } from './response-status.ts'

const GRPC = { ':status': '200', 'content-type': 'application/grpc' }
const CLEAN: StreamEnd = { resetCode: 0, connectionError: undefined }
const LOST: StreamEnd = { resetCode: 8, connectionError: new ConnectError('lost', Code.Unavailable) }
const describeStatus = (status: Status | undefined): string | undefined =>
  status instanceof ConnectError ? `${Code[status.code]}: ${status.rawMessage}` : status

type Headers = Readonly<Record<string, string>>

test.each<[name: string, headers: Headers, isLast: boolean, expected: string | undefined]>([
  ['a body follows', GRPC, false, undefined],
  ['a status before a body is not final', { ...GRPC, 'grpc-status': '0' }, false, undefined],
  ['trailers only', { ...GRPC, 'grpc-status': '5', 'grpc-message': 'no%20such' }, true, 'NotFound: no such'],
  ['trailers only, ok', { ...GRPC, 'grpc-status': '0' }, true, 'ok'],
  ['no status', GRPC, true, 'Unknown: the response ended without a grpc-status'],
  ['HTTP 503', { ':status': '503' }, false, 'Unavailable: HTTP 503 without a grpc-status'],
  ['HTTP 503 with a status', { ':status': '503', 'grpc-status': '7' }, false, 'PermissionDenied: '],
  [
    'HTTP 503 with ok and a body',
    { ':status': '503', 'grpc-status': '0' },
    false,
    'Unavailable: HTTP 503 without a grpc-status',
  ],
  [
    'no gRPC',
    { ':status': '200', 'content-type': 'text/html' },
    false,
    'Unknown: the content type of a response must be application/grpc; received text/html',
  ],
  ['a coding that was offered', { ...GRPC, 'grpc-encoding': 'GZIP' }, false, undefined],
  [
    'a coding that was not offered',
    { ...GRPC, 'grpc-encoding': 'zstd' },
    false,
    'Internal: grpc-encoding of a response must be one that was offered; received zstd',
  ],
])('is known after the headers: %s', (_, headers, isLast, expected) => {
  const response = new ResponseStatus()
  response.receiveHeaders(headers, isLast, [gzipCompression])
  expect(describeStatus(response.status)).toBe(expected)
  expect(response.compression?.name).toBe(headers['grpc-encoding'] === 'GZIP' ? 'gzip' : undefined)
})

test.each<[name: string, head: Headers, trailers: Headers | undefined, end: StreamEnd, expected: string]>([
  ['trailers', GRPC, { 'grpc-status': '0' }, CLEAN, 'ok'],
  [
    'trailers that contradict the headers',
    { ...GRPC, 'grpc-status': '0' },
    { 'grpc-status': '13' },
    CLEAN,
    'Internal: ',
  ],
  ['trailers, then a reset', GRPC, { 'grpc-status': '0' }, LOST, 'ok'],
  ['no trailers, a status in the headers', { ...GRPC, 'grpc-status': '0' }, undefined, CLEAN, 'ok'],
  ['no status', GRPC, undefined, CLEAN, 'Unknown: the response ended without a grpc-status'],
  ['a lost connection', { ...GRPC, 'grpc-status': '0' }, undefined, LOST, 'Unavailable: lost'],
  [
    'a reset',
    { ...GRPC, 'grpc-status': '0' },
    undefined,
    { ...CLEAN, resetCode: 11 },
    'ResourceExhausted: the server reset the stream: ENHANCE_YOUR_CALM',
  ],
])('is known at the end of the body: %s', (_, head, trailers, end, expected) => {
  const response = new ResponseStatus()
  response.receiveHeaders(head, false, [])
  if (trailers !== undefined) response.receiveTrailers(trailers)
  expect(describeStatus(response.finish(end))).toBe(expected)
  expect(describeStatus(response.status)).toBe(expected)
})

test('prefers the error of nghttp2 to that of the connection, and keeps a status that was received first', () => {
  const refused = new ResponseStatus()
  refused.streamError(new Error('read ECONNRESET'))
  refused.streamError(Object.assign(new Error('Protocol error'), { code: 'ERR_HTTP2_ERROR' }))
  refused.lose(LOST)
  expect(describeStatus(refused.status)).toBe('Internal: the server violated HTTP/2: Protocol error')
  const tooLong = new ResponseStatus()
  tooLong.headersTooLong()
  tooLong.lose(CLEAN)
  expect(tooLong.error?.code).toBe(Code.InvalidArgument)
  const ended = new ResponseStatus()
  ended.receiveHeaders({ ...GRPC, 'grpc-status': '0' }, true, [])
  ended.lose(LOST)
  expect(ended.status).toBe('ok')
})

test.each([
  [3, false, 5, undefined],
  [5, false, 5, undefined],
  [7, false, 5, { sent: true, processed: 3 }],
  [0, true, 5, { sent: false, processed: 3 }],
])(
  'detects an unprocessed call after GOAWAY: stream %i, waiting %j, last %i',
  (id, waits, last, expected) => {
    expect(afterGoaway(id, waits, last)).toEqual(expected)
  },
)
