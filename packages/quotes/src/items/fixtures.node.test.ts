/** Payloads that Google's runtime serialized have the same values here. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { kindFromTopic, MessageItem } from './message-items.ts'
import { peekSymbol } from './peek-symbol.ts'

interface Fixture {
  readonly topic: string
  readonly name: string
  readonly hex: string
  readonly message: Readonly<Record<string, unknown>> & { readonly basic: Readonly<Record<string, string>> }
}

const file = new URL('../../../../testdata/fixtures/market-data.json', import.meta.url)
const { messages } = JSON.parse(readFileSync(file, 'utf8')) as { readonly messages: readonly Fixture[] }

/** All strings of a value, at any depth. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : []
}

test.each(messages)('$name', ({ topic, hex, message }) => {
  const payload = new Uint8Array(Buffer.from(hex, 'hex'))
  const symbol = peekSymbol(payload, 0, payload.length)
  expect(symbol).toBe(message.basic.symbol)
  const kind = kindFromTopic(topic)
  expect(kind).toBe(topic)
  const item = new MessageItem({
    kind,
    topic,
    symbol,
    payload,
    connection: 1,
    receivedAtMs: 0,
    duplicate: false,
  })
  const decoded = item.decode()
  if (!decoded.ok) throw decoded.error
  // Nothing is lost and nothing is invented: the same strings, equally often.
  expect(texts(decoded.value).sort()).toEqual(texts(message).sort())
  expect(decoded.value).toMatchObject({ symbol, unknownFields: [] })
})
