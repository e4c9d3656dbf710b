/** Hostile HTTP/2: what each sort writes in place of a response, or around it. */
import { gzipSync } from 'node:zlib'
import { envelope } from '@brokerwire/testing/grpc-envelope'
import { END_HEADERS, END_STREAM, FRAME, fieldBlock, frame, GRPC_HEAD } from '@brokerwire/testing/raw-http2'
import type { Random } from './random.ts'

const PADDED = 8
/** The largest frame that a client accepts by default (RFC 9113, section 6.5.2). */
const MAX_FRAME = 16_384

const headers = (stream: number, fields: Readonly<Record<string, string>>, flags = END_HEADERS): Buffer =>
  frame(FRAME.headers, flags, stream, fieldBlock(fields))
const data = (stream: number, bytes: Uint8Array, flags = 0): Buffer => frame(FRAME.data, flags, stream, bytes)
const trailers = (stream: number, fields: Readonly<Record<string, string>>): Buffer =>
  headers(stream, fields, END_HEADERS | END_STREAM)
const head = (stream: number): Buffer => headers(stream, GRPC_HEAD)

function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((value, i) => void bytes.writeUInt32BE(value >>> 0, 4 * i))
  return bytes
}

function setting(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(6)
  bytes.writeUInt16BE(id, 0)
  bytes.writeUInt32BE(value >>> 0, 2)
  return bytes
}

/** A response as it should be: two messages, and success. */
export function goodResponse(stream: number, message: Uint8Array): Buffer {
  return Buffer.concat([
    head(stream),
    data(stream, Buffer.concat([envelope(message), envelope(message)])),
    trailers(stream, { 'grpc-status': '0' }),
  ])
}

/** @param message - One that decodes. */
type Write = (random: Random, stream: number, message: Uint8Array) => Buffer

const HPACK: readonly ((random: Random) => Buffer)[] = [
  // An index that no table has, an integer without end, a table size beyond what was allowed, half a field.
  () => Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]),
  () => Buffer.from(Array(64).fill(0xff)),
  () => Buffer.from([0x80]),
  () => Buffer.from([0x3f, 0xe1, 0xff, 0xff, 0x07]),
  () => Buffer.from([0x00, 0x05, 0x61]),
  // Huffman coding that is none.
  () => Buffer.from([0x00, 0x84, 0xff, 0xff, 0xff, 0xff, 0x01, 0x61]),
  (random) => Buffer.from(random.bytes(random.integer(1, 80))),
]

const FIELDS: readonly Readonly<Record<string, string>>[] = [
  { ':status': '200', ':status ': '1' },
  { 'content-type': 'application/grpc' },
  { ':status': '99999' },
  { ':status': '-1' },
  { ':status': '' },
  { ':path': '/', ...GRPC_HEAD },
  { ...GRPC_HEAD, 'Upper-Case': 'x' },
  { ...GRPC_HEAD, connection: 'close' },
  { ...GRPC_HEAD, 'grpc-encoding': 'nonsense' },
  { ...GRPC_HEAD, 'content-length': '7' },
  { ...GRPC_HEAD, 'x-line': 'a\r\nb: c' },
  { ...GRPC_HEAD, 'bin-bin': '***' },
  { ':status': '200', 'content-type': 'text/html' },
  { ':status': '302', location: 'http://127.0.0.1:1/' },
  { ':status': '503' },
]

const TRAILERS: readonly Readonly<Record<string, string>>[] = [
  {},
  { 'grpc-status': '' },
  { 'grpc-status': '-1' },
  { 'grpc-status': '99' },
  { 'grpc-status': '1e1' },
  { 'grpc-status': '0x0' },
  { 'grpc-status': '13', 'grpc-message': '%' },
  { 'grpc-status': '13', 'grpc-message': '%00%1b[2J%c2%85%e2%80%ae' },
  { 'grpc-status': '13', 'grpc-message': '%ff%fe' },
  { 'grpc-status': '5', 'grpc-status-details-bin': '!!!!' },
  { 'grpc-status': '5', 'grpc-status-details-bin': 'CAUQ////////////AQ' },
  { ':status': '200', 'grpc-status': '0' },
]

/** Sorts of attack on a response. */
export const RESPONSES: Readonly<Record<string, Write>> = {
  'bad HPACK': (random, stream) => frame(FRAME.headers, END_HEADERS, stream, random.pick(HPACK)(random)),
  'bad HPACK in trailers': (random, stream, message) =>
    Buffer.concat([
      head(stream),
      data(stream, envelope(message)),
      frame(FRAME.headers, END_HEADERS | END_STREAM, stream, random.pick(HPACK)(random)),
    ]),
  'oversized frames': (random, stream) => {
    const bytes = frame(random.integer(0, 10), 0, random.pick([0, stream]), Buffer.alloc(64))
    bytes.writeUIntBE(random.pick([MAX_FRAME + 1, 0x10_00_00, 0xff_ff_ff]), 0, 3)
    return Buffer.concat([random.chance(0.5) ? head(stream) : Buffer.alloc(0), bytes])
  },
  'frames of the wrong size': (random, stream) =>
    frame(
      random.pick([FRAME.ping, FRAME.settings, FRAME.windowUpdate, FRAME.reset, FRAME.goaway]),
      random.integer(0, 1),
      random.pick([0, stream]),
      Buffer.from(random.bytes(random.integer(0, 20))),
    ),
  'frames on wrong streams': (random, stream, message) =>
    frame(
      random.integer(0, 9),
      random.pick([0, 1, 4, 5]),
      random.pick([0, 2, stream + 2, stream + 1001, 0x7f_ff_ff_ff]),
      random.chance(0.5) ? envelope(message) : fieldBlock(GRPC_HEAD),
    ),
  'HTTP/1 text': (random) =>
    Buffer.from(
      random.pick([
        'HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n',
        'HTTP/1.0 200 OK\r\n\r\n<html>',
        '\r\n\r\n',
      ]),
    ),
  'random bytes': (random, stream) =>
    Buffer.concat([
      random.chance(0.3) ? head(stream) : Buffer.alloc(0),
      random.bytes(random.integer(1, 400)),
    ]),
  'mutated responses': (random, stream, message) => {
    let bytes = goodResponse(stream, message)
    for (let n = random.integer(1, 4); n > 0; n -= 1) {
      const at = random.integer(0, bytes.length)
      const removed = random.integer(0, 3)
      bytes = Buffer.concat([
        bytes.subarray(0, at),
        random.bytes(random.integer(0, 3)),
        bytes.subarray(at + removed),
      ])
    }
    return bytes
  },
  'flipped bits': (random, stream, message) => {
    const bytes = goodResponse(stream, message)
    for (let n = random.integer(1, 3); n > 0; n -= 1) {
      const at = random.integer(0, bytes.length - 1)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(0, 7))
    }
    return bytes
  },
  'hostile fields': (random, stream, message) =>
    Buffer.concat([
      headers(stream, random.pick(FIELDS)),
      data(stream, envelope(message)),
      trailers(stream, { 'grpc-status': '0' }),
    ]),
  'hostile trailers': (random, stream, message) =>
    Buffer.concat([head(stream), data(stream, envelope(message)), trailers(stream, random.pick(TRAILERS))]),
  'hostile envelopes': (random, stream, message) => {
    const body = random.pick<() => Buffer>([
      () => envelope(message, 0, 0xff_ff_ff_ff),
      () => envelope(message, 0, message.length + 1),
      () => envelope(message, random.integer(1, 255)),
      () => envelope(random.bytes(40)),
      () => envelope(gzipSync(Buffer.alloc(40_000_000)), 1),
      () => Buffer.from(random.bytes(random.integer(1, 30))),
      () => Buffer.alloc(0),
    ])()
    const coded = random.chance(0.5)
      ? { ...GRPC_HEAD, 'grpc-encoding': random.pick(['gzip', 'br', 'deflate']) }
      : GRPC_HEAD
    return Buffer.concat([
      headers(stream, coded),
      ...pieces(body).map((piece) => data(stream, piece)),
      trailers(stream, { 'grpc-status': '0' }),
    ])
  },
  'padding tricks': (random, stream, message) => {
    const padded = Buffer.concat([Buffer.from([random.integer(0, 255)]), envelope(message)])
    return Buffer.concat([
      head(stream),
      data(stream, padded, PADDED),
      trailers(stream, { 'grpc-status': '0' }),
    ])
  },
  'pushed streams': (random, stream) =>
    Buffer.concat([
      frame(
        FRAME.pushPromise,
        END_HEADERS,
        stream,
        Buffer.concat([uint32(random.integer(0, 9)), fieldBlock(GRPC_HEAD)]),
      ),
      head(2),
    ]),
  'header blocks without end': (random, stream) =>
    Buffer.concat([
      frame(FRAME.headers, 0, stream, fieldBlock(GRPC_HEAD)),
      ...random.list(random.integer(1, 400), () =>
        frame(
          FRAME.continuation,
          0,
          stream,
          random.chance(0.3) ? Buffer.alloc(0) : fieldBlock({ 'x-a': 'b' }),
        ),
      ),
    ]),
  'hostile settings': (random) =>
    frame(
      FRAME.settings,
      random.pick([0, 0, 0, 1]),
      0,
      Buffer.concat(
        random.list(random.pick([1, 2, 50]), () =>
          setting(
            random.integer(0, 8),
            random.pick([0, 1, 2, 100, 16_383, 0x7f_ff_ff_ff, 0x80_00_00_00, 0xff_ff_ff_ff]),
          ),
        ),
      ),
    ),
  'windows that overflow': (random, stream) =>
    Buffer.concat(
      random.list(random.integer(1, 4), () =>
        frame(FRAME.windowUpdate, 0, random.pick([0, stream]), uint32(random.pick([0, 1, 0x7f_ff_ff_ff]))),
      ),
    ),
  'more than the window': (random, stream, message) =>
    Buffer.concat([
      head(stream),
      ...random.list(400, () => data(stream, Buffer.concat([envelope(message), Buffer.alloc(8000)]))),
    ]),
  'floods of small frames': (random, stream) => {
    const flooding = random.pick([
      frame(FRAME.ping, 0, 0, Buffer.alloc(8)),
      frame(FRAME.settings, 0, 0),
      frame(FRAME.settings, 1, 0),
      frame(FRAME.windowUpdate, 0, 0, uint32(1)),
      data(stream, Buffer.alloc(0)),
      frame(2, 0, stream, Buffer.alloc(5)),
      frame(random.integer(10, 255), 0, stream, Buffer.alloc(16)),
      frame(FRAME.reset, 0, stream + 2, uint32(8)),
    ])
    return Buffer.concat([random.chance(0.5) ? head(stream) : Buffer.alloc(0), ...Array(3000).fill(flooding)])
  },
  'resets and goodbyes': (random, stream, message) => {
    const code = random.pick([0, 1, 2, 7, 8, 11, 13, 0xff_ff_ff_ff])
    const goodbye = [
      uint32(random.pick([0, stream - 2, stream, 0x7f_ff_ff_ff]), code),
      random.bytes(random.pick([0, 300])),
    ]
    return Buffer.concat([
      random.chance(0.5) ? Buffer.concat([head(stream), data(stream, envelope(message))]) : Buffer.alloc(0),
      random.chance(0.5)
        ? frame(FRAME.reset, 0, stream, uint32(code))
        : frame(FRAME.goaway, 0, 0, Buffer.concat(goodbye)),
    ])
  },
  'frames after the end': (random, stream, message) =>
    Buffer.concat([
      goodResponse(stream, message),
      random.pick([data(stream, envelope(message)), head(stream), frame(FRAME.reset, 0, stream, uint32(0))]),
    ]),
}

/** A body in frames that a client takes. */
function pieces(body: Buffer): Buffer[] {
  const cut: Buffer[] = []
  for (let at = 0; at < body.length; at += MAX_FRAME) cut.push(body.subarray(at, at + MAX_FRAME))
  return cut
}

/** What stands in place of the server's SETTINGS. */
export const GREETINGS: Readonly<Record<string, (random: Random) => Buffer>> = {
  'HTTP/1 in place of a preface': () => Buffer.from('HTTP/1.1 505 HTTP Version Not Supported\r\n\r\n'),
  'random bytes in place of a preface': (random) => Buffer.from(random.bytes(random.integer(9, 200))),
  'another frame in place of SETTINGS': () => frame(FRAME.ping, 0, 0, Buffer.alloc(8)),
  'TLS in place of a preface': (random) =>
    Buffer.concat([Buffer.from([0x15, 3, 3, 0, 2, 2, 40]), random.bytes(20)]),
}
