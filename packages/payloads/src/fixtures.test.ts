import { describe, expect, test } from 'vitest'
import { payloads } from './payloads.ts'
import { isPayloadsError } from './payloads-error.ts'
import { MODULE_FRAMES, moduleFrame, TRADE_FRAMES, tradeFrame } from './test/fixtures.ts'

describe('wire messages of the trade and position streams', () => {
  test.each(TRADE_FRAMES.filter(({ frame }) => frame.eventType === 1024))('$name', ({ name, frame }) => {
    const result = payloads.order(frame)
    if (name === 'broken json') {
      expect(result).toMatchObject({ ok: false, raw: frame.payload })
      return
    }
    expect(result.ok).toBe(true)
    if (!result.ok) return
    const wire = JSON.parse(frame.payload)
    expect(result.issues).toEqual([])
    expect(result.value.raw).toBe(frame.payload)
    expect(result.value.sceneType).toBe(wire.scene_type)
    expect(result.value.filledPrice).toBe(wire.filled_price)
    expect(result.value.filledTime).toBe(wire.filled_time)
    expect(result.value.actualCommission).toBe(wire.actual_commission)
    expect(
      result.value.fees?.map(({ type, actualValue, receivableValue }) => ({
        type,
        actualValue,
        receivableValue,
      })),
    ).toEqual(
      wire.fees?.map((fee: Record<string, string>) => ({
        type: fee.type,
        actualValue: fee.actual_value,
        receivableValue: fee.receivable_value,
      })),
    )
  })

  test.each(TRADE_FRAMES.filter(({ frame }) => frame.eventType !== 1024))(
    '$name ($frame.eventType)',
    ({ frame }) => {
      const result = payloads.unknown(frame)
      expect(result).toMatchObject({ ok: true, value: { raw: frame.payload } })
      expect(result.ok && result.value.format).toBe(
        frame.contentType === 'application/json' ? 'json' : 'text',
      )
    },
  )

  test('include an order with a number as decimal, no order_id, and unknown names and keys', () => {
    const result = payloads.order(tradeFrame('order sloppy'))
    expect(result).toMatchObject({
      ok: true,
      issues: [],
      value: {
        qty: '12',
        sceneType: 'SOME_NEW_SCENE',
        orderStatus: 'WORKING',
        requestId: '2D8A50636452FAC9AC850320A',
        extra: { secAccountId: 123456789012345, requestId: 'abc', extra: { nested: [1, null, true] } },
      },
    })
    expect(result.ok && 'orderId' in result.value).toBe(false)
  })

  test('include invalid JSON, whose text is only in raw', () => {
    const result = payloads.order(tradeFrame('broken json'))
    expect(result.ok).toBe(false)
    if (result.ok) return
    expect(isPayloadsError(result.error, 'PAYLOAD_NOT_JSON')).toBe(true)
    expect(result.error.cause).toBeUndefined()
    expect(JSON.stringify(result.error)).not.toContain('account_id')
  })

  test('include a position settlement', () => {
    const result = payloads.position(tradeFrame('position settlement'))
    expect(result).toMatchObject({ ok: true, issues: [], value: { quantity: '10.00', settleSide: 'YES' } })
  })

  test('include text/plain, which is not parsed even if it is JSON', () => {
    const frame = { ...tradeFrame('position settlement'), contentType: 'text/plain' }
    const result = payloads.position(frame)
    expect(result.ok === false && isPayloadsError(result.error, 'PAYLOAD_CONTENT_TYPE')).toBe(true)
    expect(payloads.unknown(frame)).toMatchObject({ ok: true, value: { format: 'text' } })
  })
})

describe('wire messages of the module stream', () => {
  const events = MODULE_FRAMES.filter(({ frame }) => frame.type === 2)

  test.each(events)('$name', ({ frame }) => {
    const result = payloads.module(frame)
    expect(result.ok).toBe(true)
    if (!result.ok) return
    const { envelope, eventType, raw } = result.value
    expect(raw).toBe(frame.payload)
    expect(eventType).toBe(frame.eventType)
    expect(envelope.id).toBe(frame.id)
    expect(envelope.position ?? '').toBe(frame.position)
    expect(envelope.timestamp ?? '').toBe(frame.timestamp)
  })

  test('include ten documented modules, recognized by their names', () => {
    const found = events.map(({ frame }) => {
      const result = payloads.module(frame)
      return result.ok ? `${result.value.module} ${result.value.bizType}` : 'undecodable'
    })
    expect([...new Set(found)]).toEqual([
      'application ACCOUNT_CREATE',
      'account ACCOUNT_INFO_UPDATE',
      'account ACCOUNT_RESTRICT',
      'funding TRANSFER',
      'funding INSTANT_FUNDING',
      'fees-and-credits FEE_DEDUCTION',
      'journal CASH_JOURNAL',
      'master-data CALENDAR_UPDATE',
      'instrument PROPERTY_CHANGE',
      'corporate-actions CA_EVENT',
      'trade TRADE',
      'event-contract EVENT_POSITION_SETTLED',
      'sod undefined',
      'unknown SOMETHING',
    ])
  })

  test('use the value of the frame, and report the difference as an issue', () => {
    const result = payloads.module(moduleFrame('frame differs from envelope'))
    expect(result).toMatchObject({
      ok: true,
      value: { envelope: { id: 'event_in_frame', position: 'FRAMEPOS' } },
      issues: [
        { code: 'frame-differs', path: ['id'] },
        { code: 'frame-differs', path: ['position'] },
      ],
    })
  })

  test('include a decimal as a number, which keeps all its digits', () => {
    const result = payloads.module(moduleFrame('decimal as a JSON number'))
    expect(result).toMatchObject({ ok: true, value: { payload: { amount: '12.500000000000000001' } } })
  })

  test('include a number beyond 2^53, which stays in raw', () => {
    const result = payloads.module(moduleFrame('BRAND_NEW SOMETHING'))
    expect(result.ok && result.value.raw).toContain('9007199254740993')
    expect(result).toMatchObject({ ok: true, value: { module: 'unknown', payload: { hello: 'world' } } })
  })

  test('include a key with a trailing space', () => {
    const result = payloads.module(moduleFrame('POSITION EVENT_POSITION_SETTLED'))
    expect(result).toMatchObject({ ok: true, value: { payload: { symbol: 'KXRAIN-26', extra: {} } } })
  })

  test('include year as a number and as a string, and event_id in both spellings', () => {
    const year = (name: string) => {
      const result = payloads.module(moduleFrame(name))
      return result.ok && result.value.module === 'master-data' && result.value.payload.year
    }
    expect([year('year as a number'), year('MASTER_DATA CALENDAR_UPDATE')]).toEqual([2026, 2026])
    const action = (name: string) => {
      const result = payloads.module(moduleFrame(name))
      return result.ok && result.value.module === 'corporate-actions' && result.value.payload.eventId
    }
    expect([action('corporate action with event_id'), action('INSTRUMENT CA_EVENT')]).toEqual([
      'E1',
      'E875775272',
    ])
  })

  test('include control frames without JSON, which cannot be decoded', () => {
    for (const { frame } of MODULE_FRAMES.filter((item) => item.frame.type !== 2)) {
      expect(payloads.module(frame)).toMatchObject({ ok: false, raw: frame.payload })
    }
  })
})
