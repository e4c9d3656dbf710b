/**
 * The clock is read once for each request. The test's clock never returns the same time twice, so the test
 * notices a second reading.
 */
import type { Clock } from '@brokerwire/core'
import { systemClock } from '@brokerwire/core'
import {
  openModuleStream,
  openTradeStream,
  sendSigned,
  take,
  usableToken,
} from '@brokerwire/testing/signed-client'
import { afterEach, describe, expect, it } from 'vitest'
import { startSimulator } from './index.ts'
import type { SimulatorOptions } from './options.ts'
import type { Simulator } from './simulator-api.ts'

let simulator: Simulator
const TOKENS = '/auth/tokens'

async function start(options: SimulatorOptions = {}): Promise<Simulator> {
  let nowMs = Date.now()
  const clock: Clock = {
    now() {
      nowMs += 1
      return nowMs
    },
    setTimer: systemClock.setTimer,
  }
  simulator = await startSimulator({ clock, rateLimit: false, pingIntervalMs: 0, ...options })
  return simulator
}

afterEach(() => simulator.close())

describe('an HTTP request', () => {
  it('that creates a token gets the status PENDING, even if the automatic second factor completes at once', async () => {
    const sim = await start({ secondFactor: 'automatic' })
    for (let create = 0; create < 100; create += 1) {
      const { json } = await sendSigned(sim, { path: `${TOKENS}/create`, json: {} })
      expect(json.status).toBe('PENDING')
    }
  })

  it('gets a response that matches the time in its Date header', async () => {
    const sim = await start({ environment: 'sandbox', tokenValidityMs: 1000 })
    const { json, headers } = await sendSigned(sim, { path: `${TOKENS}/create`, json: {} })
    expect(Math.floor((Number(json.expires_at) - 1000) / 1000) * 1000).toBe(Date.parse(String(headers.date)))
    const unknown = await sendSigned(sim, { path: `${TOKENS}/check`, json: { token: 'unknown' } })
    expect(Math.floor(Number(unknown.json.expires_at) / 1000) * 1000).toBe(
      Date.parse(String(unknown.headers.date)),
    )
  })

  it('creates both tokens of a pair at the same time', async () => {
    const sim = await start({ clientTokenLifetimeMs: 10, refreshTokenLifetimeMs: 1000 })
    const made = await sendSigned(sim, { path: '/auth/client-tokens/create', json: { client_user_id: 'u' } })
    const { refresh_token } = made.json
    const { json } = await sendSigned(sim, { path: '/auth/client-tokens/refresh', json: { refresh_token } })
    for (const pair of [made.json, json]) {
      expect(Number(pair.refresh_expires_at) - Number(pair.expires_at)).toBe(990)
    }
  })

  it('uses a token at the time at which it was checked', async () => {
    const sim = await start({ tokenIdleMs: 1000 })
    const token = await usableToken(sim)
    const headers = { 'x-access-token': token }
    const echo = await sendSigned(sim, { path: '/openapi/simulator/echo', headers })
    sim.setAccessTokenExpiry(token, Number(echo.json.received_at) + 1000)
    // If the use were recorded a millisecond later, the token would expire before the end of its idle time.
    const { now } = sim.state()
    const leftMs = Number(echo.json.received_at) + 1000 - Number(now)
    for (let reading = 2; reading < leftMs; reading += 1) sim.clock.now()
    expect(sim.state().accessTokens).toMatchObject({ NORMAL: 1 })
    sim.clock.now()
    expect(sim.state().accessTokens).toMatchObject({ INVALID: 1 })
  })

  it.each([401, 500])('with an injected status %d gets a Date by the same clock', async (status) => {
    const sim = await start()
    sim.clock.now = () => Date.UTC(2020, 0, 1)
    sim.faults.nextHttp({ kind: 'respond', status })
    const { headers } = await sendSigned(sim, { path: `${TOKENS}/create`, json: {} })
    expect(headers.date).toBe('Wed, 01 Jan 2020 00:00:00 GMT')
  })
})

describe('a subscription', () => {
  it('opens at the time of its SubscribeSuccess', async () => {
    const sim = await start()
    const trade = await openTradeStream(sim)
    const [success] = await take(trade, 1)
    const module = await openModuleStream(sim, { events: [{ eventType: 'FUNDING' }] })
    const [other] = await take(module, 1)
    expect(sim.subscriptions().map(({ openedAtMs }) => openedAtMs)).toEqual([
      Number(success?.timestamp),
      Number(other?.timestamp),
    ])
    trade.abort.abort()
    module.abort.abort()
  })

  it('that is rejected because of the slots of lost connections still counts them', async () => {
    for (let slotLingerMs = 1; slotLingerMs < 12; slotLingerMs += 1) {
      const sim = await start({ maxConnections: 1, slotLingerMs })
      const first = await openTradeStream(sim)
      await take(first, 1)
      sim.dropConnections()
      await expect.poll(() => sim.subscriptions()).toEqual([])
      const second = await openTradeStream(sim)
      const [frame] = await take(second, 1)
      if (frame?.eventType === 3) expect(frame.payload).toBe('1 connections are open')
      second.abort.abort()
      await sim.close()
    }
  })
})

describe('an event', () => {
  it('has one timestamp in envelope and payload', async () => {
    const sim = await start()
    const { timestamp, payload } = sim.emitModule({ module: 'application' })
    expect(timestamp.slice(0, 23)).toBe(JSON.parse(payload).payload.timestamp.slice(0, 23))
  })
})
