import { Code, ConnectError } from '@connectrpc/connect'
import { describe, expect, test } from 'vitest'
import { describeFailure } from './failure.ts'

const fromService = (code: Code) => new ConnectError('why', code, { 'grpc-status': String(code) })

describe('the status of a failure', () => {
  test("in the trailers is the service's own", () => {
    expect(describeFailure(fromService(Code.InvalidArgument), []).status).toBe('invalid_argument')
    expect(describeFailure(fromService(Code.Canceled), []).status).toBe('cancelled')
  })

  test('of an envelope that breaks off and of a lost connection refuses nothing', () => {
    expect(describeFailure(new ConnectError('incomplete', Code.InvalidArgument), []).status).toBe('internal')
    expect(describeFailure(new ConnectError('reset', Code.Canceled), []).status).toBe('unavailable')
  })

  test('of what is no Connect error, or carries a code that gRPC does not know, is unknown', () => {
    expect(describeFailure(new Error('x'), []).status).toBe('unknown')
    expect(describeFailure('text', []).status).toBe('unknown')
    expect(describeFailure(new ConnectError('x', 99 as Code), []).status).toBe('unknown')
  })
})

describe('what the service said', () => {
  const say = (message: string, sent: readonly string[] = []) =>
    describeFailure(new ConnectError(message, Code.Unknown), sent).serverMessage

  test('is masked where it echoes what was sent, however often', () => {
    expect(say('signature abc+/= of abc+/= and nonce ff', ['abc+/=', 'ff', ''])).toBe(
      'signature [hidden] of [hidden] and nonce [hidden]',
    )
  })

  test('is cut, printable, and absent where nothing was said', () => {
    expect(say('a\u001b[31m\nb')).toBe('a [31m b')
    expect(say('x'.repeat(5000))).toHaveLength(200)
    expect(say('')).toBeUndefined()
  })
})
