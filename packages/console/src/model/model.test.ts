/** Formatting of durations, rates, reports, links and payloads. */
import { describe, expect, test } from 'vitest'
import wire from '../../../../testdata/fixtures/wire-messages.json' with { type: 'json' }
import { exampleQuery, parseExample } from './example.ts'
import { formatDuration, formatIsoTime, pluralize } from './format.ts'
import { nextRates, RATE_SECONDS } from './rates.ts'
import { decodeEvent, prettyPayload, summarize } from './read-event.ts'
import { formatReport } from './report.ts'

test.each([
  [0, '0 s'],
  [-5, '0 s'],
  [59_999, '59 s'],
  [61_000, '1 min 1 s'],
  [3_600_000, '1 h'],
  [15 * 86_400_000 - 1, '14 d 23 h'],
  [86_400_000 + 1000, '1 d'],
])('%d ms are %j', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

test('counts and times', () => {
  expect([pluralize(1, 'event'), pluralize(12_345, 'event')]).toEqual(['1 event', '12,345 events'])
  expect(formatIsoTime('2026-01-31T14:05:09.123456789Z')).toBe('14:05:09.123')
})

test('rates are differences, a minute of them, and never below nothing', () => {
  let rates = nextRates([], { events: 5, requests: 1 }, { events: 8, requests: 1 })
  expect(rates).toEqual([{ events: 3, requests: 0 }])
  rates = nextRates(rates, { events: 8, requests: 1 }, { events: 0, requests: 0 })
  expect(rates.at(-1)).toEqual({ events: 0, requests: 0 })
  for (let at = 0; at < 100; at += 1)
    rates = nextRates(rates, { events: 0, requests: 0 }, { events: 1, requests: 0 })
  expect(rates).toHaveLength(RATE_SECONDS)
})

describe('an example in an address', () => {
  test('comes back as it was', () => {
    const example = { ...parseExample(''), body: 'a&b=c%20+#\n', algorithm: 'HMAC-SHA256' } as const
    expect(parseExample(exampleQuery(example))).toEqual(example)
  })

  test('holds no secret, and reads none', () => {
    expect(parseExample('secret=x&appSecret=y&algorithm=none')).toEqual(parseExample(''))
    expect(exampleQuery({ ...parseExample(''), appSecret: 'hidden' } as never)).not.toContain('hidden')
  })
})

test('a report shows what everybody may know, and of the rest names and lengths', () => {
  const request = {
    index: 0,
    atMs: 0,
    tookMs: 1,
    protocol: 'http' as const,
    method: 'GET',
    path: '/openapi/config',
    status: 401,
    errorCode: 'UNAUTHORIZED',
    app: undefined,
    requestId: 'r-1',
    headerNames: ['host', 'x-access-token'],
  }
  const report = formatReport(request, {
    canonical: {
      path: '/openapi/config',
      entries: [
        { name: 'host', source: 'header', text: 'host=127.0.0.1' },
        { name: 'token', source: 'query', text: 'token=hidden-one' },
        { name: 'x-app-key', source: 'header', text: 'x-app-key=hidden-two' },
      ],
      digest: 'HIDDENTHREE',
      text: '/openapi/config&host=127.0.0.1&token=hidden-one',
    },
    rejection: {
      code: 'UNAUTHORIZED',
      message: 'signature (x-signature); expected the signature of /hidden-four',
    },
  })
  expect(report).toContain('host=127.0.0.1')
  expect(report).toContain('token=<10 characters>')
  expect(report).toContain('rejected: UNAUTHORIZED: signature (x-signature)')
  expect(report).not.toMatch(/hidden/i)
})

describe('an event', () => {
  const { messages } = wire as {
    messages: { service: string; message: { eventType: number; payload: string } }[]
  }
  const event = {
    log: 'trade' as const,
    app: 'app-1',
    index: 0,
    at: '2026-01-31T14:05:09.123Z',
    kind: 'order',
    eventType: '1024',
    accountId: 'A',
    requestId: 'r',
    position: undefined,
    contentType: 'application/json',
    version: undefined,
    invented: false,
    payload:
      '{"order_id":"1","scene_type":"FINAL_FILLED","qty":1.10,"symbol":"AAPL","list":[],"of":{"a":"\\"{"}}',
    isCut: false,
  }

  test('is broken into lines without a digit less', () => {
    const text = prettyPayload(event.payload)
    expect(text).toContain('"qty": 1.10')
    expect(text).toContain('"list": []')
    expect(text.replace(/\n\s*|(?<=":) /g, '')).toBe(event.payload)
    expect(prettyPayload('not json {')).toBe('not json {')
  })

  const payloadOf = (eventType: number): string =>
    messages.find(({ service, message }) => service !== 'module' && message.eventType === eventType)?.message
      .payload ?? ''

  test('has the line of the command line as its row', () => {
    const row = summarize({ ...event, payload: payloadOf(1024) })
    expect(row).toMatch(
      /^(partly )?filled (BUY|SELL) [\d.]+ \S+ \S+, [\d.]+ at [\d.]+ \(order \S+, account \S+\)$/,
    )
    const settled = summarize({ ...event, kind: 'position', eventType: '1028', payload: payloadOf(1028) })
    expect(settled).toMatch(/^settled .+: .+; [\d.]+ \S+ for [\d.]+$/)
    expect(summarize({ ...event, payload: 'x' })).toMatch(/^not decodable: /)
    expect(summarize({ ...event, isCut: true })).toBe('a long payload')
  })

  test('is decoded, and its errors are reported', () => {
    const order = messages.find(({ service, message }) => service === 'trade' && message.eventType === 1024)
    const payload = order?.message.payload ?? ''
    expect(decodeEvent({ ...event, payload }).text).toContain('"sceneType": ')
    expect(decodeEvent({ ...event, payload }).text).not.toContain('"raw"')
    expect(decodeEvent({ ...event, payload: '{' }).issues).toHaveLength(1)
    expect(decodeEvent({ ...event, kind: 'option', payload: '{"x":1}' }).text).toContain('"x": 1')
    const module = {
      ...event,
      log: 'module' as const,
      kind: 'journal',
      eventType: 'JOURNAL',
      position: 'C1',
      version: '1.0',
    }
    expect(decodeEvent({ ...module, payload: '{"payload":{"biz_type":"CASH_JOURNAL"}}' }).text).toContain(
      'JOURNAL',
    )
  })
})
