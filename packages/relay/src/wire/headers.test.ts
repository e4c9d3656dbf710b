import { headers as natsHeaders } from '@nats-io/nats-core'
import { MsgHdrsImpl } from '@nats-io/nats-core/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RelayedFrame } from './frames.ts'
import { decodeHeader, encodeHeader } from './header-text.ts'
import {
  eventHeaders,
  HEADER,
  type Headers,
  noticeHeaders,
  oversizedHeaders,
  parseHeaders,
  undecodableHeaders,
} from './headers.ts'

const anyText = fc.string({ unit: 'binary', maxLength: 60 })
const code = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
const unknownFields = fc.array(
  fc.record({
    no: fc.integer({ min: 1, max: 2 ** 29 - 1 }),
    wireType: fc.constantFrom(0, 1, 2, 5),
    data: fc.uint8Array({ maxLength: 40 }).map((bytes) => Uint8Array.from(bytes)),
  }),
  { maxLength: 3 },
)
const receivedAtMs = fc.oneof(
  fc.integer({ min: 0, max: 8.64e15 }),
  fc.double({ min: 0, max: 1e13, noNaN: true }).map((ms) => Math.abs(ms)),
)
const anyFrame: fc.Arbitrary<RelayedFrame> = fc.oneof(
  fc.record({
    subscription: fc.constantFrom('trade', 'position'),
    eventType: code,
    subscribeType: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    contentType: anyText,
    requestId: anyText,
    timestamp: anyText,
    unknownFields,
    receivedAtMs,
  }),
  fc.record({
    subscription: fc.constant('module' as const),
    messageType: code,
    id: anyText,
    eventType: anyText,
    position: anyText,
    timestamp: anyText,
    version: anyText,
    unknownFields,
    receivedAtMs,
  }),
)

const module: RelayedFrame = {
  subscription: 'module',
  messageType: 2,
  id: 'e-1',
  eventType: 'APPLICATION',
  position: 'p 1',
  timestamp: '2026-01-01T00:00:00.123456789Z',
  version: '1.0',
  unknownFields: [],
  receivedAtMs: 1_767_225_600_000,
}

const readerOf =
  (headers: Headers) =>
  (name: string): string | undefined =>
    headers[name]

describe('headers', () => {
  test('have the names and values of the README', () => {
    expect(eventHeaders(module, 'module')).toEqual({
      'Brokerwire-Schema': '2',
      'Brokerwire-Type': 'event',
      'Brokerwire-Stream': 'module',
      'Brokerwire-Kind': 'module',
      'Brokerwire-Code': '2',
      'Brokerwire-Id': 'e-1',
      'Brokerwire-Event-Type': 'APPLICATION',
      'Brokerwire-Position': 'p%201',
      'Brokerwire-Version': '1.0',
      'Brokerwire-Timestamp': '2026-01-01T00:00:00.123456789Z',
      'Brokerwire-Received-At': '1767225600000',
    })
    expect(parseHeaders('s', readerOf(noticeHeaders('trade', 'gap')))).toEqual({
      type: 'notice',
      source: 'trade',
      kind: 'gap',
    })
  })

  test('parse to the same frame, also through the bytes of the NATS client', () => {
    fc.assert(
      fc.property(anyFrame, (frame) => {
        const written = eventHeaders(frame, 'unknown')
        expect(parseHeaders('s', readerOf(written))).toEqual({ type: 'event', frame })
        const sent = natsHeaders()
        for (const [name, value] of Object.entries(written)) sent.set(name, value)
        const received = MsgHdrsImpl.decode((sent as MsgHdrsImpl).encode())
        expect(parseHeaders('s', (name) => received.get(name))).toEqual({ type: 'event', frame })
      }),
    )
  })

  test.each([0.0000010000000000000002, 1.5e-7, 999999999999999900000, -0.5, 1e21])(
    'parse an instant in every form in which it is written: %d',
    (receivedAtMs) => {
      const frame = { ...module, receivedAtMs }
      expect(parseHeaders('s', readerOf(eventHeaders(frame, 'module')))).toMatchObject({ frame })
    },
  )

  test('encode any string as printable ASCII without spaces, and decode the same string', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(encodeHeader(text)).toMatch(/^[!-~]*$/)
        expect(decodeHeader(encodeHeader(text))).toBe(text)
      }),
    )
    for (const broken of ['%', '%4', '%zz', '%FF', 'a b', 'a\r\nNats-Msg-Id: x', '\u00e9'])
      expect(decodeHeader(broken)).toBeUndefined()
  })
})

describe('an oversized event', () => {
  const frame = {
    subscription: 'module',
    messageType: 2,
    id: 'e-1',
    eventType: 'APPLICATION',
    position: '7',
    timestamp: '2026-01-01T00:00:00Z',
    version: '1.0',
    unknownFields: [],
    receivedAtMs: 1,
  } as const
  const oversize = { messageBytes: 2_000_000, maxBytes: 1_048_576, setting: 'max_payload' }
  const headers = oversizedHeaders(eventHeaders(frame, 'module', 'main'), oversize)

  test('keeps its frame, with its length and the limit', () => {
    expect(parseHeaders('a.subject', readerOf(headers))).toEqual({ type: 'oversized', frame, ...oversize })
    expect(headers).toMatchObject({ [HEADER.kind]: 'oversized', [HEADER.cluster]: 'main' })
  })

  test.each([HEADER.eventLength, HEADER.maxLength])('is rejected without %s', (name) => {
    expect(() => parseHeaders('a.subject', readerOf({ ...headers, [name]: '' }))).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ header: name }) }),
    )
  })
})

describe('invalid headers', () => {
  const change = (name: string, value: string | undefined): (() => unknown) => {
    const headers = { ...eventHeaders(module, 'module'), [name]: value ?? '' }
    return () => parseHeaders('a.subject', readerOf(headers))
  }

  test.each([
    [HEADER.source, 'relay'],
    [HEADER.reason, undefined],
    [HEADER.reason, 'other'],
    [HEADER.eventLength, undefined],
    [HEADER.eventLength, '-1'],
    [HEADER.message, '%'],
    [HEADER.receivedAt, undefined],
  ])('name the header %s with %j of an undecodable message', (name, value) => {
    const written = undecodableHeaders({
      subscription: 'trade',
      reason: 'malformed',
      message: 'a string is not UTF-8',
      length: 3,
      receivedAtMs: 1,
    })
    const headers = { ...written, [name]: value ?? '' }
    expect(() => parseHeaders('a.subject', readerOf(headers))).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ header: name }) }),
    )
  })

  test.each([
    [HEADER.schema, undefined],
    [HEADER.schema, '0'],
    [HEADER.schema, '1.0'],
    [HEADER.type, undefined],
    [HEADER.type, 'order'],
    [HEADER.source, undefined],
    [HEADER.source, 'relay'],
    [HEADER.code, undefined],
    [HEADER.code, 'two'],
    [HEADER.receivedAt, 'now'],
    [HEADER.receivedAt, undefined],
    [HEADER.id, '%'],
    [HEADER.position, '%FF'],
    [HEADER.unknownFields, '1:2'],
    [HEADER.unknownFields, '1:9:AA=='],
  ])('name the header %s with %j', (name, value) => {
    expect(change(name, value)).toThrow(
      expect.objectContaining({
        code: 'RELAY_MESSAGE_INVALID',
        retryable: false,
        details: expect.objectContaining({ subject: 'a.subject', header: name }),
      }),
    )
  })

  test.each([
    ['3', 'Update @brokerwire/relay'],
    ['1', 'earlier version of @brokerwire/relay'],
  ])('are rejected with schema version %s, with advice', (version, advice) => {
    expect(change(HEADER.schema, version)).toThrow(
      expect.objectContaining({
        code: 'RELAY_SCHEMA_UNSUPPORTED',
        details: { subject: 'a.subject', received: Number(version), supported: 2 },
        message: expect.stringContaining(advice),
      }),
    )
  })

  test('may include unknown headers', () => {
    expect(change('Brokerwire-Later', 'more')).not.toThrow()
  })

  test('are not quoted in an error', () => {
    try {
      change(HEADER.code, 'top-secret')()
      expect.unreachable()
    } catch (error) {
      expect(JSON.stringify(error) + String(error)).not.toContain('top-secret')
    }
  })
})
