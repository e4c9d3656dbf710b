/** `return()` while a stream waits: it resolves at once, without an error, and releases everything. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { AbortSignalLike } from '@brokerwire/core'
import { payloads } from '@brokerwire/payloads'
import { TradeEventType } from '@brokerwire/protos'
import { createFailingStore } from '@brokerwire/testing/failing-store'
import { type GrpcServer, startGrpcServer } from '@brokerwire/testing/grpc-server'
import { startWireServer } from '@brokerwire/testing/raw-http2'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SharedContext } from './context.ts'
import { createModuleStream } from './module-stream.ts'
import { IDENTITY, targetOf, testContext } from './test/context.ts'
import { testSigner, tradeFrame } from './test/frames.ts'
import { testTokens } from './test/tokens.ts'
import { createTradeStream } from './trade-stream.ts'

const never = <T>(): Promise<T> => new Promise(() => {})

let server: GrpcServer
beforeEach(async () => {
  server = await startGrpcServer()
})
afterEach(() => server.close())

const trade = (change: Partial<SharedContext>, url = server.url) =>
  createTradeStream(testContext(change), targetOf(url), 'trade', { accounts: ['A1'] }, payloads)

/** Calls `return()` with a pending `next()`, once `ready` resolves. */
async function leave(
  stream: { next(): Promise<unknown>; return(): Promise<unknown> },
  ready: () => Promise<unknown>,
): Promise<void> {
  const pending = stream.next()
  await ready()
  expect(await stream.return()).toEqual({ done: true, value: undefined })
  expect(await pending).toEqual({ done: true, value: undefined })
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('return()', () => {
  test('resolves while the store is read', async () => {
    const store = createFailingStore()
    store.get = never
    const context = testContext({ store, identity: IDENTITY })
    const stream = createModuleStream(context, targetOf(server.url), { modules: ['application'] }, (frame) =>
      payloads.module(frame),
    )
    await leave(stream, async () => {
      await turn()
      expect(context.budget.inUse).toBe(1)
    })
    expect(context.budget.inUse).toBe(0)
    expect(server.calls).toEqual([])
  })

  test('resolves while the provider of access tokens is called', async () => {
    let signal: AbortSignalLike | undefined
    const stream = trade({
      accessTokens: testTokens((options) => {
        signal = options.signal
        return never()
      }),
    })
    await leave(stream, turn)
    expect(signal?.aborted).toBe(true)
  })

  test('resolves while the request is signed', async () => {
    const stream = trade({ signer: { ...testSigner(), signStream: never } })
    await leave(stream, turn)
    expect(server.calls).toEqual([])
  })

  test('resolves while the connection is opened, and closes the socket', async () => {
    const mute = await startWireServer(() => {}, { mute: true })
    const stream = trade({}, mute.url)
    await leave(stream, () => mute.connected)
    await mute.closed
    await mute.close()
  })

  test('does not end the process if close() of a connection of the caller throws', async () => {
    const uncaught: unknown[] = []
    const onUncaught = (error: unknown): void => void uncaught.push(error)
    const target = targetOf(server.url)
    const open = () => {
      const connection = target.open()
      return {
        transport: connection.transport,
        close() {
          connection.close()
          throw new Error('bug')
        },
      }
    }
    process.on('uncaughtException', onUncaught)
    try {
      const stream = createTradeStream(
        testContext(),
        { ...target, open },
        'trade',
        { accounts: ['A1'] },
        payloads,
      )
      await leave(stream, () => server.call())
      await turn()
      expect(uncaught).toEqual([])
    } finally {
      process.off('uncaughtException', onUncaught)
    }
  })

  test('resolves while onClockSkew runs', async () => {
    let asked: (() => void) | undefined
    const asking = new Promise<void>((resolve) => {
      asked = resolve
    })
    const stream = trade({
      onClockSkew: () => {
        asked?.()
        return never()
      },
    })
    await leave(stream, async () => {
      ;(await server.call()).send(tradeFrame(TradeEventType.AuthError))
      await asking
    })
  })

  test('resolves while the stream waits for the next attempt', async () => {
    const stream = trade({ budget: testContext().budget })
    const first = stream.next()
    ;(await server.call()).send(tradeFrame(TradeEventType.NumOfConnExceed))
    expect(await first).toMatchObject({ value: { kind: 'reconnecting', delayMs: 60_000 } })
    await leave(stream, turn)
  })
})

describe('large messages', () => {
  test('delivers a payload of 4 MiB, and the length of a message above the limit', async () => {
    const stream = trade({})
    const next = async () => (await stream.next()).value
    const first = next()
    const call = await server.call()
    call.send(tradeFrame(TradeEventType.SubscribeSuccess))
    expect(await first).toMatchObject({ kind: 'subscribed' })
    expect(await next()).toMatchObject({ kind: 'gap' })
    const payload = JSON.stringify('x'.repeat(4 * 1024 * 1024 - 2))
    call.send(tradeFrame(1024, { requestId: 'big', payload }))
    expect(await next()).toMatchObject({ requestId: 'big', payload })
    const tooLarge = next()
    call.send(tradeFrame(1024, { requestId: 'huge', payload: 'x'.repeat(16 * 1024 * 1024) }))
    const item = await tooLarge
    expect(item).toMatchObject({ type: 'undecodable', reason: 'too-large', bytes: undefined })
    expect(item).toHaveProperty(
      'length',
      expect.toSatisfy((length: number) => length > 16 * 1024 * 1024),
    )
    call.send(tradeFrame(1024, { requestId: 'next' }))
    expect(await next()).toMatchObject({ requestId: 'next' })
    await stream.return()
  })
})

test('a stream that has ended releases its frames and ids', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const stream = trade({})
  const pending = stream.next()
  const call = await server.call()
  call.send(tradeFrame(TradeEventType.SubscribeSuccess))
  await pending
  const payload = 'x'.repeat(20_000)
  for (let n = 0; n < 200; n += 1) {
    call.send(tradeFrame(1024, { requestId: `r${n}`, payload }))
    await stream.next()
  }
  collect()
  const before = process.memoryUsage().arrayBuffers
  await stream.return()
  await call.closed
  // The memory usage shows released memory a few turns of the event loop after the collection.
  const released = () => before - process.memoryUsage().arrayBuffers > 3 * 1024 * 1024
  for (let turns = 0; turns < 100 && !released(); turns += 1) {
    collect()
    await turn()
  }
  expect(released()).toBe(true)
  // The stream is still referenced.
  expect(await stream.next()).toEqual({ done: true, value: undefined })
})
