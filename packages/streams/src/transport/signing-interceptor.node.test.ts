/** The signing interceptor of `@brokerwire/signer/connect` over this transport. */
import { ModuleEventService, TradeEventService } from '@brokerwire/protos'
import { createSigner } from '@brokerwire/signer'
import { createSigningInterceptor } from '@brokerwire/signer/connect'
import { startSimulator } from '@brokerwire/simulator'
import { createClient } from '@connectrpc/connect'
import { expect, test } from 'vitest'
import { createStreamTransport } from './create-stream-transport.ts'

test('generated clients of both services receive events', async () => {
  await using sim = await startSimulator({ environment: 'sandbox' })
  const interceptors = [createSigningInterceptor({ signer: createSigner(sim.credentials) })]
  using trade = createStreamTransport({ baseUrl: sim.eventsUrl, interceptors })
  using module = createStreamTransport({ baseUrl: sim.moduleEventsUrl, interceptors })

  const orders = createClient(TradeEventService, trade).subscribe({
    subscribeType: 1,
    timestamp: BigInt(Date.now()),
    accounts: sim.accounts.map(String),
  })
  let isSubscribed = false
  for await (const { eventType } of orders) {
    const code: number = eventType
    if (!isSubscribed) sim.placeOrder({ symbol: 'AAPL', quantity: 100 })
    else if (code === 1024) break
    isSubscribed = true
  }

  const events = createClient(ModuleEventService, module).subscribe({
    events: [{ eventType: 'FUNDING', position: '' }],
    timestamp: String(Date.now()),
  })
  const received: string[] = []
  for await (const { eventType } of events) {
    received.push(eventType)
    if (received.length === 1) sim.emitModule({ module: 'funding' })
    else if (eventType === 'FUNDING') break
  }
  expect(received.at(-1)).toBe('FUNDING')
})
