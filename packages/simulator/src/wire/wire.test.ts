import { createSeededRandom } from '@brokerwire/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPositionCodec } from '../events/positions.ts'
import { fromCents, isoNanoseconds, isoWithOffset, onePlace, tenPlaces } from './formats.ts'
import { MARKETS } from './instruments.ts'
import { MODULE_NAMES, MODULES } from './modules.ts'
import { newOrder, orderStep } from './order.ts'
import { settlement } from './position.ts'
import { applyQuirks } from './quirks.ts'
import { createWireRandom, deriveSeed } from './random.ts'

describe('numbers and timestamps', () => {
  it('have the format of published examples', () => {
    expect([tenPlaces(411), tenPlaces(0), onePlace(205), onePlace(0)]).toEqual([
      '411.0000000000',
      '0E-10',
      '205.0',
      '0E-10',
    ])
    expect([fromCents(68_485), fromCents(5), fromCents(0), fromCents(-150)]).toEqual([
      '684.85',
      '0.05',
      '0E-10',
      '-1.50',
    ])
    const at = Date.UTC(2026, 4, 1, 18, 53, 58, 569)
    expect(isoWithOffset(at, -300)).toBe('2026-05-01T13:53:58.569-0500')
    expect(isoWithOffset(at, 480)).toBe('2026-05-02T02:53:58.569+0800')
    expect(isoWithOffset(at, 0)).toBe('2026-05-01T18:53:58.569+0000')
    expect(isoNanoseconds(at, 859)).toBe('2026-05-01T18:53:58.569000859Z')
  })
})

describe('random values', () => {
  it('are independent for each part, and the same for the same seed', () => {
    const seeds = Array.from({ length: 50 }, (_, part) => deriveSeed(1, part))
    expect(new Set(seeds).size).toBe(50)
    const draw = (seed: number): string => createWireRandom(seed).uuid()
    expect(draw(5)).toBe(draw(5))
    expect(draw(5)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(createWireRandom(5).next()).toBe(createSeededRandom(5)())
  })
})

describe('cursors', () => {
  it('can be decoded to their position, but only in their own event type', () => {
    fc.assert(
      fc.property(fc.nat(4_294_967_295), fc.nat(2_147_483_647), fc.string(), (seed, index, eventType) => {
        const codec = createPositionCodec(seed, eventType)
        expect(codec.decode(codec.encode(index))).toBe(index)
      }),
    )
    const codec = createPositionCodec(1, 'FUNDING')
    const other = createPositionCodec(1, 'JOURNAL')
    expect(other.decode(codec.encode(3))).not.toBe(3)
    for (const wrong of ['', 'C', codec.encode(3).toLowerCase(), `${codec.encode(3)} `]) {
      expect(codec.decode(wrong)).toBeUndefined()
    }
  })

  it('do not sort in the order of events', () => {
    const codec = createPositionCodec(1, 'FUNDING')
    const cursors = Array.from({ length: 20 }, (_, index) => codec.encode(index))
    expect([...cursors].sort()).not.toEqual(cursors)
    expect(new Set(cursors).size).toBe(20)
  })
})

describe('orders', () => {
  const market = MARKETS.us
  const input = { market, nowMs: Date.UTC(2026, 0, 1), random: createWireRandom(1) }

  it('have exactly the fields of the specification', () => {
    const order = newOrder(input.random, market, 'A')
    const { payload } = orderStep(order, 'FILLED', input)
    expect(Object.keys(payload)).toEqual([
      'account_id',
      'request_id',
      'order_id',
      'client_order_id',
      'instrument_id',
      'order_status',
      'symbol',
      'short_name',
      'qty',
      'filled_price',
      'filled_qty',
      'filled_time',
      'side',
      'scene_type',
      'category',
      'order_type',
      'actual_commission',
      'receivable_commission',
      'fees',
    ])
    for (const [name, value] of Object.entries(payload)) {
      if (name !== 'fees') expect(typeof value).toBe('string')
    }
  })

  it('have no commissions, fees and fill time on PLACE_FAILED', () => {
    const { payload } = orderStep(newOrder(input.random, market, 'A'), 'PLACE_FAILED', input)
    expect(payload).toMatchObject({ order_status: 'FAILED', filled_price: '0E-10', filled_qty: '0E-10' })
    for (const absent of ['actual_commission', 'receivable_commission', 'fees', 'filled_time']) {
      expect(payload).not.toHaveProperty(absent)
    }
  })

  it('are filled by the given quantity, and never by more than is open', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 1000 }), (quantity, fill) => {
        const order = newOrder(input.random, market, 'A', { quantity })
        const step = () => orderStep(order, 'FILLED', { ...input, quantity: fill }).order
        if (fill > quantity) expect(step).toThrow(`stepQuantity must be at most ${quantity},`)
        else {
          const status = fill === quantity ? 'FILLED' : 'PARTIAL_FILLED'
          expect(step()).toMatchObject({ filledQuantity: fill, status })
        }
      }),
    )
  })

  it('are filled by a generated part if no quantity is given, and by the last unit as a whole', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), (quantity) => {
        const order = newOrder(input.random, market, 'A', { quantity })
        const { filledQuantity, status } = orderStep(order, 'FILLED', input).order
        expect(filledQuantity).toBeGreaterThan(0)
        expect(filledQuantity).toBeLessThan(Math.max(quantity, 2))
        expect(status).toBe(quantity === 1 ? 'FILLED' : 'PARTIAL_FILLED')
      }),
    )
  })
})

describe('settlements', () => {
  it('have seven strings, and pay nothing to the losing side', () => {
    for (let seed = 0; seed < 30; seed += 1) {
      const { payload } = settlement(createWireRandom(seed))
      expect(Object.keys(payload)).toEqual([
        'event_name',
        'yes_condition',
        'settle_result',
        'settle_side',
        'quantity',
        'cost',
        'settle_amount',
      ])
      expect(payload.settle_amount === '0E-10').toBe(payload.settle_side !== payload.settle_result)
    }
  })
})

describe('modules', () => {
  it('share event types as in the published table', () => {
    expect(MODULE_NAMES.map((name) => MODULES[name].eventType)).toEqual([
      'APPLICATION',
      'ACCOUNT',
      'FUNDING',
      'FUNDING',
      'JOURNAL',
      'MASTER_DATA',
      'INSTRUMENT',
      'TRADE',
      'INSTRUMENT',
      'POSITION',
      'SOD',
    ])
  })
})

describe('quirks', () => {
  it('adds every quirk of published examples to payloads, one at a time', () => {
    const clean = { symbol: 'AAPL', order_id: '1', qty: '2.0', event_id: 'E1' }
    const seen = new Set<string>()
    for (let seed = 0; seed < 200; seed += 1) {
      seen.add(JSON.stringify(applyQuirks(clean, createWireRandom(seed))))
    }
    expect([...seen].sort()).toEqual(
      [
        clean,
        { 'symbol ': 'AAPL', order_id: '1', qty: '2.0', event_id: 'E1' },
        { symbol: 'AAPL', qty: '2.0', event_id: 'E1' },
        { symbol: 'AAPL', order_id: '1', qty: 2, event_id: 'E1' },
        { symbol: 'AAPL', order_id: '1', qty: '2.0', eventId: 'E1' },
        { ...clean, secAccountId: 123_456_789_012_345, requestId: 'extra' },
      ]
        .map((item) => JSON.stringify(item))
        .sort(),
    )
  })
})
