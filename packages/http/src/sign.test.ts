/** The second stage on plain values: the token that a request carries, and the signed parts. */
import { createRedactor, Secret, type ServerClock } from '@brokerwire/core'
import type { SignInput } from '@brokerwire/signer'
import { expect, test } from 'vitest'
import { type HttpClientOptions, readClientOptions } from './client-options.ts'
import type { HttpRequest } from './index.ts'
import { normalize } from './normalize.ts'
import { getToken, sign } from './sign.ts'

const inputs: SignInput[] = []
const signer = {
  async sign(input: SignInput) {
    inputs.push(input)
    return {
      url: 'https://h.example/signed',
      headers: { 'x-signature': 'signature' },
      canonical: '',
    } as never
  },
}
const providedToken = new Secret('provided-token')
const accessTokens = {
  get: async () => ({ token: providedToken, expiresAtMs: undefined }),
  reportRejected: async () => ({ changed: false as const }),
}
const serverClock: ServerClock = { now: () => 0, offsetMs: 5000, sync: () => false, resync: () => false }
const base = { accept: 'application/json', 'x-version': 'v2', 'x-signature': 'signature' }

interface Row {
  readonly options?: Partial<HttpClientOptions>
  readonly request?: Partial<HttpRequest>
  readonly input?: object
  readonly headers?: object
  /** Whether the token is that of the token provider. */
  readonly isFromSource?: false
  readonly clockOffsetMs?: number
}

const table: Readonly<Record<string, Row>> = {
  'a token of the provider': { headers: { ...base, 'x-access-token': 'provided-token' } },
  'a token of the request': {
    request: { accessToken: 'of-the-request' },
    headers: { ...base, 'x-access-token': 'of-the-request' },
    isFromSource: false,
  },
  'no token': { request: { authenticated: false }, headers: base, isFromSource: false },
  'no token for a token endpoint': {
    request: { path: '/auth/tokens/check' },
    input: { path: '/auth/tokens/check' },
    headers: base,
    isFromSource: false,
  },
  'the scheme, host and port of baseUrl': {
    options: { baseUrl: 'http://127.0.0.1:8080' },
    input: { scheme: 'http', host: '127.0.0.1:8080' },
  },
  'the query and the bytes of the body': {
    request: { method: 'POST', path: '/orders', query: { a: '1' }, json: { b: 2 } },
    input: { path: '/orders', query: [['a', '1']], body: new TextEncoder().encode('{"b":2}') },
    headers: { ...base, 'content-type': 'application/json', 'x-access-token': 'provided-token' },
  },
  'headers of the request': {
    request: { authenticated: false, headers: { 'X-Trace': '1' }, apiVersion: 'v3' },
    headers: { ...base, 'x-trace': '1', 'x-version': 'v3' },
    isFromSource: false,
  },
  'the offset of the server clock': { options: { serverClock }, clockOffsetMs: 5000 },
}

test.each(Object.entries(table))('%s', async (_, row) => {
  const options = { baseUrl: 'https://h.example', signer, accessTokens, ...row.options }
  const settings = readClientOptions(options)
  const request = normalize({ method: 'GET', path: '/x', ...row.request }, settings)
  const signed = await sign(settings, request, await getToken(settings, request))
  expect(signed.url).toBe('https://h.example/signed')
  expect(inputs.at(-1)).toMatchObject({
    scheme: 'https',
    host: 'h.example',
    path: '/x',
    query: [],
    ...row.input,
  })
  if (row.headers !== undefined) expect(signed.headers).toEqual(row.headers)
  expect(signed.providedToken).toBe(row.isFromSource === false ? undefined : providedToken)
  expect(signed.clockOffsetMs).toBe(row.clockOffsetMs)
})

test('the secrets of a request are the token, the signature and those of its body', async () => {
  const settings = readClientOptions({ baseUrl: 'https://h.example', signer, accessTokens })
  const json = { refresh_token: new Secret('of-the-body') }
  const request = normalize({ method: 'POST', path: '/x', json }, settings)
  const { redact } = await sign(settings, request, await getToken(settings, request))
  const text = 'provided-token signature of-the-body'
  expect(redact(text)).toBe(createRedactor(text.split(' '))(text))
  expect(redact(text)).not.toMatch(/provided|signature|body/)
})

test('errors of the token provider are passed on', async () => {
  const failure = new Error('a second factor is needed')
  const failing = { ...accessTokens, get: () => Promise.reject(failure) }
  const settings = readClientOptions({ baseUrl: 'https://h.example', signer, accessTokens: failing })
  await expect(getToken(settings, normalize({ method: 'GET', path: '/x' }, settings))).rejects.toBe(failure)
})
