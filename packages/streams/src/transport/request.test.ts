/** What goes out: headers that the protocol fixes, timeouts of at most eight digits, envelopes within their limit. */
import { TradeSubscribeRequestSchema } from '@brokerwire/protos'
import { create } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { describe, expect, test } from 'vitest'
import { gzipCompression } from './compression.ts'
import { encodeEnvelope, http2Headers, requestHeaders } from './request.ts'

const none = { acceptCompression: [], sendCompression: undefined }

describe('headers', () => {
  test('the protocol has the last word, the caller the rest', () => {
    const given = { te: 'x', 'content-type': 'x', 'user-agent': 'mine', 'x-app-key': 'k' }
    expect(Object.fromEntries(requestHeaders(given, undefined, none))).toEqual({
      'content-type': 'application/grpc+proto',
      te: 'trailers',
      'user-agent': 'mine',
      'x-app-key': 'k',
    })
  })

  test.each([
    [1, '1m'],
    [0.2, '1m'],
    [99_999_999, '99999999m'],
    [100_000_000, '100000S'],
    [100_000_001, '100001S'],
    [1e12, '16666667M'],
    [1e14, '27777778H'],
    [1e300, '99999999H'],
  ])('a timeout of %f ms', (ms, text) => {
    expect(requestHeaders({}, ms, none).get('grpc-timeout')).toBe(text)
  })

  test('codings in the order given', () => {
    const settings = { acceptCompression: [gzipCompression], sendCompression: gzipCompression }
    const headers = requestHeaders({}, undefined, settings)
    expect([headers.get('grpc-encoding'), headers.get('grpc-accept-encoding')]).toEqual(['gzip', 'gzip'])
  })

  test('pseudo headers come from the address', () => {
    const headers = http2Headers(new URL('https://[::1]:8443/base/a.B/C'), new Headers({ te: 'trailers' }))
    expect(headers).toMatchObject({
      ':method': 'POST',
      ':scheme': 'https',
      ':authority': '[::1]:8443',
      ':path': '/base/a.B/C',
      te: 'trailers',
    })
  })
})

describe('an envelope', () => {
  const message = create(TradeSubscribeRequestSchema, { accounts: ['A'.repeat(2000)] })
  const settings = { sendCompression: gzipCompression, compressMinBytes: 1024, writeMaxBytes: 4096 }

  test('is compressed from compressMinBytes on', async () => {
    const bytes = await encodeEnvelope(TradeSubscribeRequestSchema, message, settings)
    expect([bytes[0], bytes.readUInt32BE(1)]).toEqual([1, bytes.length - 5])
    expect(bytes.length).toBeLessThan(200)
    const short = create(TradeSubscribeRequestSchema, { accounts: ['A'] })
    expect((await encodeEnvelope(TradeSubscribeRequestSchema, short, settings))[0]).toBe(0)
  })

  test('longer than writeMaxBytes is not sent', async () => {
    const limited = { ...settings, sendCompression: undefined, writeMaxBytes: 2000 }
    await expect(encodeEnvelope(TradeSubscribeRequestSchema, message, limited)).rejects.toMatchObject({
      code: Code.ResourceExhausted,
    })
  })
})
