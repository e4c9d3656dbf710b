/** Streams of one app key count together, however many objects they belong to. */

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

const streamsOf = (appKey: string, budget?: ReturnType<typeof createSubscriptionBudget>) =>
  createStreams({ signer: createSigner({ appKey, appSecret: 'made up' }), eventsUrl: server.url, budget })

/** Opens one stream, up to its notice `subscribed`. */
async function open(streams: ReturnType<typeof createStreams>) {
  const stream = streams.tradeEvents({ accounts: ['A'] })
  const first = stream.next()
  ;(await server.call()).send(tradeFrame(TradeEventType.SubscribeSuccess))
  await first
  return stream
}

test('the sixth subscription of a key is refused before anything is opened, and another key is not concerned', async () => {
  const opened = []
  for (let n = 0; n < 5; n += 1) opened.push(await open(streamsOf('shared')))
  expect(processBudget('shared').inUse).toBe(5)
  const sixth = streamsOf('shared').tradeEvents({ accounts: ['A'] })
  await expect(sixth.next()).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_BUDGET_EXCEEDED'))
  expect(server.calls).toHaveLength(5)
  opened.push(await open(streamsOf('another')))
  for (const stream of opened) await stream.return()
  expect([processBudget('shared').inUse, processBudget('another').inUse]).toEqual([0, 0])
})

test('a budget of the caller counts by itself', async () => {
  const budget = createSubscriptionBudget({ max: 1 })
  const stream = await open(streamsOf('own', budget))
  expect([budget.inUse, processBudget('own').inUse]).toEqual([1, 0])
  const second = streamsOf('own', budget).tradeEvents({ accounts: ['A'] })
  await expect(second.next()).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_BUDGET_EXCEEDED'))
  await stream.return()
})
