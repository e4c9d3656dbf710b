/** A sink that is misconfigured for a while: a receiver of webhooks that responds with 410 Gone. */
import { expect, test } from 'vitest'
import { allOpen, setUp } from '../test/app-relay-bench.ts'
import { setUpWebhooks } from '../test/webhook-sink.ts'

test('a restart before the correction loses no module event, and reports the discarded trade events as a gap', async () => {
  const { simulator, start } = await setUp({ slotLingerMs: 0 })
  let isGone = false
  const accepted: string[] = []
  const { open } = await setUpWebhooks((response, { body }) => {
    if (!isGone) accepted.push(body)
    response.writeHead(isGone ? 410 : 204).end()
  })
  const sent: string[] = []
  const emit = (count: number): void => {
    for (let event = 0; event < count; event += 1)
      sent.push(simulator.emitModule({ module: 'application' }).id)
  }
  const events = () => accepted.map((body) => JSON.parse(body))
  const moduleIds = () =>
    events().flatMap(({ type, bwid }) => (type === 'brokerwire.event.module' ? [bwid] : []))
  const tradeGaps = () =>
    events().filter(
      ({ type, data, bwstream }) =>
        type === 'brokerwire.notice.gap' && bwstream === 'trade' && data.cause !== 'before-subscription',
    )

  const first = start('one', { sink: open() })
  await allOpen(simulator)
  emit(5)
  simulator.emitOrder()
  await expect.poll(() => moduleIds().length).toBe(5)
  await expect.poll(() => events().filter(({ type }) => type === 'brokerwire.event.order').length).toBe(1)

  isGone = true
  emit(5)
  const lostAtMs = Date.now()
  simulator.emitOrder()
  await expect.poll(() => first.reports.filter((report) => report.startsWith('waiting')).length).toBe(1)
  first.relay.abort()
  await first.ended
  emit(5)

  // The configuration was corrected.
  isGone = false
  start('one', { sink: open() })
  await allOpen(simulator)
  emit(5)
  await expect.poll(moduleIds).toEqual(sent)
  await expect.poll(() => tradeGaps().length).toBe(1)
  const [{ data }] = tradeGaps()
  expect(data.fromMs).toBeLessThanOrEqual(lostAtMs)
  expect(data.toMs).toBeGreaterThanOrEqual(lostAtMs)
})
