/**
 * What a service echoes of signature, nonce and token, in whatever encoding and wherever it says so, is in no notice and
 * no error, and nothing that it says steers a terminal or turns a line around.
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

/** Ways in which services and gateways quote what they were sent. */
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

/** Places of a response that a stream tells of. Each gets all the echoes, one after the other. */
const PLACES: Readonly<Record<string, (call: ServerCall, text: string) => void>> = {
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
  'a status that is none': (call, text) => call.trailersOnly({ 'grpc-status': text }),
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

/** Those of them that are not told at all. */
const SILENT = ['metadata and details', 'the payloads of control frames']

/** One for all of them: each attempt has a connection of its own. */
let server: TestServer
let onCall: (call: ServerCall) => void
beforeAll(async () => {
  server = await startHttp2Server({ handler: (call) => onCall(call) })
})
afterAll(() => server.close())

/** Everything that one attempt told: notices to the consumer and to the observer, and the error. */
async function told(answer: (call: ServerCall) => void): Promise<string> {
  let attempts = 0
  onCall = (call) => {
    attempts++
    // Whatever the first attempt came to, the next one is refused.
    if (attempts === 1) answer(call)
    else call.trailersOnly({ 'grpc-status': '3' })
  }
  const notices: unknown[] = []
  const observer: SharedContext['observer'] = { onNotice: (report) => notices.push(report) }
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

const [PLACE] = Object.keys(PLACES)
const [FORM] = Object.keys(FORMS)

describe.each(Object.keys(PLACES))('an echo in %s', (place) => {
  // The short run tries all forms in one place, and one form in all places.
  const forms = Object.keys(FORMS).filter((form) => inject('isFullRun') || place === PLACE || form === FORM)
  test.each(forms)('%s', async (form) => {
    for (const header of ['x-signature', 'x-signature-nonce', 'x-access-token']) {
      let secret = ''
      let echo = ''
      const shown = await told((call) => {
        secret = String(call.headers[header])
        echo = FORMS[form]?.(secret) ?? ''
        PLACES[place]?.(call, `< ${echo} >`)
      })
      expect(secret.length).toBeGreaterThan(16)
      // Of a long text some places tell no more than the length.
      if (form === 'as it is') expect(shown.includes(REDACTED)).toBe(!SILENT.includes(place))
      for (const text of [secret, echo]) {
        expect(shown).not.toContain(text)
        // As JSON and inspect() write it.
        expect(shown).not.toContain(JSON.stringify(text).slice(1, -1))
      }
    }
  })
})

describe('what steers a terminal or turns a line around is shown as an escape', () => {
  const NASTY = 'a\u001b[31m\u009b31m\u0085\u202eb\u2066c\u2028d\u200be\u007f'

  test.each(['the status of a refusal', 'the status at the end of a stream', 'the name of the connection'])(
    'in %s',
    async (place) => {
      const shown = await told((call) => PLACES[place]?.(call, NASTY))
      expect(shown).toContain('\\u{202e}b')
      expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    },
  )
})
