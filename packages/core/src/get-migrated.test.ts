import { expect, test } from 'vitest'
import { getMigrated } from './get-migrated.ts'

function createStore(entries: Readonly<Record<string, string>>) {
  const texts = new Map(Object.entries(entries))
  return {
    texts,
    async get(key: string) {
      return texts.get(key)
    },
    async compareAndSet(key: string, expected: string | undefined, next: string | undefined) {
      if (texts.get(key) !== expected) return false
      if (next === undefined) texts.delete(key)
      else texts.set(key, next)
      return true
    },
  }
}

test('moves a text of the old key once', async () => {
  const store = createStore({ old: 'text' })
  expect(await getMigrated(store, 'new', 'old')).toBe('text')
  expect([...store.texts]).toEqual([['new', 'text']])
  expect(await getMigrated(store, 'new', 'old')).toBe('text')
})

test('leaves the old key alone if the new one has a text', async () => {
  const store = createStore({ new: 'newer', old: 'text' })
  expect(await getMigrated(store, 'new', 'old')).toBe('newer')
  expect(store.texts.get('old')).toBe('text')
})

test('returns the text that another process wrote first', async () => {
  const store = createStore({ old: 'text' })
  const get = store.get.bind(store)
  store.get = async (key) => {
    const text = await get(key)
    if (key === 'old') store.texts.set('new', 'of another process')
    return text
  }
  expect(await getMigrated(store, 'new', 'old')).toBe('of another process')
})

test('returns undefined without a text, and without an old key', async () => {
  expect(await getMigrated(createStore({}), 'new', 'old')).toBeUndefined()
  expect(await getMigrated(createStore({ old: 'text' }), 'new', undefined)).toBeUndefined()
})
