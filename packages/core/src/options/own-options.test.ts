import { describe, expect, test } from 'vitest'
import { ownOption, ownOptions } from './own-options.ts'

describe('ownOption', () => {
  test('is an own property of the object, never an inherited one', () => {
    expect(ownOption({ off: true }, 'off')).toBe(true)
    expect(ownOption(Object.assign(Object.create(null), { off: true }), 'off')).toBe(true)
    expect(ownOption(Object.create({ off: true }) as { off: boolean }, 'off')).toBeUndefined()
    expect(ownOption({} as { toString?: unknown }, 'toString')).toBeUndefined()
  })
})

describe('ownOptions', () => {
  test('are those of the object itself, read once', () => {
    let reads = 0
    const given = {
      a: 1,
      get b() {
        reads += 1
        return reads
      },
    }
    const read = ownOptions(given)
    expect([read.a, read.b, read.b]).toEqual([1, 1, 1])
    expect(ownOptions(Object.create({ off: true }) as { off: boolean }).off).toBeUndefined()
    expect((read as { toString?: unknown }).toString).toBeUndefined()
  })

  test.each([[undefined], [null], [5]])('of %o there are none', (value) => {
    expect(Object.keys(ownOptions(value) as unknown as object)).toEqual([])
  })
})
