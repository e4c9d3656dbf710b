/** Signed `Request`s of the runtime: the URL and the body that are sent are those that were signed. */
import { createSigner, createVerifier, isSignerError, signRequest } from '@brokerwire/signer'
import { describe, expect, it } from 'vitest'

const options = { appKey: 'key', appSecret: 'secret' }
const signer = createSigner(options)
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Verifies a request as a server receives it. */
async function verify(request: Request): Promise<unknown> {
  const url = new URL(request.url)
  const body = new Uint8Array(await request.arrayBuffer())
  return createVerifier({ secretFor: () => 'secret' }).verify({
    host: url.host,
    target: url.pathname + url.search,
    headers: request.headers,
    body,
  })
}

/**
 * An object with the properties of `Request` that are used. A real stream would reject some of these chunks
 * itself.
 */
function streaming(chunk: unknown) {
  const chunks = [chunk]
  const reader = {
    read: async () => ({ done: chunks.length === 0, value: chunks.pop() }),
    cancel: async () => {},
  }
  const body = { getReader: () => reader }
  const { headers, method, url } = new Request('https://h.example/p', { method: 'POST' })
  return { method, url, headers, body, arrayBuffer: async () => new ArrayBuffer() }
}

describe('signRequest', () => {
  it('signs a GET request', async () => {
    const signed = await signRequest(signer, new Request('https://h.example/p?b=2+3&a=1#f'))
    expect(signed.url).toBe('https://h.example/p?a=1&b=2%203')
    expect(signed.method).toBe('GET')
    expect(await verify(signed)).toEqual({ ok: true, appKey: 'key' })
  })

  it('sends the bytes of a body that it signed', async () => {
    const body = '{"note":"<b>1 & 2</b> é"}'
    const request = new Request('https://h.example/p', { method: 'POST', body })
    const signed = await signRequest(signer, request)
    expect(signed.method).toBe('POST')
    expect(await signed.clone().text()).toBe(body)
    expect(await verify(signed)).toEqual({ ok: true, appKey: 'key' })
  })

  it('signs a streamed body with chunks of any size', async () => {
    const chunks = ['{"a":', '', '1}']
    const stream = new ReadableStream({
      pull(controller) {
        const chunk = chunks.shift()
        if (chunk === undefined) controller.close()
        else controller.enqueue(bytesOf(chunk))
      },
    })
    const init = { method: 'PUT', body: stream, duplex: 'half' as const }
    const signed = await signRequest(signer, new Request('https://h.example/p', init))
    expect(await signed.clone().text()).toBe('{"a":1}')
    expect(await verify(signed)).toEqual({ ok: true, appKey: 'key' })
  })

  it('keeps keepalive, and the body of such a request', async () => {
    for (const body of ['x'.repeat(1000), undefined]) {
      const init = { method: 'POST', keepalive: true, ...(body === undefined ? {} : { body }) }
      const request = new Request('https://h.example/p', init)
      const signed = await signRequest(signer, request)
      expect(signed.keepalive).toBe(request.keepalive)
      expect(await signed.clone().text()).toBe(body ?? '')
      expect(await verify(signed)).toEqual({ ok: true, appKey: 'key' })
    }
  })

  it('reads the body of a request without the property body, as in Firefox', async () => {
    class Hiding extends Request {}
    Object.defineProperty(Hiding.prototype, 'body', { get: () => undefined })
    for (const body of ['{"a":1}', null]) {
      const signed = await signRequest(
        signer,
        new Hiding('https://h.example/p?b=1&a=2', { method: 'POST', body }),
      )
      expect(signed).toBeInstanceOf(Hiding)
      expect([signed.method, signed.url]).toEqual(['POST', 'https://h.example/p?a=2&b=1'])
      expect(await signed.clone().text()).toBe(body ?? '')
      expect(await verify(signed)).toEqual({ ok: true, appKey: 'key' })
    }
    const long = signRequest(signer, new Hiding('https://h.example/p', { method: 'POST', body: '12345' }), {
      maxBodyBytes: 4,
    })
    expect(isSignerError(await long.catch((reason: unknown) => reason), 'SIGNER_BODY_TOO_LARGE')).toBe(true)
  })

  it('cancels a stream that is too long or has an invalid chunk', async () => {
    for (const [value, code] of [
      [new Uint8Array(5), 'SIGNER_BODY_TOO_LARGE'],
      ['text', 'SIGNER_INPUT_INVALID'],
    ] as const) {
      const request = streaming(value)
      const reader = request.body.getReader()
      let cancelled = 0
      reader.cancel = async () => {
        cancelled += 1
        throw new Error('it was closed already')
      }
      const refused = signRequest(signer, request as never, { maxBodyBytes: 4 })
      expect(isSignerError(await refused.catch((reason: unknown) => reason), code)).toBe(true)
      expect(cancelled).toBe(1)
    }
  })

  it('keeps the referrer and its policy, with a body and without', async () => {
    for (const body of ['x', null]) {
      for (const referrer of ['https://h.example/from', '', 'about:client']) {
        const init = { method: 'POST', body, referrer, referrerPolicy: 'no-referrer' as const }
        const request = new Request('https://h.example/p', init)
        const signed = await signRequest(signer, request)
        expect([signed.referrer, signed.referrerPolicy]).toEqual([request.referrer, request.referrerPolicy])
      }
    }
  })

  it('treats an empty body as no body', async () => {
    const signed = await signRequest(signer, new Request('https://h.example/p', { method: 'POST', body: '' }))
    expect(signed.method).toBe('POST')
    expect(await verify(signed)).toEqual({ ok: true, appKey: 'key' })
  })

  it('keeps the properties of the request', async () => {
    const abort = new AbortController()
    const request = new Request('https://h.example/p', {
      method: 'PATCH',
      body: '{}',
      headers: { 'content-type': 'application/json', 'x-version': 'v3', 'x-access-token': 'token' },
      redirect: 'manual',
      signal: abort.signal,
    })
    const signed = await signRequest(signer, request)
    expect(signed).toBeInstanceOf(Request)
    expect(signed.headers.get('content-type')).toBe('application/json')
    expect(signed.headers.get('x-version')).toBe('v3')
    expect(signed.headers.get('x-access-token')).toBe('token')
    expect(signed.redirect).toBe('manual')
    expect(signed.signal.aborted).toBe(false)
    abort.abort()
    expect(signed.signal.aborted).toBe(true)
  })

  it('follows no redirect, with a body and without', async () => {
    for (const body of ['x', '', null]) {
      const request = new Request('https://h.example/p', { method: 'POST', body })
      expect(request.redirect).toBe('follow')
      expect((await signRequest(signer, request)).redirect).toBe('manual')
    }
  })

  it('replaces headers of another signature', async () => {
    const request = new Request('https://h.example/p', {
      headers: { 'x-signature': 'old', 'X-App-Key': 'old', 'x-timestamp': 'old' },
    })
    const signed = await signRequest(signer, request)
    expect(signed.headers.get('x-app-key')).toBe('key')
    expect(await verify(signed)).toEqual({ ok: true, appKey: 'key' })
  })

  it('signs a signed request again with a new nonce', async () => {
    const first = await signRequest(
      signer,
      new Request('https://h.example/p?a=1', { method: 'POST', body: 'x' }),
    )
    const second = await signRequest(signer, first.clone())
    expect(second.headers.get('x-signature-nonce')).not.toBe(first.headers.get('x-signature-nonce'))
    expect(await verify(second)).toEqual({ ok: true, appKey: 'key' })
  })

  it('removes a copied host header', async () => {
    const signed = await signRequest(
      signer,
      new Request('https://h.example/p', { headers: { host: 'other' } }),
    )
    expect(signed.headers.has('host')).toBe(false)
  })

  it('signs the host of a gateway', async () => {
    const request = new Request('http://127.0.0.1:9/p')
    const signed = await signRequest(signer, request, { host: 'api.example.com' })
    expect(signed.url).toBe('http://127.0.0.1:9/p')
    const verifier = createVerifier({ secretFor: () => 'secret' })
    const seen = { host: 'api.example.com', target: '/p', headers: signed.headers }
    expect(await verifier.verify(seen)).toEqual({ ok: true, appKey: 'key' })
  })
})

describe('a rejected request', () => {
  it('has the app secret in a header', async () => {
    const request = new Request('https://h.example/p', { headers: { 'X-App-Secret': 'secret' } })
    const error: unknown = await signRequest(signer, request).catch((reason: unknown) => reason)
    expect(isSignerError(error, 'SIGNER_HEADER_FORBIDDEN')).toBe(true)
    expect(String(error)).not.toContain(': secret')
  })

  it('gets the app secret in a header while its body is read', async () => {
    const request = new Request('https://h.example/p', { method: 'POST', body: 'x' })
    const signing = signRequest(signer, request).catch((error: unknown) => error)
    request.headers.set('x-app-secret', 'late')
    expect(isSignerError(await signing, 'SIGNER_HEADER_FORBIDDEN')).toBe(true)
  })

  it('has a body that another reader is reading', async () => {
    const request = new Request('https://h.example/p', { method: 'POST', body: 'x' })
    const reading = signRequest(signer, request)
    const [other, one] = [await signRequest(signer, request).catch((error: unknown) => error), await reading]
    expect(one).toBeInstanceOf(Request)
    expect(isSignerError(other, 'SIGNER_BODY_USED')).toBe(true)
  })

  it.each<[what: string, more: object]>([
    ['bodyUsed is true', { bodyUsed: true }],
    ['the stream is locked', { body: { locked: true } }],
  ])('has a body that was read: %s', async (_what, more) => {
    const request = { ...streaming(new Uint8Array(1)), ...more }
    const error: unknown = await signRequest(signer, request).catch((reason: unknown) => reason)
    expect(isSignerError(error, 'SIGNER_BODY_USED')).toBe(true)
  })

  it.each<[what: string, chunk: unknown]>([
    ['null', null],
    ['a text', 'text'],
    ['a number', 5],
    ['a list', [1, 2]],
  ])('has a stream with %s as a chunk', async (_what, chunk) => {
    const request = streaming(chunk)
    const error: unknown = await signRequest(signer, request).catch((reason: unknown) => reason)
    expect(isSignerError(error, 'SIGNER_INPUT_INVALID') && error.details).toEqual({
      field: 'body',
      expected: 'a stream of bytes',
    })
  })

  it('has more bytes than elements', async () => {
    const request = streaming(new Uint16Array(3))
    const error: unknown = await signRequest(signer, request, { maxBodyBytes: 5 }).catch(
      (reason: unknown) => reason,
    )
    expect(isSignerError(error, 'SIGNER_BODY_TOO_LARGE')).toBe(true)
  })

  it('has a body that was read', async () => {
    const request = new Request('https://h.example/p', { method: 'POST', body: 'x' })
    await request.text()
    const error: unknown = await signRequest(signer, request).catch((reason: unknown) => reason)
    expect(isSignerError(error, 'SIGNER_BODY_USED')).toBe(true)
  })

  it('has a body that is too long, and the rest is not read', async () => {
    let cancelled = false
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1000)),
      cancel: () => {
        cancelled = true
      },
    })
    const init = { method: 'POST', body: stream, duplex: 'half' as const }
    const request = new Request('https://h.example/p', init)
    const error: unknown = await signRequest(signer, request, { maxBodyBytes: 5000 }).catch(
      (reason: unknown) => reason,
    )
    expect(isSignerError(error, 'SIGNER_BODY_TOO_LARGE')).toBe(true)
    expect(cancelled).toBe(true)
  })

  it('has more than maxBodyBytes, not exactly as many', async () => {
    const make = (): Request => new Request('https://h.example/p', { method: 'POST', body: 'x'.repeat(100) })
    const signed = await signRequest(signer, make(), { maxBodyBytes: 100 })
    expect(await verify(signed)).toEqual({ ok: true, appKey: 'key' })
    await expect(signRequest(signer, make(), { maxBodyBytes: 99 })).rejects.toThrow('at most 99 bytes')
  })

  it.each([Number.NaN, -1, '5'])('has the invalid limit %j', async (maxBodyBytes) => {
    const request = new Request('https://h.example/p', { method: 'POST', body: 'x' })
    const refused = signRequest(signer, request, { maxBodyBytes: maxBodyBytes as number })
    const error: unknown = await refused.catch((reason: unknown) => reason)
    expect(isSignerError(error, 'SIGNER_OPTION_INVALID') && error.details.field).toBe('maxBodyBytes')
  })

  it('has a URL with another scheme', async () => {
    const error: unknown = await signRequest(signer, {
      ...new Request('https://h.example/'),
      url: 'data:text/plain,x',
      body: null,
      headers: new Headers(),
    } as never).catch((reason: unknown) => reason)
    expect(isSignerError(error, 'SIGNER_TARGET_INVALID')).toBe(true)
  })
})
