/** Budgets of subscriptions, shared by all streams of an app key. */
import { TradeEventType } from '@brokerwire/protos'
import { createSigner } from '@brokerwire/signer'
import { type GrpcServer, startGrpcServer } from '@brokerwire/testing/grpc-server'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSubscriptionBudget, processBudget } from './budget.ts'
import { createStreams } from './create-streams.ts'
import { isStreamsError } from './streams-error.ts'
import { tradeFrame } from './test/frames.ts'

let server: GrpcServer
beforeEach(async () => {
  server = await startGrpcServer()
})
afterEach(() => server.close())

const createFor = (appKey: string, budget?: ReturnType<typeof createSubscriptionBudget>) =>
  createStreams({ signer: createSigner({ appKey, appSecret: 'made up' }), eventsUrl: server.url, budget })

/** Opens one stream and waits for its notice `subscribed`. */
async function open(streams: ReturnType<typeof createStreams>) {
  const stream = streams.tradeEvents({ accounts: ['A'] })
  const first = stream.next()
  ;(await server.call()).send(tradeFrame(TradeEventType.SubscribeSuccess))
  await first
  return stream
}

test('rejects the sixth subscription of an app key before it connects, and accepts one of another app key', async () => {
  const opened = []
  for (let n = 0; n < 5; n += 1) opened.push(await open(createFor('shared')))
  expect(processBudget('shared').inUse).toBe(5)
  const sixth = createFor('shared').tradeEvents({ accounts: ['A'] })
  await expect(sixth.next()).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_BUDGET_EXCEEDED'))
  expect(server.calls).toHaveLength(5)
  opened.push(await open(createFor('another')))
  for (const stream of opened) await stream.return()
  expect(processBudget('shared').inUse).toBe(0)
  expect(processBudget('another').inUse).toBe(0)
})

test('a budget of the caller is separate from that of the process', async () => {
  const budget = createSubscriptionBudget({ max: 1 })
  const stream = await open(createFor('own', budget))
  expect(budget.inUse).toBe(1)
  expect(processBudget('own').inUse).toBe(0)
  const second = createFor('own', budget).tradeEvents({ accounts: ['A'] })
  await expect(second.next()).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_BUDGET_EXCEEDED'))
  await stream.return()
})
