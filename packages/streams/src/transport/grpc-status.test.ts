/** Messages of errors for unknown statuses and resets. */
import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from 'vitest'
import { readGrpcStatus, resetError } from './grpc-status.ts'

test('does not quote a long unknown status, because a part of a secret would not be redacted', () => {
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
])('names the HTTP/2 error code %i', (http2, code, name) => {
  const error = resetError(http2)
  expect(error).toMatchObject({ code: code, rawMessage: `the server reset the stream: ${name}` })
})
