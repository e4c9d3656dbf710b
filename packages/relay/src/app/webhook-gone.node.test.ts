/** A relay whose receiver of webhooks responds with 410 for a while: after that, it gets every event once and in order. */
import { startSimulator } from '@brokerwire/simulator'
import { expect, onTestFinished, test } from 'vitest'
import { startAppRelay } from '../test/app-relay.ts'
import { setUpWebhooks } from '../test/webhook-sink.ts'

test('keeps its events while the receiver responds with 410 Gone', async () => {
  const simulator = await startSimulator({ seed: 5, slotLingerMs: 0 })
  onTestFinished(() => simulator.close())
  let isGone = false
  const accepted: string[] = []
  const { store, open } = await setUpWebhooks((response, { eventIds }) => {
    if (!isGone) accepted.push(...eventIds)
    response.writeHead(isGone ? 410 : 204).end()
  })
  const waits: unknown[] = []
  const relay = startAppRelay({
    simulator,
    store,
    sink: open(),
    sinkRetryMs: 200,
    observer: { onRelaySinkWait: ({ error }) => waits.push(error) },
  })
  await expect.poll(() => simulator.subscriptions().length).toBe(3)
  const sent: string[] = []
  const isAccepted = (id: string): boolean => accepted.some((key) => key.includes(id))
  const emit = (): void => {
    sent.push(simulator.emitModule({ module: 'application' }).id)
  }
  emit()
  await expect.poll(() => sent.every(isAccepted)).toBe(true)
  isGone = true
  for (let event = 0; event < 5; event += 1) emit()
  await expect
    .poll(() => waits[0])
    .toMatchObject({ code: 'RELAY_SINK_MISCONFIGURED', details: { setting: 'url' } })
  emit()
  expect(relay.end.value).toBeUndefined()
  isGone = false
  await expect.poll(() => sent.every(isAccepted), { timeout: 10_000 }).toBe(true)
  expect(waits).toHaveLength(1)
  expect(accepted.flatMap((key) => sent.filter((id) => key.includes(id)))).toEqual(sent)
  expect(await relay.stop()).toMatchObject({ why: 'released' })
})
