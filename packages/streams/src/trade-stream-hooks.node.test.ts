/** Rejected credentials, access tokens and hooks of trade streams, against a real HTTP/2 server. */
import { TradeEventType } from '@brokerwire/protos'
import type { GrpcServerCall } from '@brokerwire/testing/grpc-server'
import { describe, expect, test } from 'vitest'
import type { SharedContext } from './context.ts'
import { isStreamsError, StreamsError } from './streams-error.ts'
import { readPolicy } from './supervisor/policy.ts'
import { tradeFrame } from './test/frames.ts'
import { take, takeLabels } from './test/take.ts'
import { testTokens } from './test/tokens.ts'
import { open, order, server, subscribed, useTradeServer } from './test/trade-stream-fixture.ts'

useTradeServer()

describe('AuthError', () => {
  const authError = (call: GrpcServerCall) =>
    call.send(tradeFrame(TradeEventType.AuthError, { timestamp: 1_764_157_239_726n }))

  async function rejection(change: Partial<SharedContext>): Promise<StreamsError> {
    const stream = open(change)
    const failing = (async () => {
      for await (const _ of stream);
    })()
    failing.catch(() => {})
    for (let attempt = 0; attempt < 2; attempt += 1) authError(await server.call())
    return failing.then(
      () => Promise.reject(new Error('no error')),
      (error: StreamsError) => error,
    )
  }

  test('calls onClockSkew and retries once, then ends with an error that names the causes', async () => {
    const serverTimes: (number | undefined)[] = []
    const error = await rejection({
      onClockSkew: ({ serverNowMs }) => {
        serverTimes.push(serverNowMs)
      },
    })
    expect(serverTimes).toEqual([1_764_157_239_726])
    expect(isStreamsError(error, 'STREAM_AUTH_REJECTED')).toBe(true)
    expect(error.retryable).toBe(false)
    expect(error.message).toMatch(/clock.*streamAlgorithm.*accessToken/)
    expect(server.calls.length).toBe(2)
  })

  test.each([
    ['an error of the toolkit', new StreamsError('STREAM_CLOSED', 'no clock here', { details: {} }), true],
    ['any other error, which may hold a secret', new Error('app-secret'), false],
  ])(
    'is the cause of the error only if it cannot hold a secret: %s of onClockSkew',
    async (_name, thrown, isCause) => {
      const error = await rejection({
        onClockSkew: () => {
          throw thrown
        },
      })
      expect(isStreamsError(error, 'STREAM_AUTH_REJECTED')).toBe(true)
      expect(error.cause).toBe(isCause ? thrown : undefined)
      expect(server.calls.length).toBe(2)
    },
  )

  test('with a token is retried once, only with another token', async () => {
    const tokens = ['token-one-0000000', 'token-two with blanks', 'token-two with blanks']
    const calls: string[] = []
    const error = await rejection({
      accessTokens: testTokens(
        () => {
          calls.push('get')
          return tokens[calls.filter((call) => call === 'get').length - 1]
        },
        async (token, { status, code }) => {
          calls.push(`rejected ${token.reveal()} ${status} ${code}`)
          return { changed: true }
        },
      ),
    })
    expect(calls).toEqual(['get', 'rejected token-one-0000000 401 undefined', 'get', 'get'])
    expect(error.details).toMatchObject({ tokenSent: true })
    expect(server.calls.map((call) => call.headers['x-access-token'])).toEqual(tokens.slice(0, 2))
    expect(JSON.stringify(error)).not.toContain('token-')
  })

  test('with a token is retried after the backoff while the provider fails temporarily', async () => {
    let calls = 0
    const stream = open({
      accessTokens: testTokens(() => {
        calls += 1
        if (calls === 2) throw new Error('the token service is unavailable')
        return `token-${calls}-0000000`
      }),
      policy: readPolicy({ backoffBaseMs: 1, backoffMaxMs: 1 }),
    })
    const items = take(stream, 2)
    authError(await server.call())
    const second = await server.call()
    expect(second.headers['x-access-token']).toBe('token-3-0000000')
    second.send(tradeFrame(TradeEventType.SubscribeSuccess))
    expect(await items).toMatchObject([
      { kind: 'reconnecting', reason: 'access-token' },
      { kind: 'subscribed' },
    ])
    await stream.return()
  })

  test('with a token ends with the error of the provider as its cause', async () => {
    const thrown = new StreamsError('STREAM_CLOSED', 'no token', { details: {} })
    let calls = 0
    const stream = open({
      accessTokens: testTokens(() => {
        calls += 1
        if (calls === 2) throw thrown
        return 'token-one-0000000'
      }),
    })
    const failing = stream.next()
    failing.catch(() => {})
    authError(await server.call())
    await expect(failing).rejects.toMatchObject({ code: 'STREAM_AUTH_REJECTED', cause: thrown })
    expect(server.calls.length).toBe(1)
  })

  test('ends at once if the provider returns the rejected token again', async () => {
    const stream = open({ accessTokens: testTokens(() => 'token-one-0000000') })
    const failing = stream.next()
    failing.catch(() => {})
    authError(await server.call())
    await expect(failing).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_AUTH_REJECTED'))
    expect(server.calls.length).toBe(1)
  })
})

describe('a status', () => {
  test('that rejects the request ends the stream, and an echoed signature is masked', async () => {
    const stream = open()
    const failing = stream.next()
    failing.catch(() => {})
    const call = await server.call()
    const signature = String(call.headers['x-signature'])
    call.end(3, `bad signature ${signature}\u0007`)
    const error: unknown = await failing.then(
      () => undefined,
      (cause: unknown) => cause,
    )
    if (!isStreamsError(error, 'STREAM_REFUSED')) throw error
    expect(error.details).toEqual({
      status: 'invalid_argument',
      serverMessage: 'bad signature [secret]\\u{7}',
    })
    expect(error.cause).toBeUndefined()
  })
})

describe('hooks', () => {
  test('an access token that is not a valid header value is an error that does not show it', async () => {
    const stream = open({ accessTokens: testTokens(() => 'secret\nvalue') })
    const error: unknown = await stream.next().catch((cause: unknown) => cause)
    expect(isStreamsError(error, 'STREAM_OPEN_FAILED')).toBe(true)
    expect(String(error) + JSON.stringify(error)).not.toContain('secret\n')
    expect(server.calls).toEqual([])
  })

  test('reports the events that the backfill hook finds missing in a missed-events notice', async () => {
    const { stream } = await subscribed(
      {},
      { backfill: async ({ cause }) => (cause === 'subscribed' ? 2 : 0) },
    )
    expect(await take(stream, 1)).toMatchObject([{ kind: 'missed-events', missing: 2 }])
    await stream.return()
  })

  test('an observer gets reports, and its errors are ignored', async () => {
    const reports: string[] = []
    const observer: SharedContext['observer'] = {
      onStreamAttempt: ({ attempt }) => void reports.push(`attempt ${attempt}`),
      onStreamState: ({ phase }) => void reports.push(phase),
      onStreamBatch: ({ events, duplicates }) => {
        for (const [name, count] of Object.entries({ event: events, duplicate: duplicates })) {
          for (let n = 0; n < count; n += 1) reports.push(name)
        }
        throw new Error('a bug in an observer')
      },
    }
    const { stream, call } = await subscribed({ observer })
    call.send(order('r1'), order('r1'), order('r2'))
    expect(await takeLabels(stream, 2)).toEqual(['r1', 'r2'])
    expect(reports.slice(0, 3)).toEqual(['opening', 'attempt 1', 'live'])
    expect(reports.slice(3).sort()).toEqual(['duplicate', 'event', 'event'])
    await stream.return()
  })
})
