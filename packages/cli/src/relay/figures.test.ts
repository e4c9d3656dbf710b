import { expect, test } from 'vitest'
import { createFigures } from './figures.ts'

test('the budget of creates is there from its report until a token is usable', () => {
  const figures = createFigures()
  figures.observer.onToken?.({ app: 'a', state: 'failed', nextCreateAtMs: 300_000 })
  expect(figures.read().a).toMatchObject({ messages: 0, nextCreateAt: '1970-01-01T00:05:00.000Z' })
  figures.observer.onToken?.({ app: 'a', state: 'usable' })
  expect(figures.read().a?.nextCreateAt).toBeUndefined()
})
