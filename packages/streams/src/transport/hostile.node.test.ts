/** Random bodies in random chunks have the expected result, and random bytes of a server always end the call. */

import { envelope, textMessage, texts } from '@brokerwire/testing/grpc-envelope'
import { FRAME, frame, GRPC_HEAD } from '@brokerwire/testing/raw-http2'
import { fromBinary } from '@bufbuild/protobuf'
import { StringValueSchema } from '@bufbuild/protobuf/wkt'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { createHarness, type Harness } from '../test/transport/harness.ts'
import { outcomeOf } from '../test/transport/outcome.ts'

const READ_MAX_BYTES = 300

let harness: Harness
beforeEach(() => {
  harness = createHarness('ours')
})
afterEach(() => harness.close())

/** The expected result of a body, read in one piece. */
function plainReading(body: Buffer): string[] {
  const messages: string[] = []
  let at = 0
  while (at < body.length) {
    if (body.length - at < 5) return [...messages, 'internal']
    const [flags, length] = [body[at] as number, body.readUInt32BE(at + 1)]
    if (flags > 1) return [...messages, 'internal']
    if (length > READ_MAX_BYTES) return [...messages, 'resource_exhausted']
    const message = body.subarray(at + 5, at + 5 + length)
    // Compressed without a grpc-encoding, or cut off.
    if (message.length < length || flags === 1) return [...messages, 'internal']
    try {
      messages.push(fromBinary(StringValueSchema, message).value)
    } catch {
      return [...messages, 'internal']
    }
    at += 5 + length
  }
  return [...messages, 'ok']
}

const valid = fc.string({ maxLength: 50 }).map((value) => texts(value))
const long = fc.integer({ min: 280, max: 320 }).map((length) => texts('x'.repeat(length)))
const wrongFlags = fc.integer({ min: 1, max: 255 }).map((flags) => envelope(textMessage('f'), flags))
const garbage = fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes))
const undecodable = fc.uint8Array({ maxLength: 12 }).map((bytes) => envelope(bytes))
const bodies = fc
  .array(
    fc.oneof(
      { weight: 12, arbitrary: valid },
      { weight: 1, arbitrary: long },
      { weight: 1, arbitrary: wrongFlags },
      { weight: 1, arbitrary: garbage },
      { weight: 2, arbitrary: undecodable },
    ),
    { maxLength: 12 },
  )
  .map((parts) => Buffer.concat(parts))

test('reads any body in any chunks', async () => {
  let body = Buffer.alloc(0)
  let sizes: readonly number[] = []
  const server = await harness.wire((call) => {
    const frames: Buffer[] = []
    for (let at = 0, n = 0; at < body.length; n++) {
      const size = sizes[n % sizes.length] ?? 1
      frames.push(call.data(body.subarray(at, at + size)))
      at += size
    }
    call.write(call.headers(GRPC_HEAD), ...frames, call.headers({ 'grpc-status': '0' }, true))
  })
  const client = harness.client(server.url, { readMaxBytes: READ_MAX_BYTES })
  const cuts = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(bodies, cuts, async (bytes, cut) => {
      body = bytes
      sizes = cut
      expect(await outcomeOf(client.serverStream({}))).toEqual(plainReading(bytes))
    }),
    { numRuns: inject('isFullRun') ? 300 : 30 },
  )
})

/** Ends a call if Node's HTTP/2 emits no event. */
const DEADLINE_MS = 100

test('ends the call after any change of the bytes on the wire', async () => {
  let change: (bytes: Buffer) => Buffer = (bytes) => bytes
  const server = await harness.wire((call) => {
    const response = Buffer.concat([
      call.headers(GRPC_HEAD),
      call.data(texts('one', 'two')),
      frame(FRAME.ping, 0, 0, Buffer.alloc(8)),
      frame(FRAME.windowUpdate, 0, 0, Buffer.from([0, 0, 0, 9])),
      call.data(texts('three')),
      call.headers({ 'grpc-status': '0', 'x-more': '1' }, true),
    ])
    call.socket.end(change(response))
  })
  const at = fc.nat({ max: 200 })
  const changes = fc.array(fc.tuple(at, fc.nat({ max: 3 }), fc.uint8Array({ maxLength: 4 })), {
    minLength: 1,
    maxLength: 3,
  })
  await fc.assert(
    fc.asyncProperty(changes, async (list) => {
      change = (bytes) => {
        let changed = bytes
        for (const [from, removed, added] of list) {
          changed = Buffer.concat([changed.subarray(0, from), added, changed.subarray(from + removed)])
        }
        return changed
      }
      const client = harness.client(server.url)
      const outcome = await outcomeOf(client.serverStream({}, { timeoutMs: DEADLINE_MS }))
      expect(outcome.at(-1)).toMatch(/^[a-z_]+$/)
      expect(outcome.length).toBeLessThan(10)
    }),
    { numRuns: 60 },
  )
})
