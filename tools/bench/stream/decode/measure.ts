/** Measures every contender in one process; prints the microseconds of each round as JSON. */
import assert from 'node:assert/strict'
import { ModuleSubscribeResponseSchema, TradeSubscribeResponseSchema } from '@brokerwire/protos'
import { createRegistry, type DescMessage, equals, type Message, ScalarType } from '@bufbuild/protobuf'
import type { BufferDecoder } from '../../../../packages/streams/src/transport/decoding/gen/range-reader.ts'
import wireMessages from '../../../../testdata/fixtures/wire-messages.json' with { type: 'json' }
import { measureRounds } from '../../rounds.ts'
import { contendersFor, lessThanTheJob } from './contenders.ts'

const ROUNDS = 15
const ROUND_MS = 15
/** About what one read from a socket brings. */
const CHUNK_BYTES = 64 * 1024

interface Kind {
  readonly schema: DescMessage
  readonly messages: readonly Buffer[]
}

function kind(schema: DescMessage, service: string, names: RegExp): Kind {
  const messages = wireMessages.messages
    .filter((message) => message.service === service && names.test(message.name))
    .map(({ hex }) => Buffer.from(hex, 'hex'))
  assert.ok(messages.length > 0)
  return { schema, messages }
}

const KINDS: Readonly<Record<string, Kind>> = {
  trade: kind(TradeSubscribeResponseSchema, 'trade', /^order [A-Z_]+$/),
  module: kind(ModuleSubscribeResponseSchema, 'module', /^[A-Z_]+ [A-Z_]+$/),
  ping: kind(TradeSubscribeResponseSchema, 'trade', /^ping$/),
}

/** Who does less than the whole job must not be measured. */
function requireSameJob({ schema, messages }: Kind): void {
  const { ours, ...others } = contendersFor(schema)
  assert.ok(ours !== undefined)
  const options = { unknown: true, registry: createRegistry() }
  // Field 99 as a varint, and as text.
  const unknown = Buffer.from([0x98, 0x06, 0x05, 0x9a, 0x06, 0x01, 0x41])
  const inside = (bytes: Buffer): [Buffer, number, number] => [
    Buffer.concat([Buffer.alloc(7, 0xff), bytes, Buffer.alloc(7, 0xff)]),
    7,
    7 + bytes.length,
  ]
  for (const [name, decoder] of Object.entries(others)) {
    for (const message of messages) {
      for (const bytes of [message, Buffer.concat([message, unknown])]) {
        const same = equals(schema, decoder(...inside(bytes)), ours(...inside(bytes)), options)
        assert.ok(same, `${name}: another message`)
      }
    }
    const notUtf8 = Buffer.from([0x1a, 0x01, 0xff])
    assert.throws(() => decoder(...inside(notUtf8)), `${name}: took what is not UTF-8`)
    const first = messages[0] ?? Buffer.alloc(0)
    const short = inside(first.subarray(0, -1))
    assert.throws(() => decoder(...short), `${name}: took a message that is cut off`)
  }
}

/**
 * Looks at one character of each text. A text glued of pieces is copied into one when somebody looks at it, which is
 * a part of what it costs.
 */
function looker(schema: DescMessage): (message: Message) => number {
  const names = schema.fields
    .filter(({ scalar }) => scalar === ScalarType.STRING)
    .map(({ localName }) => localName)
  return (message) => {
    let sum = 0
    for (const name of names) {
      const text = (message as unknown as Record<string, string>)[name] ?? ''
      if (text.length > 0) sum += text.charCodeAt(text.length - 1)
    }
    return sum
  }
}

/** Goes round the messages, which stand behind each other as in a chunk. */
function running({ schema, messages }: Kind, decoder: BufferDecoder): () => unknown {
  const look = looker(schema)
  const ends: number[] = []
  const parts: Buffer[] = []
  let total = 0
  for (let i = 0; total < CHUNK_BYTES; i += 1) {
    const message = messages[i % messages.length] ?? Buffer.alloc(0)
    parts.push(message)
    total += message.length
    ends.push(total)
  }
  const chunk = Buffer.concat(parts)
  let next = 0
  let start = 0
  let seen = 0
  return () => {
    const end = ends[next] ?? 0
    const message = decoder(chunk, start, end)
    seen = (seen + look(message)) | 0
    next += 1
    start = end
    if (next === ends.length) {
      next = 0
      start = 0
    }
    return seen
  }
}

const results: Record<string, Record<string, number[]>> = {}
for (const [name, one] of Object.entries(KINDS)) {
  requireSameJob(one)
  const contenders = { ...contendersFor(one.schema), ...lessThanTheJob(one.schema) }
  results[name] = await measureRounds(
    Object.fromEntries(Object.entries(contenders).map(([key, decoder]) => [key, running(one, decoder)])),
    ROUNDS,
    ROUND_MS,
  )
}
console.log(JSON.stringify(results))
