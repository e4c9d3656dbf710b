import { Code, ConnectError } from '@connectrpc/connect'
import { describe, expect, test } from 'vitest'
import { describeFailure, SentSecrets } from './shown.ts'

const asIs = (text: string): string => text
const fromService = (code: Code) => new ConnectError('why', code, { 'grpc-status': String(code) })

describe('the status of a failure', () => {
  test("in the trailers is the service's own", () => {
    expect(describeFailure(fromService(Code.InvalidArgument), asIs).status).toBe('invalid_argument')
    expect(describeFailure(fromService(Code.Canceled), asIs).status).toBe('cancelled')
  })

  test('of an envelope that breaks off and of a lost connection refuses nothing', () => {
    expect(describeFailure(new ConnectError('incomplete', Code.InvalidArgument), asIs).status).toBe(
      'internal',
    )
    expect(describeFailure(new ConnectError('reset', Code.Canceled), asIs).status).toBe('unavailable')
  })

  test('of what is no Connect error, or carries a code that gRPC does not know, is unknown', () => {
    expect(describeFailure(new Error('x'), asIs).status).toBe('unknown')
    expect(describeFailure('text', asIs).status).toBe('unknown')
    expect(describeFailure(new ConnectError('x', 99 as Code), asIs).status).toBe('unknown')
  })
})

describe('what the service said', () => {
  const say = (message: string, sent: readonly string[] = []) => {
    const secrets = new SentSecrets()
    secrets.add(sent)
    return describeFailure(new ConnectError(message, Code.Unknown), secrets.shown).serverMessage
  }

  test('is free of what was sent, however often it is echoed', () => {
    expect(say('signature abc+/= of abc%2B%2F%3d and nonce ff', ['abc+/=', 'ff', ''])).toBe(
      'signature [secret] of [secret] and nonce [secret]',
    )
  })

  test('is cut, printable, and absent where nothing was said', () => {
    expect(say('a\u001b[31m\nb')).toBe('a\\u{1b}[31m\\u{a}b')
    expect(say('x'.repeat(5000))).toBe(`${'x'.repeat(200)}\u2026`)
    expect(say('')).toBeUndefined()
  })

  test('is cut after a secret was taken out, never within one', () => {
    expect(say(`${'x'.repeat(195)}${'s'.repeat(300)}`, ['s'.repeat(300)])).toBe(
      `${'x'.repeat(195)}[secr\u2026`,
    )
  })
})
