/** Which messages are found, and when reading pauses. Over a stream that only counts: calls over sockets are tested apart. */
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
  const connection = { notePaused: (paused: boolean) => void log.push(`paused ${paused}`) }
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

test('reading pauses while enough waits, and bytes that came meanwhile are no sign of life', () => {
  const { log, reader } = begin({ readAheadBytes: 100 })
  const message = texts('x'.repeat(40))
  expect([reader.receive(message), reader.receive(message), log]).toEqual([true, true, []])
  expect([reader.receive(message), reader.paused]).toEqual([true, true])
  expect([reader.read(), reader.paused]).toEqual(['message', true])
  expect([reader.read(), reader.paused]).toEqual(['message', false])
  expect(log).toEqual(['pause', 'paused true', 'paused false', 'resume'])
  expect([reader.receive(Buffer.alloc(5)), reader.receive(Buffer.alloc(5))]).toEqual([false, false])
  expect(reader.receive(Buffer.alloc(5))).toBe(true)
})

test('reading does not pause within the message that is waited for', () => {
  const { reader } = begin({ readAheadBytes: 10 })
  const message = texts('x'.repeat(300))
  reader.receive(message.subarray(0, 5))
  expect([reader.read(), reader.receive(message.subarray(5, 200)), reader.paused]).toEqual([
    'incomplete',
    true,
    false,
  ])
  expect([reader.receive(message.subarray(200)), reader.paused, reader.read()]).toEqual([
    true,
    true,
    'message',
  ])
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
])('%s is an error, also when asked again', (_, bytes, expected) => {
  const { reader } = begin()
  reader.push(bytes)
  expect([errorOf(reader.read()), errorOf(reader.read())]).toEqual([expected, expected])
})

test('a message that is too long is skipped while it arrives, and nothing of it is kept', () => {
  const { log, reader } = begin({ readAheadBytes: 100 })
  const message = envelope(Buffer.alloc(100_000))
  reader.push(Buffer.concat([texts('a'), message.subarray(0, 300)]))
  expect([reader.read(), reader.read()]).toEqual(['message', 'too-long'])
  expect(reader.skip()).toEqual({
    reason: 'too-large',
    message: 'a message of 100000 bytes is longer than readMaxBytes (500)',
    bytes: undefined,
    length: 100_000,
  })
  for (let at = 300; at < message.length; at += 1000) {
    expect([reader.isWithinMessage, reader.read()]).toEqual([true, 'incomplete'])
    reader.receive(message.subarray(at, at + 1000))
  }
  expect([reader.isWithinMessage, reader.paused, log]).toEqual([false, false, []])
  reader.receive(texts('b'))
  expect([reader.read(), reader.read()]).toEqual(['message', 'incomplete'])
})

test('a message that is too long and not yet read does not keep reading from pausing', () => {
  const { reader } = begin({ readAheadBytes: 100 })
  const message = envelope(Buffer.alloc(100_000))
  reader.receive(message.subarray(0, 5))
  expect([reader.read(), reader.paused]).toEqual(['too-long', false])
  reader.receive(message.subarray(5, 200))
  expect(reader.paused).toBe(true)
  reader.skip()
  expect(reader.paused).toBe(false)
})

test('a compressed message is decompressed with the coding of the head, and is an error without one', async () => {
  const { reader, response } = begin()
  reader.push(envelope(gzipSync(textMessage('x')), 1))
  expect(reader.read()).toBe('compressed')
  await expect(reader.decompress()).rejects.toThrow('no grpc-encoding says how')
  response.receiveHeaders(GZIP, false, [gzipCompression])
  expect(await reader.decompress()).toEqual(Buffer.from(textMessage('x')))
})
