/** Headers from a message's bytes, compared with those that the client reads from the same bytes. */
import type { JsMsg } from '@nats-io/jetstream'
import { type MsgArg, MsgHdrsImpl, MsgImpl, type Publisher } from '@nats-io/nats-core/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { GetHeader } from '../../wire/headers.ts'
import { createGetHeader } from './message-headers.ts'

const BODY = 'a body\r\nBrokerwire-Id: of the body\r\n\r\n'

/** A message as a server sends it. @param headBytes - The length of its headers; -1 if it has no headers. */
function messageOf(head: string, headBytes = new TextEncoder().encode(head).length): JsMsg {
  const bytes = new TextEncoder().encode(`${head}${BODY}`)
  const arg: MsgArg = { subject: new Uint8Array(), sid: 1, hdr: headBytes, size: bytes.length }
  const msg = new MsgImpl(arg, bytes, {} as Publisher)
  return { msg, headers: msg.headers, data: msg.data } as unknown as JsMsg
}

/** The same message without the private fields of the client. */
const copyOf = ({ headers, data }: JsMsg): JsMsg => ({ headers, data }) as JsMsg

const readerOf = (message: JsMsg): GetHeader => createGetHeader(message, message.data)

const NAMES = ['Brokerwire-Id', 'Brokerwire-Event-Type', 'Brokerwire-I', 'A', 'traceparent']
const value = fc.string({ unit: fc.constantFrom(...'ab:% ;\t=é', 'Brokerwire-Id') })

test('reads the same headers as the client, from the bytes and by the client', () => {
  const line = fc.record({ name: fc.constantFrom(...NAMES), value })
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      const head = `NATS/1.0\r\n${lines.map((one) => `${one.name}: ${one.value}\r\n`).join('')}\r\n`
      const message = messageOf(head)
      const expected = MsgHdrsImpl.decode(new TextEncoder().encode(head))
      for (const reader of [readerOf(message), readerOf(copyOf(message))])
        for (const name of [...NAMES, 'Missing']) expect(reader(name) ?? '').toBe(expected.get(name))
    }),
  )
})

test("uses the client's reader if the layout of its private fields is not as expected", () => {
  const message = messageOf('NATS/1.0\r\nBrokerwire-Id: right\r\n\r\n')
  const { headers, data } = message
  const other = new TextEncoder().encode('NATS/1.0\r\nBrokerwire-Id: wrong\r\n\r\n')
  const whole = new Uint8Array([...other, ...data])
  const kept = [
    undefined,
    {},
    { _rdata: whole },
    { _rdata: whole, _msg: { hdr: -1 } },
    { _rdata: whole, _msg: { hdr: other.length - 1 } },
    { _rdata: other, _msg: { hdr: other.length } },
    { _rdata: [...whole], _msg: { hdr: other.length } },
    { _rdata: new Uint8Array(whole.length), _msg: { hdr: other.length } },
  ]
  for (const msg of kept)
    expect(readerOf({ headers, data, msg } as unknown as JsMsg)('Brokerwire-Id')).toBe('right')
})

test('reads no headers of a message without headers', () => {
  expect(readerOf(messageOf('', -1))('Brokerwire-Id')).toBeUndefined()
})
