/** Every error status, with any body of a service or a gateway. */
import { Secret } from '@brokerwire/core'
import { encodeCanonical } from '@brokerwire/signer'
import { readAll } from '@brokerwire/testing/read-all'
import { describe, expect, test } from 'vitest'
import { type HttpErrorCode, isHttpError } from './index.ts'
import { rejection, TOKEN } from './test/fixtures.ts'
import type { Reply } from './test/reply.ts'
import { failWith, setUp } from './test/set-up.ts'

describe('statuses', () => {
  const table: readonly (readonly [number, HttpErrorCode, boolean])[] = [
    [400, 'HTTP_CLIENT_ERROR', false],
    [401, 'HTTP_UNAUTHORIZED', false],
    [403, 'HTTP_FORBIDDEN', false],
    [404, 'HTTP_CLIENT_ERROR', false],
    [417, 'HTTP_BUSINESS_ERROR', false],
    [429, 'HTTP_RATE_LIMITED', true],
    [500, 'HTTP_SERVER_ERROR', true],
    [502, 'HTTP_SERVER_ERROR', true],
    [599, 'HTTP_SERVER_ERROR', true],
    [300, 'HTTP_REDIRECT', false],
    [301, 'HTTP_REDIRECT', false],
    [304, 'HTTP_REDIRECT', false],
    [307, 'HTTP_REDIRECT', false],
  ]
  test.each(table)('%i is %s', async (status, code, retryable) => {
    const error = await failWith({
      status,
      headers: { 'x-request-id': 'r-9', 'retry-after': '7' },
      ...(status === 304 ? {} : { json: { error_code: 'SOME_CODE', message: 'in words' } }),
    })
    expect(error).toMatchObject({ code, retryable })
    expect(error.details).toMatchObject({
      method: 'GET',
      path: '/x',
      status,
      requestId: 'r-9',
      retryAfterMs: 7000,
    })
    if (status >= 400) {
      expect(error.details).toMatchObject({ serviceCode: 'SOME_CODE', serviceMessage: 'in words' })
      expect(error.message).toBe(`GET /x: status ${status}, SOME_CODE: in words`)
    }
  })

  const bodies: readonly (readonly [string, string, string | undefined, string | undefined])[] = [
    ['the documented form', '{"error_code":"INVALID_TOKEN","message":"m"}', 'INVALID_TOKEN', 'm'],
    ['an older form', '{"code":"OPENAPI_PARAM_ERR","msg":"m"}', 'OPENAPI_PARAM_ERR', 'm'],
    ['a code as a number', '{"code":1042,"msg":""}', '1042', undefined],
    ['a gateway\u2019s message alone', '{"message":"no route"}', undefined, 'no route'],
    ['an unknown code', '{"error_code":"BRAND_NEW","message":"m"}', 'BRAND_NEW', 'm'],
    ['wrong types', '{"error_code":{"a":1},"message":[]}', undefined, undefined],
    ['an array', '[1]', undefined, undefined],
    ['null', 'null', undefined, undefined],
    ['HTML', '<html><h1>502</h1></html>', undefined, undefined],
    ['JSON behind a byte order mark', '\ufeff{"error_code":"A","message":"m"}', 'A', 'm'],
    ['an error', '{"error":"bad account"}', undefined, 'bad account'],
    ['a list of errors', '{"errors":[{"message":"bad account"},{"message":"b"}]}', undefined, 'bad account'],
    ['plain text', ' upstream\nfailed ', undefined, 'upstream\\u{a}failed'],
    ['long plain text', 'x'.repeat(9000), undefined, `${'x'.repeat(200)}\u2026`],
    ['half JSON', '{"error_code":"A', undefined, undefined],
    ['nothing', '', undefined, undefined],
    [
      'lines that a log would take for its own',
      '{"message":"a\\n2026 INFO \\u001b[31mb"}',
      undefined,
      'a\\u{a}2026 INFO \\u{1b}[31mb',
    ],
    [
      'a very long message',
      JSON.stringify({ message: 'x'.repeat(9000) }),
      undefined,
      `${'x'.repeat(500)}\u2026`,
    ],
  ]
  test.each(bodies)('an error body of %s', async (_, text, serviceCode, serviceMessage) => {
    const error = await failWith({ status: 417, text })
    expect(error.details).toMatchObject({ serviceCode, serviceMessage })
  })

  test('a redirect is not followed, wherever it points', async () => {
    const { service, client } = await setUp()
    await service.reply({ status: 302, headers: { location: `${service.url}/other` } })
    const error = await rejection(client.request({ method: 'GET', path: '/x' }))
    expect(isHttpError(error, 'HTTP_REDIRECT')).toBe(true)
    expect((await service.received()).map(({ target }) => target)).toEqual(['/x'])
  })

  test('secrets of the request that the service quotes are removed', async () => {
    const { service, client } = await setUp()
    const message = 'token {header x-access-token} signature {header x-signature} body {body}'
    await service.reply({
      status: 401,
      headers: { 'x-request-id': 'r-{header x-access-token}' },
      json: { error_code: 'BAD_{header x-access-token}', message },
    })
    const json = { refresh_token: new Secret('hunter2hunter2') }
    const error = await rejection(client.request({ method: 'POST', path: '/x', json }))
    const printed = readAll(error)
    const signature = String((await service.received())[0]?.headers['x-signature'])
    for (const secret of [TOKEN, signature, 'hunter2']) expect(printed).not.toContain(secret)
    expect(isHttpError(error, 'HTTP_UNAUTHORIZED') && error.details.serviceCode).toBe('BAD_[secret]')
  })

  test('encoded secrets are removed too, and those in responses with status 200', async () => {
    const token = `a+b/c="<d'${'e'.repeat(8)}`
    const { client, service, ends } = await setUp({ maxRetries: 0 })
    const signed = async (reply: Reply, maxResponseBytes?: number) => {
      await service.reply(reply)
      return client.request({ method: 'GET', path: '/x', accessToken: token, maxResponseBytes })
    }
    const forms = [
      token,
      encodeURIComponent(token),
      encodeURIComponent(token).replaceAll(/%../g, (hex) => hex.toLowerCase()),
      encodeCanonical(token),
      JSON.stringify(token).slice(1, -1),
    ]
    const rejected = await rejection(signed({ status: 400, json: { message: forms.join(' ') } }))
    expect(isHttpError(rejected, 'HTTP_CLIENT_ERROR') && rejected.details.serviceMessage).toBe(
      forms.map(() => '[secret]').join(' '),
    )
    const headers = { 'x-request-id': 'r {header x-access-token} {header x-signature}' }
    const response = await signed({ headers, text: 'no JSON' })
    const bad = await rejection(Promise.resolve().then(() => response.json()))
    const large = await rejection(signed({ headers, steps: ['head', { fill: 100 }, 'end'] }, 10))
    const expected = { requestId: 'r [secret] [secret]' }
    expect(response).toMatchObject(expected)
    expect(isHttpError(bad, 'HTTP_INVALID_RESPONSE') && bad.details).toMatchObject(expected)
    expect(isHttpError(large, 'HTTP_RESPONSE_TOO_LARGE') && large.details).toMatchObject(expected)
    expect(ends[1]).toMatchObject(expected)
  })

  test('control characters and direction marks are escaped', async () => {
    const { client, service, ends } = await setUp({ maxRetries: 0 })
    const odd = 'a\u009b31mb\u0085c\u202ed\u2066e\u200ff\u061cg'
    const steps = [
      { raw: `HTTP/1.1 400 Bad\r\nx-request-id: a\x9b31mb\x85c\r\ncontent-length: 2\r\n\r\n{}` },
    ] as const
    await service.reply({ status: 400, json: { error_code: odd, message: odd } })
    const error = await rejection(client.request({ method: 'GET', path: '/x' }))
    if (!isHttpError(error, 'HTTP_CLIENT_ERROR')) throw error
    const { serviceCode, serviceMessage } = error.details
    const shown = 'a\\u{9b}31mb\\u{85}c\\u{202e}d\\u{2066}e\\u{200f}f\\u{61c}g'
    expect({ serviceCode, serviceMessage }).toEqual({ serviceCode: shown, serviceMessage: shown })
    await service.reply({ steps })
    await rejection(client.request({ method: 'GET', path: '/x' }))
    expect(ends.at(-1)?.requestId ?? '').not.toMatch(/[\u0080-\u009f]/)
  })
})
