/** Hostile answers of an HTTP service: what each sort does to the bytes of an answer that would be good. */
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { RawRequest } from '@brokerwire/testing/raw-http'
import type { Random } from './random.ts'
import { drawSpelling, drawSteering } from './secrets.ts'

/** What a hostile answer is made of. */
export interface Draft {
  line: string
  headers: [name: string, value: string][]
  body: Buffer
  /** Bytes before the status line, for example interim answers. */
  before: string
  /** Bytes after a whole answer: the next one, smuggled. */
  after: string
  /** Where the connection breaks off: a part of all bytes. */
  cutAt: number | undefined
  ending: 'keep' | 'close' | 'reset' | 'hang'
  /** Bytes a piece; the whole at once where it is 0. */
  pieces: number
}

/** A sort of attack, and what it does to an answer. */
export type Twist = readonly [
  sort: string,
  apply: (draft: Draft, random: Random, request: RawRequest, secrets: readonly string[]) => void,
]

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const header = (draft: Draft, name: string, value: string): void => void draft.headers.push([name, value])

export const TWISTS: readonly Twist[] = [
  [
    'statuses',
    (draft, random) => {
      draft.line = `HTTP/1.1 ${random.integer(200, 599)} ${random.pick(['', 'OK', 'Whatever'])}`
    },
  ],
  [
    'misdirected (421)',
    (draft) => {
      draft.line = 'HTTP/1.1 421 Misdirected Request'
    },
  ],
  [
    'broken status lines',
    (draft, random) => {
      draft.line = random.pick([
        '',
        'HTTP/1.1',
        'HTTP/1.1 2000 OK',
        'HTTP/1.1 -1 no',
        'HTTP/1.1 099 no',
        'HTTP/9.9 200 OK',
        'ICY 200 OK',
        `HTTP/1.1 200 ${'x'.repeat(100_000)}`,
        'PRI * HTTP/2.0',
        random.text(40),
      ])
    },
  ],
  [
    'interim answers',
    (draft, random) => {
      const interim = random.pick([
        '100 Continue',
        '102 Processing',
        '103 Early Hints',
        '199 What',
        '101 Switching Protocols',
      ])
      draft.before = `HTTP/1.1 ${interim}\r\n\r\n`.repeat(random.integer(1, 40))
    },
  ],
  [
    'header garbage',
    (draft, random) => {
      const name = random.pick([
        'x-request-id',
        'retry-after',
        'date',
        'content-type',
        'x-odd',
        'set-cookie',
        '__proto__',
      ])
      header(
        draft,
        name,
        random.chance(0.5) ? drawSteering(random) : 'x'.repeat(random.pick([10, 10_000, 100_000])),
      )
    },
  ],
  [
    'header floods',
    (draft, random) => {
      for (let n = random.pick([50, 2500]); n > 0; n -= 1) header(draft, `x-${n}`, 'y')
    },
  ],
  [
    'framing that contradicts itself',
    (draft, random) => {
      const framing: [string, string] = random.pick([
        ['content-length', '0'],
        ['content-length', '-1'],
        ['content-length', '99999999999999999999'],
        ['content-length', '5, 6'],
        ['content-length', String(draft.body.length + 10)],
        ['transfer-encoding', 'chunked'],
        ['transfer-encoding', 'gzip, chunked'],
        ['transfer-encoding', 'identity'],
      ])
      header(draft, ...framing)
    },
  ],
  [
    'broken chunks',
    (draft, random) => {
      draft.headers = draft.headers.filter(([name]) => name !== 'content-length')
      header(draft, 'transfer-encoding', 'chunked')
      const size = random.pick(['zz', '-5', 'ffffffffffffffff', draft.body.length.toString(16), ''])
      draft.body = Buffer.concat([
        Buffer.from(`${size}\r\n`),
        draft.body,
        Buffer.from(random.pick(['\r\n0\r\n\r\n', '', '\r\n'])),
      ])
    },
  ],
  [
    'encodings',
    (draft, random) => {
      header(
        draft,
        'content-encoding',
        random.pick(['gzip', 'br', 'deflate', 'gzip, gzip', 'zstd', 'nonsense']),
      )
      const bomb = gzipSync(Buffer.alloc(random.pick([10, 4_000_000])))
      draft.body = random.pick([bomb, bomb.subarray(0, bomb.length >> 1), Buffer.from(random.bytes(50))])
    },
  ],
  [
    'redirects',
    (draft, random) => {
      draft.line = `HTTP/1.1 ${random.pick([300, 301, 302, 303, 307, 308, 399])} Elsewhere`
    },
  ],
  [
    'retry-after',
    (draft, random) => {
      draft.line = `HTTP/1.1 ${random.pick([429, 503])} Later`
      const wait = random.pick([
        '0',
        '-1',
        '1e9',
        '99999999999',
        'soon',
        'Thu, 01 Jan 2099 00:00:00 GMT',
        '0x1',
        '',
      ])
      header(draft, 'retry-after', wait)
    },
  ],
  [
    'clocks',
    (draft, random) => {
      draft.line = 'HTTP/1.1 401 No'
      draft.body = json({ error_code: 'ILLEGAL_TIMESTAMP', message: 'no' })
      const date = random.pick([
        'Thu, 01 Jan 2099 00:00:00 GMT',
        'Thu, 01 Jan 1970 00:00:00 GMT',
        'never',
        '',
      ])
      draft.headers = draft.headers.filter(([name]) => name !== 'date')
      header(draft, 'date', date)
    },
  ],
  [
    'hostile bodies',
    (draft, random) => {
      draft.body = random.pick<() => Buffer>([
        () => Buffer.from('['.repeat(30_000)),
        () => Buffer.from('{"__proto__":{"polluted":true},"error_code":"E"}'),
        () => json({ error_code: drawSteering(random), message: drawSteering(random) }),
        () => json({ error_code: 1e308, message: ['list'] }),
        () => json({ code: '', msg: 'x'.repeat(60_000) }),
        () => Buffer.from(random.bytes(200)),
        () => Buffer.from('\ufeff{"error_code":"BOM"}'),
        () => Buffer.alloc(random.pick([65_536, 65_537, 1_000_000]), ' '),
      ])()
      if (random.chance(0.7))
        draft.line = `HTTP/1.1 ${random.pick([400, 401, 403, 404, 417, 429, 500, 502])} No`
    },
  ],
  [
    'secrets echoed',
    (draft, random, request, secrets) => {
      const [, spell] = drawSpelling(random)
      const quoted = spell(random.pick([...secrets, request.headers['x-signature'] ?? '']))
      const said = `${random.text(5)}${quoted}${random.text(5)}`
      draft.line = `HTTP/1.1 ${random.pick([400, 401, 403, 417, 421, 429, 500, 301])} ${random.chance(0.2) ? quoted : 'No'}`
      draft.body = json(
        random.pick([{ error_code: said, message: 'no' }, { message: said }, { code: 'E', msg: said }]),
      )
      if (random.chance(0.5)) header(draft, 'x-request-id', quoted)
    },
  ],
  [
    'answers to a question nobody asked',
    (draft) => {
      draft.after = 'HTTP/1.1 200 OK\r\ncontent-length: 8\r\nx-smuggled: yes\r\n\r\nsmuggled'
    },
  ],
  [
    'connections cut off',
    (draft, random) => {
      draft.cutAt = random.next()
      draft.ending = random.pick(['close', 'reset'])
    },
  ],
  [
    'answers that never end',
    (draft, random) => {
      draft.cutAt = random.next()
      draft.ending = 'hang'
    },
  ],
  [
    'answers in pieces',
    (draft, random) => {
      draft.pieces = random.integer(1, 40)
    },
  ],
  [
    'connections closed after the answer',
    (draft) => {
      draft.ending = 'close'
    },
  ],
]

/** Sends what was drafted; in pieces, each in a turn of its own. */
export function sendDraft(socket: Socket, draft: Draft): void {
  const framed = draft.headers.some(([name]) => /^(?:content-length|transfer-encoding)$/.test(name))
  const headers = framed ? draft.headers : [...draft.headers, ['content-length', String(draft.body.length)]]
  // Bytes as Latin-1, as headers are: what is beyond is sent as UTF-8.
  const head = `${draft.before}${draft.line}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  const all = Buffer.concat([Buffer.from(head), draft.body, Buffer.from(draft.after)])
  const bytes = draft.cutAt === undefined ? all : all.subarray(0, Math.floor(draft.cutAt * all.length))
  const finish = (): void => {
    if (draft.ending === 'close') socket.end()
    if (draft.ending === 'reset') socket.resetAndDestroy()
  }
  if (draft.pieces === 0) {
    socket.write(bytes, finish)
    return
  }
  const size = Math.max(draft.pieces, Math.ceil(bytes.length / 50))
  const next = (at: number): void => {
    if (socket.destroyed) return
    if (at >= bytes.length) finish()
    else socket.write(bytes.subarray(at, at + size), () => setImmediate(next, at + size))
  }
  next(0)
}
