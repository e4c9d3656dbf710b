/** Messages that are found, and backpressure, with a fake stream. */
import { gzipSync } from 'node:zlib'
import { envelope, textMessage, texts } from '@brokerwire/testing/grpc-envelope'
import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from 'vitest'
import { gzipCompression } from './compression.ts'
import { MessageReader } from './message-reader.ts'
import { ResponseStatus } from './response-status.ts'

const GZIP = { ':status': '200', 'content-type': 'application/grpc', 'grpc-encoding': 'gzip' }

function begin(options: { readonly readAheadBytes?: number; readonly readMaxBytes?: number } = {}) {
  const log: string[] = []
  const stream = {
    readableLength: 7,
    pause: () => void log.push('pause'),
    resume: () => void log.push('resume'),
  }
  const connection = { onPauseChange: (paused: boolean) => void log.push(`paused ${paused}`) }
  const response = new ResponseStatus()
  const reader = new MessageReader(
    stream as never,
    connection,
    { readAheadBytes: 1000, readMaxBytes: 500, ...options },
    response,
  )
  return { log, response, reader }
}

const errorOf = (found: unknown): string =>
  found instanceof ConnectError ? `${Code[found.code]}: ${found.rawMessage}` : String(found)

test('pauses reading while enough messages wait, and bytes received before that are no activity', () => {
  const { log, reader } = begin({ readAheadBytes: 100 })
  const message = texts('x'.repeat(40))
  for (let n = 0; n < 2; n += 1) expect(reader.receive(message)).toBe(true)
  expect(log).toEqual([])
  expect(reader.receive(message)).toBe(true)
  expect(reader.paused).toBe(true)
  expect(reader.read()).toBe('message')
  expect(reader.paused).toBe(true)
  expect(reader.read()).toBe('message')
  expect(reader.paused).toBe(false)
  expect(log).toEqual(['pause', 'paused true', 'paused false', 'resume'])
  // Node had received the next seven bytes before reading was paused.
  for (let n = 0; n < 2; n += 1) expect(reader.receive(Buffer.alloc(5))).toBe(false)
  expect(reader.receive(Buffer.alloc(5))).toBe(true)
})

test('does not pause reading within the next message', () => {
  const { reader } = begin({ readAheadBytes: 10 })
  const message = texts('x'.repeat(300))
  reader.receive(message.subarray(0, 5))
  expect(reader.read()).toBe('incomplete')
  reader.receive(message.subarray(5, 200))
  expect(reader.paused).toBe(false)
  reader.receive(message.subarray(200))
  expect(reader.paused).toBe(true)
  expect(reader.read()).toBe('message')
})

test.each([
  [
    'an envelope with unknown flags',
    envelope(textMessage('x'), 2),
    'Internal: an envelope has flags that gRPC does not define',
  ],
  [
    'a message of more than 1 GiB',
    Buffer.from([0, 0x40, 0, 0, 1]),
    'ResourceExhausted: a message of 1073741825 bytes is longer than readMaxBytes (500)',
  ],
])('returns an error at each read after %s', (_, bytes, expected) => {
  const { reader } = begin()
  reader.push(bytes)
  for (let n = 0; n < 2; n += 1) expect(errorOf(reader.read())).toBe(expected)
})

test('skips a message that is too long while it arrives, without keeping it', () => {
  const { log, reader } = begin({ readAheadBytes: 100 })
  const message = envelope(Buffer.alloc(100_000))
  reader.push(Buffer.concat([texts('a'), message.subarray(0, 300)]))
  expect(reader.read()).toBe('message')
  expect(reader.read()).toBe('too-long')
  expect(reader.skip()).toEqual({
    reason: 'too-large',
    message: 'a message of 100000 bytes is longer than readMaxBytes (500)',
    bytes: undefined,
    length: 100_000,
  })
  for (let at = 300; at < message.length; at += 1000) {
    expect(reader.isWithinMessage).toBe(true)
    expect(reader.read()).toBe('incomplete')
    reader.receive(message.subarray(at, at + 1000))
  }
  expect(reader).toMatchObject({ isWithinMessage: false, paused: false })
  expect(log).toEqual([])
  reader.receive(texts('b'))
  expect(reader.read()).toBe('message')
  expect(reader.read()).toBe('incomplete')
})

test('pauses reading even if the next message is too long and not skipped yet', () => {
  const { reader } = begin({ readAheadBytes: 100 })
  const message = envelope(Buffer.alloc(100_000))
  reader.receive(message.subarray(0, 5))
  expect(reader.read()).toBe('too-long')
  expect(reader.paused).toBe(false)
  reader.receive(message.subarray(5, 200))
  expect(reader.paused).toBe(true)
  reader.skip()
  expect(reader.paused).toBe(false)
})

test('decompresses a message with the coding of the headers, and fails without one', async () => {
  const { reader, response } = begin()
  reader.push(envelope(gzipSync(textMessage('x')), 1))
  expect(reader.read()).toBe('compressed')
  await expect(reader.decompress()).rejects.toThrow('the response has no grpc-encoding')
  response.receiveHeaders(GZIP, false, [gzipCompression])
  expect(await reader.decompress()).toEqual(Buffer.from(textMessage('x')))
})
