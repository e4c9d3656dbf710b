/** The sink of JetStream while its NATS server is stopped or killed. */
import { REAL_SERVERS } from '@brokerwire/testing/installed'
import { startNats } from '@brokerwire/testing/nats'
import { describe, expect, test } from 'vitest'
import type { SinkState } from '../sink/event-sink.ts'
import { entries, entry, keys } from '../test/entries.ts'
import { ALL, note, open, sinkOf, skip, useJetStream } from '../test/jetstream.ts'

useJetStream()

describe.skipIf(skip)(`a server that is killed${note}`, REAL_SERVERS, () => {
  test('fails a probe while it is stopped or killed, and not afterwards', async ({ onTestFinished }) => {
    const mortal = await startNats()
    onTestFinished(() => mortal.close())
    const own = await open(mortal.port)
    onTestFinished(() => own.close())
    await using sink = sinkOf({ connection: own, requestTimeoutMs: 300 })
    await sink.tail(ALL)
    await sink.publish(entries(1, 3))
    const away = { code: 'RELAY_SINK_UNAVAILABLE' }
    await mortal.pause()
    await expect(sink.probe?.()).rejects.toMatchObject(away)
    mortal.resume()
    const isThere = () =>
      sink.probe?.().then(
        () => 'there',
        () => 'away',
      )
    await expect.poll(isThere, { timeout: 10_000 }).toBe('there')
    await mortal.kill()
    await expect(sink.probe?.()).rejects.toMatchObject(away)
    await mortal.restart()
    await expect.poll(isThere, { timeout: 10_000 }).toBe('there')
    expect(await sink.publish([entry(4)])).toEqual({ sequence: 4 })
  })

  test('stores each message once and in order while it is killed and stopped again and again', async ({
    onTestFinished,
  }) => {
    const mortal = await startNats()
    onTestFinished(() => mortal.close())
    const own = await open(mortal.port)
    onTestFinished(() => own.close())
    const states: SinkState['state'][] = []
    await using sink = sinkOf({
      connection: own,
      publishTimeoutMs: 200,
      requestTimeoutMs: 1000,
      onState: ({ state }) => states.push(state),
    })
    await sink.tail(ALL)
    const calls: Promise<unknown>[] = []
    let next = 1
    const publishSome = (): void => {
      for (let batch = 0; batch < 40; batch += 1, next += 20)
        calls.push(sink.publish(entries(next, next + 19)))
    }
    for (let round = 0; round < 4; round += 1) {
      publishSome()
      await calls[calls.length - 39 + round * 7]
      await mortal.kill()
      publishSome()
      await mortal.restart()
    }
    publishSome()
    await mortal.pause()
    publishSome()
    await expect.poll(() => states).toContain('waiting')
    mortal.resume()
    await Promise.all(calls)
    await using reader = sinkOf({ connection: own })
    const tail = await reader.tail(ALL)
    expect(tail.sequence).toBe(next - 1)
    expect(keys(tail.entries)).toEqual(keys(entries(1, next - 1)))
  })
})
