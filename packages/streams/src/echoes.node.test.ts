/**
 * Notices and errors for responses that echo the signature, the nonce or the token, in any encoding and any part of the response:
 * they do not contain the secret. Control characters of the response are escaped.
 */
import { inspect } from 'node:util'
import { REDACTED } from '@brokerwire/core'
import { payloads } from '@brokerwire/payloads'
import { TradeEventType } from '@brokerwire/protos'
import { envelope } from '@brokerwire/testing/grpc-envelope'
import { type ServerCall, startHttp2Server, type TestServer } from '@brokerwire/testing/http2-server'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { SharedContext } from './context.ts'
import { readPolicy } from './supervisor/policy.ts'
import { targetOf, testContext } from './test/context.ts'
import { tradeFrame } from './test/frames.ts'
import { testTokens } from './test/tokens.ts'
import { createTradeStream } from './trade-stream.ts'

const TOKEN = 'tok/en+with=~every!kind&of<character>'

const hexOf = (text: string): string[] =>
  [...Buffer.from(text)].map((byte) => byte.toString(16).padStart(2, '0'))
const unicode = (hex: string): string => `\\u00${hex}`

/** Encodings in which services and gateways may echo a request. */
const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'percent-encoded': encodeURIComponent,
  'percent-encoded in small letters': (secret) =>
    encodeURIComponent(secret).replace(/%../g, (byte) => byte.toLowerCase()),
  'percent-encoded, each byte': (secret) =>
    hexOf(secret)
      .map((hex) => `%${hex.toUpperCase()}`)
      .join(''),
  'percent-encoded, each byte in small letters': (secret) =>
    hexOf(secret)
      .map((hex) => `%${hex}`)
      .join(''),
  'percent-encoded twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'percent-encoded in a form': (secret) => new URLSearchParams({ secret }).toString().slice('secret='.length),
  'in JSON with escaped slashes': (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  'in JSON, each character escaped': (secret) => hexOf(secret).map(unicode).join(''),
  'in JSON, each character escaped in capitals': (secret) =>
    hexOf(secret)
      .map((hex) => unicode(hex.toUpperCase()))
      .join(''),
  'in a string literal': (secret) =>
    hexOf(secret)
      .map((hex) => `\\x${hex}`)
      .join(''),
  'in HTML': (secret) => secret.replace(/\W/g, (character) => `&#${character.charCodeAt(0)};`),
  'in hexadecimal digits': (secret) => hexOf(secret).join(''),
  'in base64': (secret) => Buffer.from(secret).toString('base64'),
  'in base64url': (secret) => Buffer.from(secret).toString('base64url'),
  'percent-encoded in JSON': (secret) => hexOf(encodeURIComponent(secret)).map(unicode).join(''),
}

/** Parts of a response that a stream reports. Each part is tested with all echoes. */
const PARTS: Readonly<Record<string, (call: ServerCall, text: string) => void>> = {
  'the status of a refusal': (call, text) =>
    call.trailersOnly({ 'grpc-status': '3', 'grpc-message': encodeURIComponent(text) }),
  'the status at the end of a stream': (call, text) => {
    call.write(envelope(tradeFrame(TradeEventType.SubscribeSuccess)))
    call.end({ 'grpc-status': '14', 'grpc-message': encodeURIComponent(text) })
  },
  'a status that was not percent-encoded': (call, text) =>
    call.trailersOnly({ 'grpc-status': '5', 'grpc-message': text }),
  'metadata and details': (call, text) =>
    call.trailersOnly({
      'grpc-status': '3',
      'grpc-message': 'no',
      'x-echo': text,
      'x-echo-bin': Buffer.from(text).toString('base64'),
      'grpc-status-details-bin': Buffer.from(text).toString('base64'),
    }),
  'an invalid status': (call, text) => call.trailersOnly({ 'grpc-status': text }),
  'the content type': (call, text) => call.respond({ 'content-type': text }),
  'the encoding of messages': (call, text) => call.respond({ 'grpc-encoding': text }),
  GOAWAY: (call, text) => call.session.goaway(2, 0, Buffer.from(text)),
  'the name of the connection': (call, text) => {
    call.write(envelope(tradeFrame(TradeEventType.SubscribeSuccess, { requestId: text })))
    call.end({ 'grpc-status': '3', 'grpc-message': 'enough' })
  },
  'the payloads of control frames': (call, text) => {
    for (const type of [
      TradeEventType.SubscribeSuccess,
      TradeEventType.Ping,
      TradeEventType.SubscribeExpired,
    ]) {
      call.write(envelope(tradeFrame(type, { payload: text })))
    }
    call.end()
  },
  'the id of messages that contradict each other': (call, text) => {
    call.write(envelope(tradeFrame(1024, { requestId: text, payload: '1' })))
    call.write(envelope(tradeFrame(1024, { requestId: text, payload: '2' })))
    call.end({ 'grpc-status': '3', 'grpc-message': 'enough' })
  },
}

/** The parts that a stream does not report. */
const NOT_REPORTED = ['metadata and details', 'the payloads of control frames']

/** One server for all tests: each attempt has a separate connection. */
let server: TestServer
let onCall: (call: ServerCall) => void
beforeAll(async () => {
  server = await startHttp2Server({ handler: (call) => onCall(call) })
})
afterAll(() => server.close())

/** Returns everything that one attempt reported: notices for the consumer and for the observer, and the error. */
async function reportsOf(respond: (call: ServerCall) => void): Promise<string> {
  let attempts = 0
  onCall = (call) => {
    attempts++
    // After the first attempt the next one is refused, which ends the stream.
    if (attempts === 1) respond(call)
    else call.trailersOnly({ 'grpc-status': '3' })
  }
  const notices: unknown[] = []
  const observer: SharedContext['observer'] = { onStreamNotice: (report) => notices.push(report) }
  const stream = createTradeStream(
    testContext({ accessTokens: testTokens(() => TOKEN), observer, policy: readPolicy({ maxAttempts: 3 }) }),
    targetOf(server.url),
    'trade',
    { accounts: ['A1'] },
    payloads,
  )
  const reading = (async () => {
    try {
      for await (const item of stream) if (item.type === 'notice') notices.push(item)
    } catch (error) {
      notices.push(error)
    }
  })()
  await reading
  return notices
    .map((notice) => `${inspect(notice, { depth: 9 })}\n${JSON.stringify(notice)}\n${notice}`)
    .join('\n')
}

const [FIRST_PART] = Object.keys(PARTS)
const [FIRST_FORM] = Object.keys(FORMS)

describe.each(Object.keys(PARTS))('an echo in %s', (part) => {
  // The short run tests all forms in one part, and one form in all parts.
  const forms = Object.keys(FORMS).filter(
    (form) => inject('isFullRun') || part === FIRST_PART || form === FIRST_FORM,
  )
  test.each(forms)('%s', async (form) => {
    for (const header of ['x-signature', 'x-signature-nonce', 'x-access-token']) {
      let secret = ''
      let echo = ''
      const shown = await reportsOf((call) => {
        secret = String(call.headers[header])
        echo = FORMS[form]?.(secret) ?? ''
        PARTS[part]?.(call, `< ${echo} >`)
      })
      expect(secret.length).toBeGreaterThan(16)
      // Some parts only report the length of a long string.
      if (form === 'as it is') expect(shown.includes(REDACTED)).toBe(!NOT_REPORTED.includes(part))
      for (const text of [secret, echo]) {
        expect(shown).not.toContain(text)
        // The form in JSON and in the output of inspect().
        expect(shown).not.toContain(JSON.stringify(text).slice(1, -1))
      }
    }
  })
})

describe('control characters are escaped', () => {
  const NASTY = 'a\u001b[31m\u009b31m\u0085\u202eb\u2066c\u2028d\u200be\u007f'

  test.each(['the status of a refusal', 'the status at the end of a stream', 'the name of the connection'])(
    'in %s',
    async (part) => {
      const shown = await reportsOf((call) => PARTS[part]?.(call, NASTY))
      expect(shown).toContain('\\u{202e}b')
      expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    },
  )
})
