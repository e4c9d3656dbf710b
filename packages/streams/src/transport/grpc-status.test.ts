/** What errors say of a status or a reset, where it is more than its code. */
import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from 'vitest'
import { readGrpcStatus, resetError } from './grpc-status.ts'

test('an unknown long status is not quoted at all, because half of a secret would not be redacted', () => {
  const error = readGrpcStatus(new Headers({ 'grpc-status': '9'.repeat(101) }))
  if (!(error instanceof ConnectError)) throw new Error('expected an error')
  expect(error.rawMessage).toBe('unknown grpc-status: one of 101 characters')
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
