/** Every message of the shared fixtures through a stream: each is delivered as an event or as undecodable. */

import { MODULES, payloads } from '@brokerwire/payloads'
import { type GrpcServer, startGrpcServer } from '@brokerwire/testing/grpc-server'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import fixtures from '../../../testdata/fixtures/wire-messages.json' with { type: 'json' }
import { createStreams } from './create-streams.ts'
import { ModuleFrameDecoder, moduleFrames } from './items/module-frames.ts'
import { TradeFrameDecoder, tradeFrames } from './items/trade-frames.ts'
import { testSigner } from './test/frames.ts'
import { take } from './test/take.ts'

const messages = fixtures.messages.map((fixture) => ({
  service: fixture.service,
  name: fixture.name,
  bytes: Buffer.from(fixture.hex, 'hex'),
  message: fixture.message as Record<string, string | number>,
}))
const CONTROL_NAMES = [
  'subscribe success',
  'ping',
  'auth error',
  'connection limit',
  'subscribe expired',
] as const
const isControl = (name: string) => (CONTROL_NAMES as readonly string[]).includes(name)
/** Returns the fixture at an index. */
const at = <T>(list: readonly T[], index: number): T => {
  const found = list[index]
  if (found === undefined) throw new Error(`no fixture ${index}`)
  return found
}
const dataOf = (service: string) =>
  messages.filter((each) => each.service === service && !isControl(each.name))

let server: GrpcServer
beforeEach(async () => {
  server = await startGrpcServer()
})
afterEach(() => server.close())

const streams = () =>
  createStreams({ signer: testSigner(), eventsUrl: server.url, moduleEventsUrl: server.url })

describe('the control frames of both services', () => {
  test.each(['trade', 'module'])('of the %s service have the classes that their names state', (service) => {
    const classes = CONTROL_NAMES.map((name) => {
      const found = messages.find((each) => each.service === service && each.name === name)
      if (found === undefined) throw new Error(`no fixture ${name}`)
      return service === 'trade'
        ? tradeFrames.classify(new TradeFrameDecoder().decode(found.bytes, 0, found.bytes.length))
        : moduleFrames.classify(new ModuleFrameDecoder().decode(found.bytes, 0, found.bytes.length))
    })
    expect(classes).toEqual(['subscribed', 'ping', 'auth-error', 'connection-limit', 'expired'])
  })
})

describe('the data frames', () => {
  test('of the trade service are delivered in order with all fields', async () => {
    const sent = dataOf('trade')
    expect(sent.length).toBeGreaterThan(15)
    await using all = streams()
    const stream = all.tradeEvents({ accounts: ['A1'] })
    const arriving = take(stream, sent.length + 1)
    ;(await server.call()).send(...sent.map((each) => each.bytes))
    const items = (await arriving).slice(1)
    items.forEach((item, index) => {
      const { message, name } = at(sent, index)
      if (item.type !== 'event') throw new Error(`a notice instead of ${name}`)
      expect(item).toMatchObject(message)
      const decoded = item.decode()
      if (!decoded.ok) expect(decoded.raw).toBe(item.payload)
      expect({ name, isDecoded: decoded.ok }).toEqual({ name, isDecoded: name !== 'broken json' })
      expect(item.decode()).toBe(decoded)
    })
    expect(new Set(items.map((item) => item.kind))).toEqual(
      new Set(['order', 'position', 'option', 'unknown']),
    )
  })

  test('of the module service are delivered in order with all fields', async () => {
    const sent = dataOf('module')
    expect(sent.length).toBeGreaterThan(15)
    await using all = streams()
    const stream = all.moduleEvents({
      modules: ['application', 'account', 'funding', 'fees-and-credits', { eventType: 'SOD' }],
    })
    const arriving = take(stream, sent.length + 1)
    ;(await server.call()).send(...sent.map((each) => each.bytes))
    const items = (await arriving).slice(1)
    items.forEach((item, index) => {
      const { message, name } = at(sent, index)
      if (item.type !== 'event') throw new Error(`a notice instead of ${name}`)
      const { type, ...fields } = message
      expect(item).toMatchObject({ ...fields, messageType: type })
      const decoded = item.decode()
      if (!decoded.ok) expect(decoded.raw).toBe(item.payload)
      expect({ name, isDecoded: decoded.ok }).toEqual({ name, isDecoded: true })
      if (name === 'frame differs from envelope' && decoded.ok) {
        expect(decoded.issues.map((issue) => issue.code)).toContain('frame-differs')
      }
      if (name === 'unknown proto field') expect(item.unknownFields.length).toBeGreaterThan(0)
    })
  })

  test('of another module with the same event type are filtered', async () => {
    const sent = dataOf('module').filter((each) => each.message.eventType === 'FUNDING')
    await using all = streams()
    const stream = all.moduleEvents({ modules: ['fees-and-credits'] })
    const arriving = take(stream, 2)
    ;(await server.call()).send(...sent.map((each) => each.bytes))
    const [, fee] = await arriving
    if (fee?.type !== 'event') throw new Error('no event')
    const decoded = fee.decode()
    expect(decoded.ok && decoded.value.module).toBe('fees-and-credits')
  })
})

test('the table of modules has every module once', () => {
  expect(Object.keys(MODULES).sort()).toEqual(
    [
      'application',
      'account',
      'funding',
      'fees-and-credits',
      'journal',
      'master-data',
      'instrument',
      'trade',
      'corporate-actions',
      'event-contract',
      'sod',
    ].sort(),
  )
  expect(typeof payloads.module).toBe('function')
})
