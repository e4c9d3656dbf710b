/** Statuses as the documents of gRPC have them, the malformed ones too. */
import { Code, ConnectError } from '@connectrpc/connect'
import { describe, expect, test } from 'vitest'
import { errorWithoutStatus, isGrpcContentType, readGrpcStatus, resetError } from './grpc-status.ts'

const status = (fields: Record<string, string>) => readGrpcStatus(new Headers(fields))

/** As an error, or the test fails. */
function errorOf(fields: Record<string, string>): ConnectError {
  const result = status(fields)
  if (!(result instanceof ConnectError)) throw new Error(`expected an error, got ${result}`)
  return result
}

describe('grpc-status', () => {
  test('none, and success', () => {
    expect(status({})).toBeUndefined()
    expect(status({ 'grpc-status': '0', 'grpc-message': 'ignored' })).toBe('ok')
  })

  test.each(Array.from({ length: 16 }, (_, n) => n + 1))('%i is the code of the error', (code) => {
    const error = errorOf({ 'grpc-status': String(code), 'grpc-message': 'why', 'x-more': '1' })
    expect([error.code, error.rawMessage, error.metadata.get('x-more')]).toEqual([code, 'why', '1'])
  })

  test.each(['17', '-1', '1.0', '00x', ' ', '999', '1e1', '0x1'])('%j is unknown', (text) => {
    const error = errorOf({ 'grpc-status': text })
    expect(error.code).toBe(Code.Unknown)
  })

  test('a long one is quoted in part', () => {
    expect(errorOf({ 'grpc-status': '9'.repeat(5000) }).rawMessage.length).toBeLessThan(150)
  })
})

describe('grpc-message', () => {
  test.each([
    ['plain', 'plain'],
    ['a%20b', 'a b'],
    ['%C3%A4%e2%82%ac', 'ä€'],
    ['100%', '100%'],
    ['%zz %4', '%zz %4'],
    ['%2525', '%25'],
    ['%ff', '\ufffd'],
    ['', ''],
  ])('%j reads %j', (text, expected) => {
    expect(errorOf({ 'grpc-status': '3', 'grpc-message': text }).rawMessage).toBe(expected)
  })
})

describe('grpc-status-details-bin', () => {
  test('is read', () => {
    // google.rpc.Status { code: 5, message: 'gone', details: [Any { type.googleapis.com/a.B, 0x01 }] }
    const bytes = Buffer.from(
      '08051204676f6e651a1c0a17747970652e676f6f676c65617069732e636f6d2f612e42120101',
      'hex',
    )
    const error = errorOf({ 'grpc-status': '5', 'grpc-status-details-bin': bytes.toString('base64') })
    expect(error.details).toEqual([{ type: 'a.B', value: Uint8Array.of(1) }])
  })

  test.each(['!!', 'CAUSBA', 'AAAA'])('%j cannot be read, and the status stays', (text) => {
    const error = errorOf({ 'grpc-status': '5', 'grpc-message': 'gone', 'grpc-status-details-bin': text })
    expect([error.code, error.rawMessage, error.details]).toEqual([Code.NotFound, 'gone', []])
  })
})

test('the metadata of an error is the trailers, then the headers', () => {
  const error = readGrpcStatus(new Headers({ 'grpc-status': '13', a: 't' }), new Headers({ a: 'h', b: 'h' }))
  if (!(error instanceof ConnectError)) throw new Error('expected an error')
  expect([error.metadata.get('a'), error.metadata.get('b')]).toEqual(['t, h', 'h'])
})

test.each([
  [200, Code.Unknown],
  [400, Code.Internal],
  [401, Code.Unauthenticated],
  [403, Code.PermissionDenied],
  [404, Code.Unimplemented],
  [429, Code.Unavailable],
  [502, Code.Unavailable],
  [503, Code.Unavailable],
  [504, Code.Unavailable],
  [301, Code.Unknown],
  [500, Code.Unknown],
  [0, Code.Unknown],
])('HTTP %i without a status', (http, code) => {
  expect(errorWithoutStatus(http, new Headers()).code).toBe(code)
})

test.each([
  [0, Code.Internal, 'NO_ERROR'],
  [1, Code.Internal, 'PROTOCOL_ERROR'],
  [7, Code.Unavailable, 'REFUSED_STREAM'],
  [8, Code.Canceled, 'CANCEL'],
  [11, Code.ResourceExhausted, 'ENHANCE_YOUR_CALM'],
  [12, Code.PermissionDenied, 'INADEQUATE_SECURITY'],
  [99, Code.Internal, 'code 99'],
])('a reset with %i', (http2, code, name) => {
  const error = resetError(http2)
  expect([error.code, error.rawMessage]).toEqual([code, `the server reset the stream: ${name}`])
})

test.each([
  ['application/grpc', true],
  ['application/grpc+proto', true],
  ['Application/GRPC', true],
  ['application/grpc; charset=utf-8', true],
  ['application/grpc+json', false],
  ['application/grpc-web', false],
  ['application/grpcx', false],
  ['text/html', false],
  [null, false],
])('content type %j', (value, expected) => {
  expect(isGrpcContentType(value)).toBe(expected)
})
