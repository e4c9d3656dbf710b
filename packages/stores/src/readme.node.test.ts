/** The README's example of encryption is the one that is tested here. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { storeContract } from './contract/index.ts'
import { createMemoryStore } from './index.ts'
import { encrypted } from './test/encrypted.ts'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

test('the README shows it as it is tested', () => {
  const source = read('./test/encrypted.ts')
  expect(read('../README.md')).toContain(source.slice(source.indexOf('import {')))
})

describe('an encrypted store keeps the contract', () => {
  const open = async () => {
    const [inner, key] = [createMemoryStore(), randomBytes(32)]
    return { first: encrypted(inner, key), second: encrypted(inner, key) }
  }
  for (const { name, run } of storeContract({ open })) test(name, run)
})

test('what lies at rest says nothing', async () => {
  const inner = createMemoryStore()
  await encrypted(inner, randomBytes(32)).compareAndSet('key', undefined, 'hunter2')
  expect(await inner.get('key')).not.toContain('hunter2')
})

test('another key opens nothing', async () => {
  const inner = createMemoryStore()
  await encrypted(inner, randomBytes(32)).compareAndSet('key', undefined, 'hunter2')
  await expect(encrypted(inner, randomBytes(32)).get('key')).rejects.toThrow()
})
