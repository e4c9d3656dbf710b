/** Hostile responses of an HTTP service. Each sort of attack changes the bytes of a good response. */
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Random } from '../random.ts'
import { drawEncoding, drawSteering } from './secrets.ts'

export interface Draft {
  line: string
  headers: [name: string, value: string][]
  body: Buffer
  /** Bytes that are sent before the status line, for example interim responses. */
  before: string
  /** Bytes that are sent after a complete response, as a smuggled response. */
  after: string
  /**
   * Fraction of the bytes that are sent before the connection closes. If it is `undefined`, all bytes are
   * sent.
   */
  cutAt: number | undefined
  ending: 'keep' | 'close' | 'reset' | 'hang'
  /** Size of a piece in bytes. 0 sends all bytes in one write. */
  pieces: number
}

/** @param secrets - Token, secret field and signature of the request. */
type Mutation = (draft: Draft, random: Random, secrets: readonly string[]) => void

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const header = (draft: Draft, name: string, value: string): void => void draft.headers.push([name, value])
const without = (draft: Draft, dropped: string): void => {
  draft.headers = draft.headers.filter(([name]) => name !== dropped)
}
const status = (draft: Draft, code: number | string, text = 'No'): void => {
  draft.line = `HTTP/1.1 ${code} ${text}`
}

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  statuses: (draft, random) => status(draft, random.integer(200, 599), random.pick(['', 'OK', 'Whatever'])),
  'misdirected (421)': (draft) => status(draft, 421, 'Misdirected Request'),
  'broken status lines'(draft, random) {
    const lines = ['HTTP/1.1', 'HTTP/1.1 2000 OK', 'HTTP/1.1 -1 no', 'HTTP/1.1 099 no', 'HTTP/9.9 200 OK']
    const long = `HTTP/1.1 200 ${'x'.repeat(100_000)}`
    draft.line = random.pick(['', ...lines, 'ICY 200 OK', long, 'PRI * HTTP/2.0', random.text(40)])
  },
  'interim responses'(draft, random) {
    const interim = [
      '100 Continue',
      '102 Processing',
      '103 Early Hints',
      '199 What',
      '101 Switching Protocols',
    ]
    draft.before = `HTTP/1.1 ${random.pick(interim)}\r\n\r\n`.repeat(random.integer(1, 40))
  },
  'header garbage'(draft, random) {
    const names = ['x-request-id', 'retry-after', 'date', 'content-type', 'x-odd', 'set-cookie', '__proto__']
    const long = 'x'.repeat(random.pick([10, 10_000, 100_000]))
    header(draft, random.pick(names), random.chance(0.5) ? drawSteering(random) : long)
  },
  'header floods'(draft, random) {
    for (let n = random.pick([50, 2500]); n > 0; n -= 1) header(draft, `x-${n}`, 'y')
  },
  'contradictory framing'(draft, random) {
    const lengths = ['0', '-1', '99999999999999999999', '5, 6', String(draft.body.length + 10)]
    const codings = ['chunked', 'gzip, chunked', 'identity']
    const isLength = random.chance(0.6)
    const value = random.pick(isLength ? lengths : codings)
    header(draft, isLength ? 'content-length' : 'transfer-encoding', value)
  },
  'broken chunks'(draft, random) {
    without(draft, 'content-length')
    header(draft, 'transfer-encoding', 'chunked')
    const size = random.pick(['zz', '-5', 'ffffffffffffffff', draft.body.length.toString(16), ''])
    const end = random.pick(['\r\n0\r\n\r\n', '', '\r\n'])
    draft.body = Buffer.concat([Buffer.from(`${size}\r\n`), draft.body, Buffer.from(end)])
  },
  encodings(draft, random) {
    const codings = ['gzip', 'br', 'deflate', 'gzip, gzip', 'zstd', 'nonsense']
    header(draft, 'content-encoding', random.pick(codings))
    const bomb = gzipSync(Buffer.alloc(random.pick([10, 4_000_000])))
    draft.body = random.pick([bomb, bomb.subarray(0, bomb.length >> 1), Buffer.from(random.bytes(50))])
  },
  redirects: (draft, random) => status(draft, random.pick([300, 301, 302, 303, 307, 308, 399]), 'Elsewhere'),
  'retry-after'(draft, random) {
    status(draft, random.pick([429, 503]), 'Later')
    const dates = ['Thu, 01 Jan 2099 00:00:00 GMT', 'soon', '']
    header(draft, 'retry-after', random.pick(['0', '-1', '1e9', '99999999999', '0x1', ...dates]))
  },
  clocks(draft, random) {
    status(draft, 401)
    draft.body = json({ error_code: 'ILLEGAL_TIMESTAMP', message: 'no' })
    without(draft, 'date')
    const dates = ['Thu, 01 Jan 2099 00:00:00 GMT', 'Thu, 01 Jan 1970 00:00:00 GMT', 'never', '']
    header(draft, 'date', random.pick(dates))
  },
  'hostile bodies'(draft, random) {
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
    if (random.chance(0.7)) status(draft, random.pick([400, 401, 403, 404, 417, 429, 500, 502]))
  },
  'secrets echoed'(draft, random, secrets) {
    const [, encode] = drawEncoding(random)
    const quoted = encode(random.pick(secrets))
    const text = `${random.text(5)}${quoted}${random.text(5)}`
    status(draft, random.pick([400, 401, 403, 417, 421, 429, 500, 301]), random.chance(0.2) ? quoted : 'No')
    const bodies = [{ error_code: text, message: 'no' }, { message: text }, { code: 'E', msg: text }]
    draft.body = json(random.pick<object>(bodies))
    if (random.chance(0.5)) header(draft, 'x-request-id', quoted)
  },
  'responses without a request'(draft) {
    draft.after = 'HTTP/1.1 200 OK\r\ncontent-length: 8\r\nx-smuggled: yes\r\n\r\nsmuggled'
  },
  'connections cut off'(draft, random) {
    draft.cutAt = random.next()
    draft.ending = random.pick(['close', 'reset'])
  },
  'responses that never end'(draft, random) {
    draft.cutAt = random.next()
    draft.ending = 'hang'
  },
  'responses in pieces'(draft, random) {
    draft.pieces = random.integer(1, 40)
  },
  'connections closed after the response'(draft) {
    draft.ending = 'close'
  },
}

/** Sends a draft. Each piece is sent in another turn of the event loop. */
export function sendDraft(socket: Socket, draft: Draft): void {
  const isFramed = draft.headers.some(([name]) => /^(?:content-length|transfer-encoding)$/.test(name))
  if (!isFramed) header(draft, 'content-length', String(draft.body.length))
  const fields = draft.headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const head = Buffer.from(`${draft.before}${draft.line}\r\n${fields}\r\n`)
  const all = Buffer.concat([head, draft.body, Buffer.from(draft.after)])
  const bytes = draft.cutAt === undefined ? all : all.subarray(0, Math.floor(draft.cutAt * all.length))
  const finish = (): void => {
    if (draft.ending === 'close') socket.end()
    if (draft.ending === 'reset') socket.resetAndDestroy()
  }
  const size = draft.pieces === 0 ? bytes.length : Math.max(draft.pieces, Math.ceil(bytes.length / 50))
  const next = (at: number): void => {
    if (socket.destroyed) return
    if (at >= bytes.length) finish()
    else socket.write(bytes.subarray(at, at + size), () => setImmediate(next, at + size))
  }
  next(0)
}
