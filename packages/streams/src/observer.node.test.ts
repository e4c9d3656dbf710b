/** Reports to observers and additional headers of attempts, against a real HTTP/2 server. */
import { describe, expect, test } from 'vitest'
import type { StreamAttempt, StreamBatchReport, StreamSource, StreamsObserver } from './observer.ts'
import { targetOf } from './test/context.ts'
import { takeLabels } from './test/take.ts'
import { open, order, server, subscribed, useTradeServer } from './test/trade-stream-fixture.ts'

useTradeServer()

/** An observer whose functions all do the same. */
const observerOf = (listener: (report: StreamSource) => unknown) =>
  ({
    onStreamAttempt: listener,
    onStreamState: listener,
    onStreamAlive: listener,
    onStreamBatch: listener,
    onStreamNotice: listener,
  }) satisfies Required<StreamsObserver>

describe('an observer', () => {
  test('can tell two streams of the same kind apart', async () => {
    const ids = new Set<string>()
    const observer = observerOf((report) => {
      expect(report.stream).toBe('trade')
      ids.add(report.streamId)
    })
    const first = await subscribed({ observer })
    const second = await subscribed({ observer })
    expect(ids.size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^trade-\d+$/)
    await Promise.all([first.stream.return(), second.stream.return()])
  })

  test('gets the option streamId and the origin of an attempt', async () => {
    const attempts: StreamAttempt[] = []
    const { stream } = await subscribed(
      { observer: { onStreamAttempt: (attempt) => attempts.push(attempt) } },
      { streamId: 'main' },
    )
    expect(attempts).toEqual([
      { streamId: 'main', stream: 'trade', attempt: 1, origin: targetOf(server.url).origin },
    ])
    await stream.return()
  })

  test('is called once for the events that arrived together', async () => {
    const batches: StreamBatchReport[] = []
    const { stream, call } = await subscribed({
      observer: { onStreamBatch: (report) => batches.push(report) },
    })
    call.send(...Array.from({ length: 50 }, (_, n) => order(`r${n}`)))
    await takeLabels(stream, 50)
    await stream.return()
    expect(batches.reduce((sum, { events }) => sum + events, 0)).toBe(50)
    // They may arrive in a few parts.
    expect(batches.length).toBeLessThan(10)
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('a bug in an observer')
      },
    ],
    // An unhandled rejection would fail the run.
    ['rejects', () => Promise.reject(new Error('a bug in an observer'))],
    ['never resolves', () => new Promise(() => {})],
  ])('that %s changes nothing', async (_name, listener) => {
    const { stream, call } = await subscribed({ observer: observerOf(listener) })
    call.send(order('r1'), order('r2'))
    expect(await takeLabels(stream, 2)).toEqual(['r1', 'r2'])
    await stream.return()
  })

  test('gets no account identifier', async () => {
    const reports: unknown[] = []
    const { stream, call } = await subscribed({ observer: observerOf((report) => reports.push(report)) })
    call.send(order('r1', '{"account_id":"A1","order_id":"o-1"}'))
    await takeLabels(stream, 1)
    await stream.return()
    expect(reports.length).toBeGreaterThan(4)
    expect(JSON.stringify(reports)).not.toMatch(/A1|o-1/)
  })
})

describe('headers', () => {
  test('are sent with each attempt, next to those of the signature', async () => {
    const attempts: StreamAttempt[] = []
    const observed: StreamAttempt[] = []
    const { stream, call } = await subscribed({
      observer: { onStreamAttempt: (attempt) => observed.push(attempt) },
      headers: (attempt) => {
        attempts.push(attempt)
        return { Traceparent: `00-trace-${attempt.attempt}` }
      },
    })
    expect(call.headers.traceparent).toBe('00-trace-1')
    expect(call.headers['x-signature']).toEqual(expect.any(String))
    expect(attempts).toEqual(observed)
    await stream.return()
  })

  test.each([
    ['X-Signature', 'x-signature', 'the client sets it'],
    ['x-app-secret', 'x-app-secret', 'the app secret is never sent'],
    ['x-access-token', 'x-access-token', 'set the option accessTokens'],
    ['grpc-timeout', 'grpc-timeout', 'the transport sets it'],
    ['host', 'host', 'it follows from the address of the service'],
  ])('end the stream before the request is sent if they contain %s', async (name, header, reason) => {
    const stream = open({ headers: () => ({ [name]: 'hidden-value' }) })
    const error = await stream.next().then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(error).toMatchObject({
      code: 'STREAM_OPEN_FAILED',
      details: { step: 'headers' },
      cause: { code: 'STREAM_OPTION_INVALID', details: { option: `headers().${header}` } },
      message: `opening the stream failed while getting the additional headers: headers().${header} must not be set: ${reason}`,
    })
    expect(server.calls).toEqual([])
  })

  test('end the stream if the function throws, without the error, which may hold a secret', async () => {
    const stream = open({
      headers: () => {
        throw new Error('hidden-value')
      },
    })
    const error = await stream.next().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'STREAM_OPEN_FAILED', details: { step: 'headers' } })
    expect((error as Error).cause).toBeUndefined()
    expect(server.calls).toEqual([])
  })
})
