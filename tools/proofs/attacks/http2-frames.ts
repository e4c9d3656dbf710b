/** Hostile HTTP/2: the bytes that each sort of attack sends instead of a response, or with it. */
import { gzipSync } from 'node:zlib'
import { envelope } from '@brokerwire/testing/grpc-envelope'
import {
  ACK,
  END_HEADERS,
  END_STREAM,
  FRAME,
  fieldBlock,
  frame,
  GRPC_HEAD,
} from '@brokerwire/testing/raw-http2'
import type { Random } from '../random.ts'

type Fields = Readonly<Record<string, string>>

const PADDED = 8
const PRIORITY = 2
/** The largest frame that a client accepts by default (RFC 9113, section 6.5.2). */
const MAX_FRAME = 16_384
const NOTHING = Buffer.alloc(0)

const headers = (stream: number, fields: Fields, flags = END_HEADERS): Buffer =>
  frame(FRAME.headers, flags, stream, fieldBlock(fields))
const data = (stream: number, bytes: Uint8Array, flags = 0): Buffer => frame(FRAME.data, flags, stream, bytes)
const head = (stream: number): Buffer => headers(stream, GRPC_HEAD)
const trailers = (stream: number, fields: Fields = { 'grpc-status': '0' }): Buffer =>
  headers(stream, fields, END_HEADERS | END_STREAM)

function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((value, i) => void bytes.writeUInt32BE(value >>> 0, 4 * i))
  return bytes
}

function setting(id: number, value: number): Buffer {
  return Buffer.concat([Buffer.from([0, id]), uint32(value)])
}

/** A good response: two messages and the status OK. */
export const goodResponse = (stream: number, message: Uint8Array): Buffer =>
  Buffer.concat([
    head(stream),
    data(stream, Buffer.concat([envelope(message), envelope(message)])),
    trailers(stream),
  ])

/** @param message - A valid message. */
type Write = (random: Random, stream: number, message: Uint8Array) => Buffer

const HPACK: readonly ((random: Random) => Buffer)[] = [
  // HPACK: an index outside of every table, an integer without an end, a table size above the limit, half a
  // field.
  () => Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]),
  () => Buffer.alloc(64, 0xff),
  () => Buffer.from([0x80]),
  () => Buffer.from([0x3f, 0xe1, 0xff, 0xff, 0x07]),
  () => Buffer.from([0x00, 0x05, 0x61]),
  // Invalid Huffman code.
  () => Buffer.from([0x00, 0x84, 0xff, 0xff, 0xff, 0xff, 0x01, 0x61]),
  (random) => Buffer.from(random.bytes(random.integer(1, 80))),
]

const FIELDS: readonly Fields[] = [
  { ':status': '200', ':status ': '1' },
  { 'content-type': 'application/grpc' },
  ...['99999', '-1', '', '503'].map((status) => ({ ':status': status })),
  { ':path': '/', ...GRPC_HEAD },
  { ...GRPC_HEAD, 'Upper-Case': 'x' },
  { ...GRPC_HEAD, connection: 'close' },
  { ...GRPC_HEAD, 'grpc-encoding': 'nonsense' },
  { ...GRPC_HEAD, 'content-length': '7' },
  { ...GRPC_HEAD, 'x-line': 'a\r\nb: c' },
  { ...GRPC_HEAD, 'bin-bin': '***' },
  { ':status': '200', 'content-type': 'text/html' },
  { ':status': '302', location: 'http://127.0.0.1:1/' },
]

const TRAILERS: readonly Fields[] = [
  {},
  ...['', '-1', '99', '1e1', '0x0'].map((status) => ({ 'grpc-status': status })),
  ...['%', '%00%1b[2J%c2%85%e2%80%ae', '%ff%fe'].map((message) => ({
    'grpc-status': '13',
    'grpc-message': message,
  })),
  { 'grpc-status': '5', 'grpc-status-details-bin': '!!!!' },
  { 'grpc-status': '5', 'grpc-status-details-bin': 'CAUQ////////////AQ' },
  { ':status': '200', 'grpc-status': '0' },
]

export const RESPONSES: Readonly<Record<string, Write>> = {
  'bad HPACK': (random, stream) => frame(FRAME.headers, END_HEADERS, stream, random.pick(HPACK)(random)),
  'bad HPACK in trailers': (random, stream, message) =>
    Buffer.concat([
      head(stream),
      data(stream, envelope(message)),
      frame(FRAME.headers, END_HEADERS | END_STREAM, stream, random.pick(HPACK)(random)),
    ]),
  'oversized frames'(random, stream) {
    const bytes = frame(random.integer(0, 10), 0, random.pick([0, stream]), Buffer.alloc(64))
    bytes.writeUIntBE(random.pick([MAX_FRAME + 1, 0x10_00_00, 0xff_ff_ff]), 0, 3)
    return Buffer.concat([random.chance(0.5) ? head(stream) : NOTHING, bytes])
  },
  'frames of the wrong size'(random, stream) {
    const types = [FRAME.ping, FRAME.settings, FRAME.windowUpdate, FRAME.reset, FRAME.goaway]
    const payload = random.bytes(random.integer(0, 20))
    return frame(random.pick(types), random.integer(0, 1), random.pick([0, stream]), payload)
  },
  'frames on wrong streams'(random, stream, message) {
    const wrong = random.pick([0, 2, stream + 2, stream + 1001, 0x7f_ff_ff_ff])
    const payload = random.chance(0.5) ? envelope(message) : fieldBlock(GRPC_HEAD)
    return frame(random.integer(0, 9), random.pick([0, 1, 4, 5]), wrong, payload)
  },
  'HTTP/1 text': (random) =>
    Buffer.from(
      random.pick([
        'HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n',
        'HTTP/1.0 200 OK\r\n\r\n<html>',
        '\r\n\r\n',
      ]),
    ),
  'random bytes': (random, stream) =>
    Buffer.concat([random.chance(0.3) ? head(stream) : NOTHING, random.bytes(random.integer(1, 400))]),
  'mutated responses'(random, stream, message) {
    let bytes = goodResponse(stream, message)
    for (let n = random.integer(1, 4); n > 0; n -= 1) {
      const at = random.integer(0, bytes.length)
      const removed = random.integer(0, 3)
      const put = random.bytes(random.integer(0, 3))
      bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + removed)])
    }
    return bytes
  },
  'flipped bits'(random, stream, message) {
    const bytes = goodResponse(stream, message)
    for (let n = random.integer(1, 3); n > 0; n -= 1) {
      const at = random.integer(0, bytes.length - 1)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(0, 7))
    }
    return bytes
  },
  'hostile fields': (random, stream, message) =>
    Buffer.concat([headers(stream, random.pick(FIELDS)), data(stream, envelope(message)), trailers(stream)]),
  'hostile trailers': (random, stream, message) =>
    Buffer.concat([head(stream), data(stream, envelope(message)), trailers(stream, random.pick(TRAILERS))]),
  'hostile envelopes'(random, stream, message) {
    const body = random.pick<() => Buffer>([
      () => envelope(message, 0, 0xff_ff_ff_ff),
      () => envelope(message, 0, message.length + 1),
      () => envelope(message, random.integer(1, 255)),
      () => envelope(random.bytes(40)),
      () => envelope(gzipSync(Buffer.alloc(40_000_000)), 1),
      () => Buffer.from(random.bytes(random.integer(1, 30))),
      () => NOTHING,
    ])()
    const encoding = { 'grpc-encoding': random.pick(['gzip', 'br', 'deflate']) }
    const pieces = Array.from({ length: Math.ceil(body.length / MAX_FRAME) }, (_, n) =>
      data(stream, body.subarray(n * MAX_FRAME, (n + 1) * MAX_FRAME)),
    )
    const first = headers(stream, random.chance(0.5) ? { ...GRPC_HEAD, ...encoding } : GRPC_HEAD)
    return Buffer.concat([first, ...pieces, trailers(stream)])
  },
  'padding tricks'(random, stream, message) {
    const padded = Buffer.concat([Buffer.from([random.integer(0, 255)]), envelope(message)])
    return Buffer.concat([head(stream), data(stream, padded, PADDED), trailers(stream)])
  },
  'pushed streams'(random, stream) {
    const promised = Buffer.concat([uint32(random.integer(0, 9)), fieldBlock(GRPC_HEAD)])
    return Buffer.concat([frame(FRAME.pushPromise, END_HEADERS, stream, promised), head(2)])
  },
  'header blocks without end'(random, stream) {
    const more = random.list(random.integer(1, 400), () =>
      frame(FRAME.continuation, 0, stream, random.chance(0.3) ? NOTHING : fieldBlock({ 'x-a': 'b' })),
    )
    return Buffer.concat([frame(FRAME.headers, 0, stream, fieldBlock(GRPC_HEAD)), ...more])
  },
  'hostile settings'(random) {
    const values = [0, 1, 2, 100, 16_383, 0x7f_ff_ff_ff, 0x80_00_00_00, 0xff_ff_ff_ff]
    const all = random.list(random.pick([1, 2, 50]), () => setting(random.integer(0, 8), random.pick(values)))
    return frame(FRAME.settings, random.pick([0, 0, 0, ACK]), 0, Buffer.concat(all))
  },
  'windows that overflow'(random, stream) {
    const updates = random.list(random.integer(1, 4), () =>
      frame(FRAME.windowUpdate, 0, random.pick([0, stream]), uint32(random.pick([0, 1, 0x7f_ff_ff_ff]))),
    )
    return Buffer.concat(updates)
  },
  'more than the window': (random, stream, message) =>
    Buffer.concat([
      head(stream),
      ...random.list(400, () => data(stream, Buffer.concat([envelope(message), Buffer.alloc(8000)]))),
    ]),
  'floods of small frames'(random, stream) {
    const flooding = random.pick([
      frame(FRAME.ping, 0, 0, Buffer.alloc(8)),
      frame(FRAME.settings, 0, 0),
      frame(FRAME.settings, ACK, 0),
      frame(FRAME.windowUpdate, 0, 0, uint32(1)),
      data(stream, NOTHING),
      frame(PRIORITY, 0, stream, Buffer.alloc(5)),
      frame(random.integer(10, 255), 0, stream, Buffer.alloc(16)),
      frame(FRAME.reset, 0, stream + 2, uint32(8)),
    ])
    return Buffer.concat([random.chance(0.5) ? head(stream) : NOTHING, ...Array(3000).fill(flooding)])
  },
  'RST_STREAM and GOAWAY'(random, stream, message) {
    const code = random.pick([0, 1, 2, 7, 8, 11, 13, 0xff_ff_ff_ff])
    const last = uint32(random.pick([0, stream - 2, stream, 0x7f_ff_ff_ff]), code)
    const goaway = Buffer.concat([last, random.bytes(random.pick([0, 300]))])
    return Buffer.concat([
      random.chance(0.5) ? Buffer.concat([head(stream), data(stream, envelope(message))]) : NOTHING,
      random.chance(0.5) ? frame(FRAME.reset, 0, stream, uint32(code)) : frame(FRAME.goaway, 0, 0, goaway),
    ])
  },
  'frames after the end'(random, stream, message) {
    const late = [data(stream, envelope(message)), head(stream), frame(FRAME.reset, 0, stream, uint32(0))]
    return Buffer.concat([goodResponse(stream, message), random.pick(late)])
  },
}

/** Bytes instead of the server's SETTINGS. */
export const GREETINGS: Readonly<Record<string, (random: Random) => Buffer>> = {
  'HTTP/1 instead of a preface': () => Buffer.from('HTTP/1.1 505 HTTP Version Not Supported\r\n\r\n'),
  'random bytes instead of a preface': (random) => Buffer.from(random.bytes(random.integer(9, 200))),
  'another frame instead of SETTINGS': () => frame(FRAME.ping, 0, 0, Buffer.alloc(8)),
  'TLS instead of a preface': (random) =>
    Buffer.concat([Buffer.from([0x15, 3, 3, 0, 2, 2, 40]), random.bytes(20)]),
}
