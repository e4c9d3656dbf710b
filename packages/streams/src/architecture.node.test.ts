/** The way of an event, as ARCHITECTURE.md has it, is the way that the code takes: its names exist, where it says. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const text = readFileSync(new URL('../../../ARCHITECTURE.md', import.meta.url), 'utf8')
const section = text.split('### The way of an event')[1]?.split('\n#')[0] ?? ''
const rows = [...section.matchAll(/^\| `([^`]+)` \| (`[^|]+`) \| [^|]+\|$/gm)].flatMap(
  ([, name = '', files = '']) =>
    [...files.matchAll(/`([^`]+)`/g)].map(([, file = '']) => [name, file] as const),
)

test('it has at most eight functions, from the socket to the consumer', () => {
  const names = new Set(rows.map(([name]) => name))
  expect(names.size).toBeGreaterThan(5)
  expect(names.size).toBeLessThanOrEqual(8)
})

test.each(rows)('%s is in %s', (name, file) => {
  const source = readFileSync(new URL(file, import.meta.url), 'utf8')
  const definition = new RegExp(`^\\s*(?:async |const )?${name}(?:\\(| = (?:async )?[(<])`, 'm')
  expect(source).toMatch(definition)
})
