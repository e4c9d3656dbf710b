import { expect, test } from 'vitest'
import { parseModuleName, SUBSCRIBABLE_MODULES } from './module-names.ts'

test('parseModuleName accepts each name, also in upper case with underscores', () => {
  expect(SUBSCRIBABLE_MODULES).toHaveLength(10)
  for (const name of SUBSCRIBABLE_MODULES) {
    expect(parseModuleName(name)).toBe(name)
    expect(parseModuleName(name.toUpperCase().replaceAll('-', '_'))).toBe(name)
  }
})

test.each(['', 'sod', 'SOD', 'fundings', 'master data', 'constructor', '__proto__'])(
  '%j names none',
  (text) => {
    expect(parseModuleName(text)).toBeUndefined()
  },
)
