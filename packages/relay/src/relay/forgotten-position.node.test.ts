/** A relay that was away for longer than the service keeps module events. */
import { Secret } from '@brokerwire/core'
import { startSimulator } from '@brokerwire/simulator'
import { createMemoryStore } from '@brokerwire/stores'
import { expect, onTestFinished, test } from 'vitest'
import { createMemoryStream } from '../sink/memory-sink.ts'
import { isInGap, storedNotices } from '../test/app-relay.ts'
import { appOf, configOf } from '../test/config.ts'
import { HEADER } from '../wire/headers.ts'
import { startRelay } from './start-relay.ts'

test('continues from now, and reports the module events that the service no longer has as a gap', async () => {
  const simulator = await startSimulator({ slotLingerMs: 0, retainedEvents: 3 })
  onTestFinished(() => simulator.close())
  const stream = createMemoryStream('team-a')
  const store = createMemoryStore()
  const { appKey, appSecret } = simulator.credentials
  const start = async () => {
    const relay = await startRelay({
      config: configOf([appOf(simulator, { name: 'team-a' })], {
        name: 'one',
        slotLingerMs: 0,
        heartbeatIntervalMs: 500,
      }),
      store,
      readSecret: async (field) => new Secret(field.endsWith('appKey') ? appKey : appSecret.reveal()),
      openSink: () => stream.open(),
    })
    onTestFinished(() => relay.close())
    await expect.poll(() => simulator.subscriptions().length).toBe(3)
    return relay
  }
  const stored = (): (string | undefined)[] =>
    stream.entries.map(({ headers }) => headers[HEADER.id]).filter((id) => id !== undefined)
  const emit = () => simulator.emitModule({ module: 'application' })

  const first = await start()
  const before = emit()
  await expect.poll(stored).toEqual([before.id])
  await first.close()
  const missed = [emit(), emit(), emit(), emit(), emit()]
  await start()
  await expect.poll(() => storedNotices(stream.entries, 'module', 'gap').length).toBe(2)
  const after = emit()
  await expect.poll(stored).toEqual([before.id, after.id])
  const [, gap] = storedNotices(stream.entries, 'module', 'gap')
  expect(gap?.cause).toBe('cursor-rejected')
  for (const { timestamp } of missed)
    expect(isInGap(stream.entries, 'module', Date.parse(timestamp))).toBe(true)
})
