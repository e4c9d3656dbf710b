/** A signed `fetch`: the request that it sends is that of the arguments, and is valid for a server. */
import { Secret } from '@brokerwire/core'
import { createSigner, createVerifier, isSignerError } from '@brokerwire/signer'
import { createSignedFetch, type SignedFetchOptions } from '@brokerwire/signer/fetch'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

const signer = createSigner({ appKey: 'key', appSecret: 'secret' })
const ORIGIN = 'https://api.example.com'

/** A fetch that records requests, and returns a response. */
function recorder(respond = (): Response => new Response('{}')) {
  const sent: Request[] = []
  const inits: (RequestInit | undefined)[] = []
  async function record(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    sent.push(input as Request)
    inits.push(init)
    return respond()
  }
  return { fetch: record, sent, inits }
}

/** Sends one request, and returns it as it was sent. */
async function send(
  input: string | URL | Request,
  init?: RequestInit,
  options: Partial<SignedFetchOptions> = {},
): Promise<Request> {
  const { fetch, sent } = recorder()
  await createSignedFetch({ signer, ...options, fetch })(input, init)
  const [request] = sent
  if (request === undefined) throw new Error('nothing was sent')
  return request
}

async function isValid(request: Request): Promise<boolean> {
  const { host, pathname, search } = new URL(request.url)
  const body = new Uint8Array(await request.clone().arrayBuffer())
  const verifier = createVerifier({ secretFor: () => 'secret' })
  return (await verifier.verify({ host, target: pathname + search, headers: request.headers, body })).ok
}

const codeOf = async (promise: Promise<unknown>): Promise<unknown> => {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return isSignerError(error) ? error.code : error
}

const bytes = new TextEncoder().encode('{"a":"é"}')
const form = new FormData()
form.set('a', '1')

describe('createSignedFetch', () => {
  it.each<[kind: string, body: Exclude<RequestInit['body'], undefined>]>([
    ['a string', '{"a":"é"}'],
    ['bytes', bytes],
    ['an ArrayBuffer', bytes.buffer],
    ['a URLSearchParams', new URLSearchParams([['a', 'b c']])],
    ['a Blob', new Blob(['x'], { type: 'text/plain' })],
    ['a FormData', form],
    ['no body', null],
    ['an empty string', ''],
  ])('signs the bytes that it sends: %s', async (_kind, body) => {
    const given = new Request(`${ORIGIN}/orders`, { method: 'POST', body })
    const sent = await send(`${ORIGIN}/orders`, { method: 'POST', body })
    expect(await isValid(sent)).toBe(true)
    const withoutBoundary = (type: string | null) => type?.replace(/boundary=.*/, '')
    expect(withoutBoundary(sent.headers.get('content-type'))).toBe(
      withoutBoundary(given.headers.get('content-type')),
    )
    if (body !== form) expect(await sent.text()).toBe(await given.text())
  })

  it('signs a stream, read to its end', async () => {
    const body = new Response('streamed').body
    const init = { method: 'POST', body, duplex: 'half' as const }
    const sent = await send(`${ORIGIN}/orders`, init)
    expect(await isValid(sent)).toBe(true)
    expect(await sent.text()).toBe('streamed')
  })

  it('does not send a body that is longer than maxBodyBytes', async () => {
    const { fetch, sent } = recorder()
    const signedFetch = createSignedFetch({ signer, fetch, maxBodyBytes: 4 })
    const init = { method: 'POST', body: '12345' }
    expect(await codeOf(signedFetch(`${ORIGIN}/orders`, init))).toBe('SIGNER_BODY_TOO_LARGE')
    expect(sent).toEqual([])
  })

  it.each<[kind: string, input: string | URL | Request]>([
    ['a string', `${ORIGIN}/orders?b=2&a=1`],
    ['a URL', new URL(`${ORIGIN}/orders?b=2&a=1`)],
    ['a Request', new Request(`${ORIGIN}/orders?b=2&a=1`)],
  ])('accepts %s, and keeps method and headers of the second argument', async (_kind, input) => {
    const sent = await send(input, { method: 'DELETE', headers: { 'x-version': 'v3' } })
    expect(await isValid(sent)).toBe(true)
    expect([sent.method, sent.url]).toEqual(['DELETE', `${ORIGIN}/orders?a=1&b=2`])
    expect(sent.headers.get('x-version')).toBe('v3')
    expect(sent.redirect).toBe('manual')
  })

  it('keeps a Request of another class', async () => {
    class Other extends Request {}
    expect(await send(new Other(`${ORIGIN}/orders`))).toBeInstanceOf(Other)
    expect(await send(`${ORIGIN}/orders`, undefined, { Request: Other })).toBeInstanceOf(Other)
  })

  it('passes fields that a Request does not keep to fetch, and no others', async () => {
    const { fetch, inits } = recorder()
    const dispatcher: unknown = {}
    const init: object = { method: 'POST', body: 'x', headers: { a: 'b' }, dispatcher }
    await createSignedFetch({ signer, fetch })(`${ORIGIN}/orders`, init)
    expect(inits[0]).toMatchObject({ dispatcher })
    for (const name of ['method', 'body', 'headers']) expect(inits[0]).not.toHaveProperty(name)
  })

  it('signs each request anew', async () => {
    const [one, two] = [await send(`${ORIGIN}/a`), await send(`${ORIGIN}/a`)]
    expect(one.headers.get('x-signature-nonce')).not.toBe(two.headers.get('x-signature-nonce'))
  })

  it('returns the response of fetch, and rejects with its error', async () => {
    const response = new Response('{}', { status: 404 })
    const { fetch } = recorder(() => response)
    expect(await createSignedFetch({ signer, fetch })(`${ORIGIN}/a`)).toBe(response)
    const failure = new TypeError('failed')
    const failing = recorder(() => {
      throw failure
    })
    expect(await codeOf(createSignedFetch({ signer, fetch: failing.fetch })(`${ORIGIN}/a`))).toBe(failure)
  })
})

describe('a redirect is an error', () => {
  it.each([301, 302, 303, 307, 308])('status %i', async (status) => {
    const { fetch } = recorder(
      () => new Response(null, { status, headers: { location: 'https://b.example/' } }),
    )
    await expect(createSignedFetch({ signer, fetch })(`${ORIGIN}/a`)).rejects.toMatchObject({
      code: 'SIGNER_REDIRECTED',
      message: `the response must be no redirect; received status ${status}. Check the URL of the request`,
      details: { field: 'response', expected: 'no redirect', status },
    })
  })

  it.each<[what: string, response: object, received: string]>([
    [
      'the opaque response of browsers',
      { status: 0, type: 'opaqueredirect', redirected: false, body: null },
      'status 0',
    ],
    [
      'a fetch that followed it',
      { status: 200, type: 'basic', redirected: true, body: null },
      'the response of another URL',
    ],
    ['a body that cannot be cancelled', { status: 302, body: {} }, 'status 302'],
  ])('%s', async (_what, response, received) => {
    const { fetch } = recorder(() => response as Response)
    await expect(createSignedFetch({ signer, fetch })(`${ORIGIN}/a`)).rejects.toMatchObject({
      code: 'SIGNER_REDIRECTED',
      message: `the response must be no redirect; received ${received}. Check the URL of the request`,
    })
  })

  it('status 304 is not a redirect', async () => {
    const { fetch } = recorder(() => new Response(null, { status: 304 }))
    expect((await createSignedFetch({ signer, fetch })(`${ORIGIN}/a`)).status).toBe(304)
  })
})

describe('the option origin', () => {
  it.each(['https://api.example.com:444/a', 'http://api.example.com/a', 'https://b.example/a'])(
    'prevents a request to %s',
    async (url) => {
      const { fetch, sent } = recorder()
      const signedFetch = createSignedFetch({ signer, fetch, origin: ORIGIN, accessToken: 'token' })
      const expected = `a URL of ${ORIGIN}, the option origin`
      await expect(signedFetch(url)).rejects.toMatchObject({
        code: 'SIGNER_TARGET_INVALID',
        message: `url must be ${expected}; received ${new URL(url).origin}`,
        details: { field: 'url', expected },
      })
      expect(sent).toEqual([])
    },
  )

  it('is compared in normalized form', async () => {
    expect(await isValid(await send('https://API.example.com:443/a', {}, { origin: ORIGIN }))).toBe(true)
  })
})

describe('the option accessToken', () => {
  const tokenOf = async (accessToken: unknown, url = `${ORIGIN}/orders`, init?: RequestInit) => {
    const options = { origin: ORIGIN, accessToken } as Partial<SignedFetchOptions>
    return (await send(url, init, options)).headers.get('x-access-token')
  }

  it.each<[kind: string, accessToken: unknown, sent: string | null]>([
    ['a string', 'token', 'token'],
    ['a Secret', new Secret('token'), 'token'],
    ['a function', () => 'token', 'token'],
    ['an async function with a Secret', async () => new Secret('token'), 'token'],
    ['a function that returns undefined', () => undefined, null],
    ['a function that returns null', () => null, null],
  ])('is %s', async (_kind, accessToken, sent) => {
    expect(await tokenOf(accessToken)).toBe(sent)
  })

  it('is not sent to the token endpoints', async () => {
    expect(await tokenOf('token', `${ORIGIN}/auth/tokens/check`, { method: 'POST', body: '{}' })).toBeNull()
  })

  it('does not replace the header of a request', async () => {
    expect(await tokenOf('token', undefined, { headers: { 'x-access-token': 'own' } })).toBe('own')
  })

  it.each([['line\nend'], [''], [5], [{}]])('rejects %j, without showing it', async (token) => {
    const { fetch, sent } = recorder()
    const options = { signer, fetch, origin: ORIGIN }
    expect(() => createSignedFetch({ ...options, accessToken: token as string })).toThrow(
      'accessToken must be a non-empty string or a Secret of visible ASCII, or a function',
    )
    const signedFetch = createSignedFetch({ ...options, accessToken: () => token as string })
    await expect(signedFetch(`${ORIGIN}/a`)).rejects.toMatchObject({
      code: 'SIGNER_OPTION_INVALID',
      message: expect.stringContaining(
        'accessToken() must be a non-empty string or a Secret of visible ASCII, or undefined or null',
      ),
    })
    expect(sent).toEqual([])
  })

  it('rejects a line end at the end of a token, and shows only that', async () => {
    const { fetch, sent } = recorder()
    const signedFetch = createSignedFetch({ signer, fetch, origin: ORIGIN, accessToken: () => 'token\n' })
    await expect(signedFetch(`${ORIGIN}/a`)).rejects.toThrow(
      /^accessToken\(\) must be without white space at its ends; received text with a line end at its end$/,
    )
    expect(sent).toEqual([])
  })
})

it('createSignedFetch rejects requests if the runtime has no class Request', async () => {
  const { fetch, sent } = recorder()
  const signedFetch = createSignedFetch({ signer, fetch })
  vi.stubGlobal('Request', undefined)
  onTestFinished(() => void vi.unstubAllGlobals())
  await expect(signedFetch(`${ORIGIN}/a`)).rejects.toMatchObject({
    code: 'SIGNER_OPTION_INVALID',
    message: 'Request must be a class: this runtime has none',
    details: { field: 'Request' },
  })
  expect(sent).toEqual([])
})

it.each<[what: string, options: object, message: string]>([
  ['a token without an origin', { accessToken: 'token' }, 'origin must be set if accessToken is set'],
  ['an insecure origin', { origin: 'http://api.example.com' }, 'origin must be an https: origin'],
  ['no fetch', { fetch: undefined }, 'fetch must be a function'],
  ['a signer without the method sign', { signer: {} }, 'signer.sign must be a function'],
  ['an unknown option', { token: 'x' }, 'token'],
])('createSignedFetch rejects %s', (_what, options, message) => {
  const { fetch } = recorder()
  expect(() => createSignedFetch({ signer, fetch, ...options })).toThrow(message)
})
