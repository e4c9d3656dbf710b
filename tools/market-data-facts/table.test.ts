/** Every row of the facts on market data has its test or its option, and those exist. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../lib/workspace.ts'
import { CONNACK, CONNECTION, ERRORS, MESSAGES, type Shown, SUBSCRIBING } from './table.ts'

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** First cells of the tables between two headings, table by table. */
function tablesOf(from: string, to: string): string[][] {
  const page = read('docs/facts.md')
  const part = page.slice(page.indexOf(from), page.indexOf(to))
  const tables: string[][] = []
  let isRow = false
  for (const line of part.split('\n')) {
    const cell = /^\| ?(.*?) ?\|/.exec(line)?.[1]
    if (cell === undefined) isRow = false
    else if (/^-+$/.test(cell)) isRow = true
    else if (isRow) tables.at(-1)?.push(cell)
    else tables.push([])
  }
  return tables
}

test('no row of the page is missing, and none is invented', () => {
  const tables = tablesOf('## Market data over MQTT', '### What goes wrong in other clients')
  const sorted = (cells: readonly string[]): string[] => [...cells].sort()
  expect(tables.map(sorted)).toEqual(
    [CONNECTION, CONNACK, SUBSCRIBING, ERRORS].map((rows) => sorted(Object.keys(rows))),
  )
})

const rows = Object.entries<Shown>({ ...CONNECTION, ...CONNACK, ...SUBSCRIBING, ...ERRORS, ...MESSAGES })

test.each(rows)('%s: its tests and options are there', (_, { tests, options = [] }) => {
  expect(tests.length).toBeGreaterThan(0)
  for (const [file, name] of tests) expect(read(file), `${file}: ${name}`).toContain(name)
  const quotes = [
    'packages/quotes/src/quotes-options.ts',
    'packages/quotes/src/connection/policy.ts',
    // Those of whatever opens its connections again.
    'packages/core/src/backoff.ts',
  ]
    .map(read)
    .join('')
  const simulator = read('packages/simulator/src/quotes/quotes-options.ts')
  for (const option of options) {
    const [name = '', where = quotes] = option.startsWith('simulator:')
      ? [option.slice(10), simulator]
      : [option]
    expect(where, option).toContain(`readonly ${name}`)
  }
})
