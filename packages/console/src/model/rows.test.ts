import { describe, expect, test } from 'vitest'
import { appendRows, PAGE_BOUNDS, type Row } from './rows.ts'

const entries = (from: number, count: number, text = '') =>
  Array.from({ length: count }, (_, at) => ({ name: `${from + at}`, text }))
const names = (rows: readonly Row<{ readonly name: string }>[]) => rows.map(({ entry }) => entry.name)
const GENEROUS = { maxRows: 5, maxBytes: 1_000_000 }

describe('rows', () => {
  test('the oldest go first, and no key is used twice', () => {
    const first = appendRows([], entries(0, 4), GENEROUS)
    const second = appendRows(first, entries(4, 4), GENEROUS)
    expect(names(second)).toEqual(['3', '4', '5', '6', '7'])
    expect(second.map(({ key }) => key)).toEqual([3, 4, 5, 6, 7])
    expect(names(first)).toEqual(['0', '1', '2', '3'])
  })

  test('bytes bound them as well as their number, and the newest stays', () => {
    const bounds = { maxRows: 100, maxBytes: 10_000 }
    const rows = appendRows([], entries(0, 20, 'x'.repeat(1000)), bounds)
    expect(rows.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(10_000)
    expect(rows.length).toBeGreaterThan(2)
    expect(names(rows).at(-1)).toBe('19')
    expect(names(appendRows(rows, entries(20, 1, 'x'.repeat(100_000)), bounds))).toEqual(['20'])
  })

  test('the page keeps 5,000 events and as many requests, of 8 MiB each', () => {
    expect(PAGE_BOUNDS).toEqual({ maxRows: 5000, maxBytes: 8_388_608 })
    const rows = appendRows([], entries(0, 10_000, 'x'.repeat(2048)), PAGE_BOUNDS)
    expect(rows.length).toBeLessThan(2000)
    expect(appendRows([], entries(0, 10_000), PAGE_BOUNDS)).toHaveLength(5000)
  })

  test('texts in lists count', () => {
    const [row] = appendRows([], [{ headerNames: ['a'.repeat(500)] }], GENEROUS)
    expect(row?.bytes).toBeGreaterThan(1000)
  })
})
