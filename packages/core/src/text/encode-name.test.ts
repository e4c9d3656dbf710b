import { expect, test } from 'vitest'
import { encodeName } from './encode-name.ts'

test('names as NATS takes them: letters and digits as they are, all else as bytes', () => {
  expect(encodeName('access-token')).toBe('access-token')
  expect(encodeName('a/b.c:d')).toBe('a=2Fb=2Ec=3Ad')
  expect(encodeName('=2F')).toBe('=3D2F')
  expect(encodeName('\u00e9')).toBe('=C3=A9')
  expect(encodeName('\u{1f4c8}')).toBe('=F0=9F=93=88')
  expect(encodeName('')).toBe('')
})
