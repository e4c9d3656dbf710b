/**
 * The preset for the official clients, tested with an imitation. `official-python-client.node.test.ts` runs the real
 * client.
 */
import { describe, expect, it, onTestFinished } from 'vitest'
import { startSimulator } from './index.ts'
import type { SimulatorOptions } from './options.ts'
import type { Simulator } from './simulator-api.ts'
import { createOfficialClient, type OfficialClient } from './test/official-client.ts'

const PRESET = { profile: 'official-clients' } as const

async function start(options: SimulatorOptions): Promise<{ sim: Simulator; guest: OfficialClient }> {
  const sim = await startSimulator({ environment: 'sandbox', ...options })
  onTestFinished(() => sim.close())
  const { appKey, appSecret } = sim.credentials
  const { baseUrl, eventsUrl, region } = sim
  const secret = appSecret.reveal()
  return { sim, guest: createOfficialClient({ baseUrl, eventsUrl, region, appKey, appSecret: secret }) }
}

/** Subscribes the imitated client and waits for its events. */
function listen(sim: Simulator, guest: OfficialClient) {
  const stop = new AbortController()
  const events: unknown[] = []
  const ended = guest.subscribe(sim.accounts, (event) => events.push(event), stop.signal)
  ended.catch(() => undefined)
  onTestFinished(() => stop.abort())
  return {
    events,
    ended,
    subscribed: () => expect.poll(() => sim.subscriptions().length).toBe(1),
  }
}

describe('with the preset, an imitation of the official Python client', () => {
  it('gets a token and reads its expiry', async () => {
    const { guest } = await start(PRESET)
    const { token, expires, status } = await guest.createToken()
    expect({ tokenCount: token.length, status }).toEqual({ tokenCount: 32, status: 'NORMAL' })
    expect(await guest.checkToken(token)).toMatchObject({ token, expires, status })
  })

  it.each([
    ['us', 3],
    ['hk', 1],
  ] as const)(
    'subscribes in %s with subscribeType %d, and receives events',
    async (region, subscribeType) => {
      const { sim, guest } = await start({ ...PRESET, region })
      const { events, subscribed } = listen(sim, guest)
      await subscribed()
      expect(sim.subscriptions()).toMatchObject([{ requested: { subscribeType } }])
      const sent = [sim.emitOrder(), ...(region === 'us' ? [sim.emitPosition()] : [])]
      await expect.poll(() => events).toEqual(sent.map(({ payload }) => JSON.parse(payload)))
    },
  )

  it('reconnects after a dropped connection, GOAWAY, RST_STREAM and UNAVAILABLE', async () => {
    const { sim, guest } = await start(PRESET)
    const { events, subscribed } = listen(sim, guest)
    const ends: readonly (() => unknown)[] = [
      () => sim.dropConnections(),
      () => {
        sim.goaway({ http2Code: 11 })
        sim.endStreams()
      },
      () => sim.resetStreams(),
      () => sim.endStreams({ status: 'unavailable' }),
    ]
    for (const [index, end] of ends.entries()) {
      await subscribed()
      const before = sim.subscriptions()[0]?.connectionId
      end()
      await expect.poll(() => sim.subscriptions()[0]?.connectionId ?? before).not.toBe(before)
      sim.emitOrder()
      await expect.poll(() => events.length).toBe(index + 1)
    }
  })

  it('stops at a payload that is not JSON', async () => {
    const { sim, guest } = await start(PRESET)
    const { ended, subscribed } = listen(sim, guest)
    await subscribed()
    sim.emitTradeFrame({ payload: 'no JSON' })
    await expect(ended).rejects.toThrow(SyntaxError)
  })
})

describe('without the preset, or with an option that overrides it, the same client is rejected', () => {
  it.each([
    ['the specification', {}, '401 UNAUTHORIZED'],
    ['nonces in the format of the specification', { ...PRESET, nonceFormat: 'hex32' }, '401 UNAUTHORIZED'],
    ['the port in the signature', { ...PRESET, hostPort: 'signed' }, '401 UNAUTHORIZED'],
    ['only the expiry of the specification', { ...PRESET, expiryField: 'expires_at' }, 'KeyError: expires'],
    ['HMAC-SHA1 alone', { ...PRESET, algorithms: ['HMAC-SHA1'] }, '401 SIGNATURE_ALGORITHM_NOT_SUPPORTED'],
  ] as const)('%s', async (_, options, message) => {
    const { guest } = await start(options)
    await expect(guest.createToken()).rejects.toThrow(message)
  })

  it.each([
    [
      'only subscribeType 1 and 2',
      { ...PRESET, combinedSubscribeTypes: false },
      'subscribeType must be 1 to 2',
    ],
    [
      'nonces in the format of the specification',
      { ...PRESET, nonceFormat: 'hex32' },
      'AuthError: UNAUTHORIZED',
    ],
  ] as const)('%s, on a stream', async (_, options, message) => {
    const { sim, guest } = await start(options)
    await expect(listen(sim, guest).ended).rejects.toThrow(message)
  })
})
