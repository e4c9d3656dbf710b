import { describe, expect, test } from 'vitest'
import { createDriftReport } from './drift-report.ts'
import { createPayloads } from './payloads.ts'
import { isPayloadsError } from './payloads-error.ts'
import { TRADE_FRAMES, tradeFrame } from './test/fixtures.ts'

const strict = createPayloads({ mode: 'strict' })

describe('createDriftReport', () => {
  test('has one entry for findings of one kind at different array indices', () => {
    const report = createDriftReport()
    const frame = tradeFrame('order FINAL_FILLED')
    const payload = frame.payload.replaceAll('FINRA_CAT_REGULATORY_FEE', 'NEW_FEE')
    report.add('order', strict.order({ ...frame, payload }))
    expect(report.entries()).toContainEqual({
      payload: 'order',
      code: 'unknown-value',
      path: 'fees[].type',
      expected: 'text, known: FINRA_CAT_REGULATORY_FEE',
      excerpt: 'NEW_FEE',
      count: 2,
    })
  })

  test('has an entry for each unknown value, the most frequent first', () => {
    const report = createDriftReport()
    const frame = tradeFrame('order FILLED')
    for (const status of ['NEW_A', 'NEW_B', 'NEW_B']) {
      const payload = frame.payload.replace('PARTIAL_FILLED', status)
      report.add('order', strict.order({ ...frame, payload }))
    }
    const found = report
      .entries()
      .filter(({ path, code }) => path === 'order_status' && code === 'unknown-value')
    expect(found.map(({ excerpt, count }) => [excerpt, count])).toEqual([
      ['NEW_B', 2],
      ['NEW_A', 1],
    ])
  })

  test('counts payloads that cannot be decoded', () => {
    const report = createDriftReport()
    report.add('order', strict.order(tradeFrame('broken json')))
    report.add('order', strict.order({ ...tradeFrame('order FILLED'), payload: '{}' }))
    const codes = report.entries().map(({ code, path }) => `${code} ${path}`)
    expect(codes).toContain('PAYLOAD_NOT_JSON payload')
    expect(codes).toContain('missing account_id')
    expect(report.payloads).toBe(2)
  })

  test('has at most maxEntries entries', () => {
    const report = createDriftReport({ maxEntries: 2 })
    for (const { frame } of TRADE_FRAMES) report.add('order', strict.order(frame))
    expect(report.entries()).toHaveLength(2)
    expect(report.unlisted).toBeGreaterThan(0)
  })

  test('rejects an invalid option by name', () => {
    expect(() => createDriftReport({ maxEntries: 0 })).toThrow(
      expect.toSatisfy((error) => isPayloadsError(error, 'PAYLOAD_OPTION_INVALID')),
    )
  })
})
