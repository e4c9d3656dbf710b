import { Code, ConnectError } from '@connectrpc/connect'
import { describe, expect, test } from 'vitest'
import { RequestSecrets, toCallFailure } from './call-failure.ts'

const unchanged = (text: string): string => text
const fromService = (code: Code) => new ConnectError('why', code, { 'grpc-status': String(code) })
const statusOf = (error: unknown): string => toCallFailure(error, unchanged).status

describe('the status of a failed call', () => {
  test('is that of the trailers', () => {
    expect(statusOf(fromService(Code.InvalidArgument))).toBe('invalid_argument')
    expect(statusOf(fromService(Code.Canceled))).toBe('cancelled')
  })

  test('is internal if an envelope was cut off, and unavailable if the connection was lost', () => {
    expect(statusOf(new ConnectError('incomplete', Code.InvalidArgument))).toBe('internal')
    expect(statusOf(new ConnectError('reset', Code.Canceled))).toBe('unavailable')
  })

  test('is unknown for other errors and for codes that gRPC does not define', () => {
    expect(statusOf(new Error('x'))).toBe('unknown')
    expect(statusOf('text')).toBe('unknown')
    expect(statusOf(new ConnectError('x', 99 as Code))).toBe('unknown')
  })
})

describe('the message of the service', () => {
  const shownMessage = (message: string, sent: readonly string[] = []) => {
    const secrets = new RequestSecrets()
    secrets.add(sent)
    return toCallFailure(new ConnectError(message, Code.Unknown), secrets.redact).serverMessage
  }

  test('contains no secret of the request, even if it is repeated or percent-encoded', () => {
    expect(shownMessage('signature abc+/= of abc%2B%2F%3d and nonce ff', ['abc+/=', 'ff', ''])).toBe(
      'signature [secret] of [secret] and nonce [secret]',
    )
  })

  test('is printable, has at most 200 characters, and is undefined if it is empty', () => {
    expect(shownMessage('a\u001b[31m\nb')).toBe('a\\u{1b}[31m\\u{a}b')
    expect(shownMessage('x'.repeat(5000))).toBe(`${'x'.repeat(200)}\u2026`)
    expect(shownMessage('')).toBeUndefined()
  })

  test('is cut after its secrets were replaced', () => {
    expect(shownMessage(`${'x'.repeat(195)}${'s'.repeat(300)}`, ['s'.repeat(300)])).toBe(
      `${'x'.repeat(195)}[secr\u2026`,
    )
  })
})
