import { describe, expect, test } from 'vitest'
import { resolveApiVersion } from './normalize.ts'

describe('versions by path', () => {
  test('names of Object.prototype are ordinary paths', () => {
    expect(resolveApiVersion('/constructor', {}, 'v2')).toBe('v2')
  })

  test('the prefix / matches every path', () => {
    expect(resolveApiVersion('/a', { '/': 'v3', '/a/': 'v2' }, 'v2')).toBe('v2')
    expect(resolveApiVersion('/b', { '/': 'v3', '/a/': 'v2' }, 'v2')).toBe('v3')
  })
})
