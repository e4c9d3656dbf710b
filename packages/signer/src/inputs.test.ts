/** Invalid inputs. Each error has a code, the field and the expected value. */
import {
  compare,
  createSigner,
  createVerifier,
  explain,
  fromUrl,
  isSignerError,
  type SignerErrorCode,
  signRequest,
} from '@brokerwire/signer'
import { describe, expect, it } from 'vitest'

const signer = createSigner({ appKey: 'key', appSecret: 'secret' })
const verifier = createVerifier({ secretFor: () => 'secret' })
const none = createVerifier({ secretFor: () => '' })
const HEADERS = {
  'x-app-key': 'k',
  'x-signature-algorithm': 'HMAC-SHA1',
  'x-signature-nonce': '0',
  'x-timestamp': '2026-03-01T12:00:00Z',
}
const target = { host: 'h', path: '/' }
const url = 'https://h.example/p'
const post = (): Request => new Request(url, { method: 'POST', body: 'body' })
const withHeaders = async () => ({ ...target, target: '/', headers: (await signer.sign(target)).headers })

/** Messages that differ from `<field> must be <expected>`. */
const MESSAGES: Readonly<Record<string, string>> = {
  Body: 'unknown option "Body". Did you mean "body"?',
  qurey: 'unknown option "qurey". The options are host, path, query, scheme, origin, body',
  'x-app-secret': 'x-app-secret must not be sent: remove the header',
}

describe('invalid inputs', () => {
  const rows: [code: SignerErrorCode, field: string, run: () => unknown][] = [
    ['SIGNER_TARGET_INVALID', 'host', () => signer.sign({ host: '', path: '/' })],
    ['SIGNER_TARGET_INVALID', 'scheme', () => signer.sign({ ...target, scheme: 'ftp' as never })],
    ['SIGNER_TARGET_INVALID', 'path', () => signer.sign({ host: 'h' } as never)],
    ['SIGNER_TARGET_INVALID', 'path', () => signer.sign({ ...target, path: '/a#b' })],
    ['SIGNER_TARGET_INVALID', 'url', () => fromUrl('/relative')],
    ['SIGNER_TARGET_INVALID', 'path', () => signer.sign({ ...target, path: '/\ud800' })],
    ['SIGNER_INPUT_INVALID', 'query', () => signer.sign({ ...target, query: [['\ud800', '']] })],
    ['SIGNER_INPUT_INVALID', 'query', () => signer.sign({ ...target, query: [['a']] as never })],
    ['SIGNER_INPUT_INVALID', 'query', () => signer.sign({ ...target, query: [['a', 5]] as never })],
    ['SIGNER_INPUT_INVALID', 'query', () => signer.sign({ ...target, query: [[5, 'a']] as never })],
    ['SIGNER_INPUT_INVALID', 'query', () => signer.sign({ ...target, query: 'a=1' as never })],
    ['SIGNER_INPUT_INVALID', 'query', () => signer.sign({ ...target, query: { a: 5 } as never })],
    ['SIGNER_INPUT_INVALID', 'query', () => signer.sign({ ...target, query: { a: '\ud800' } })],
    ['SIGNER_INPUT_INVALID', 'query', () => signer.sign({ ...target, query: null as never })],
    ['SIGNER_INPUT_INVALID', 'query', () => signer.sign({ ...target, query: new Date() as never })],
    ['SIGNER_INPUT_INVALID', 'input', () => signer.sign(undefined as never)],
    ['SIGNER_INPUT_INVALID', 'input', () => signer.sign(null as never)],
    ['SIGNER_INPUT_INVALID', 'input', () => signer.sign(url as never)],
    ['SIGNER_INPUT_INVALID', 'Body', () => signer.sign({ ...target, Body: 'text' } as never)],
    ['SIGNER_INPUT_INVALID', 'qurey', () => signer.sign({ ...target, qurey: { a: '1' } } as never)],
    ['SIGNER_TARGET_INVALID', 'host', () => signer.sign(new Request(url) as never)],
    ['SIGNER_OPTION_INVALID', 'options', () => signRequest(signer, post(), 'host' as never)],
    ['SIGNER_TARGET_INVALID', 'url', () => fromUrl(new URL(url) as never)],
    ['SIGNER_INPUT_INVALID', 'requestBytes', () => signer.signStream(undefined as never)],
    ['SIGNER_INPUT_INVALID', 'body', () => signer.sign({ ...target, body: 5 as never })],
    ['SIGNER_INPUT_INVALID', 'requestBytes', () => signer.signStream('text' as never)],
    ['SIGNER_INPUT_INVALID', 'signer', () => signRequest(post() as never, signer as never)],
    ['SIGNER_INPUT_INVALID', 'request', () => signRequest(signer, undefined as never)],
    ['SIGNER_INPUT_INVALID', 'request', () => signRequest(signer, url as never)],
    [
      'SIGNER_HEADER_FORBIDDEN',
      'x-app-secret',
      () => signRequest(signer, new Request(url, { headers: { 'x-app-secret': 's' } })),
    ],
    [
      'SIGNER_BODY_USED',
      'body',
      async () => {
        const request = post()
        await request.text()
        return await signRequest(signer, request)
      },
    ],
    ['SIGNER_BODY_TOO_LARGE', 'body', () => signRequest(signer, post(), { maxBodyBytes: 3 })],
    [
      'SIGNER_INPUT_INVALID',
      'body',
      async () => await verifier.verify({ ...(await withHeaders()), body: 'text' as never }),
    ],
    [
      'SIGNER_INPUT_INVALID',
      'requestBytes',
      async () => await verifier.verifyStream({ ...(await withHeaders()), requestBytes: 'text' as never }),
    ],
    ['SIGNER_INPUT_INVALID', 'requestBytes', async () => await verifier.verifyStream(undefined as never)],
    ['SIGNER_OPTION_INVALID', 'secretFor()', async () => await none.verify(await withHeaders())],
    ['SIGNER_INPUT_INVALID', 'x-signature-algorithm', () => explain({ ...target, headers: {} })],
    [
      'SIGNER_INPUT_INVALID',
      'x-signature-algorithm',
      () => explain({ ...target, headers: { ...HEADERS, 'x-signature-algorithm': 'toString' } }),
    ],
    [
      'SIGNER_INPUT_INVALID',
      'x-app-key',
      () => explain({ ...target, headers: { ...HEADERS, 'x-app-key': undefined } }),
    ],
    ['SIGNER_INPUT_INVALID', 'body', () => explain({ ...target, headers: HEADERS, body: 5 as never })],
    ['SIGNER_INPUT_INVALID', 'requestBytes', () => explain({ headers: HEADERS, requestBytes: 5 as never })],
    ['SIGNER_INPUT_INVALID', 'x-signature-algorithm', () => explain(undefined as never)],
    ['SIGNER_INPUT_INVALID', 'x-signature-algorithm', () => explain('GET /' as never)],
    ['SIGNER_INPUT_INVALID', 'x-signature-algorithm', () => compare(undefined as never, '/p')],
    [
      'SIGNER_OPTION_INVALID',
      'nameOrder',
      () => explain({ ...target, headers: HEADERS, nameOrder: 'zz' as never }),
    ],
    ['SIGNER_TARGET_INVALID', 'host', () => explain({ host: 'u@h', path: '/', headers: HEADERS })],
    ['SIGNER_TARGET_INVALID', 'url', () => explain({ url: 'ftp://h/', headers: HEADERS })],
    ['SIGNER_INPUT_INVALID', 'theirs', () => compare('/p', 5 as never)],
  ]

  it.each(rows)('are rejected with %s and the field %s', async (code, field, run) => {
    let error: unknown
    try {
      // Awaited here, because workerd reports a rejection without a handler immediately.
      await run()
    } catch (reason) {
      error = reason
    }
    if (!isSignerError(error, code)) throw new Error(`no ${code}`, { cause: error })
    expect(error.details.field).toBe(field)
    expect(error.details.expected).toMatch(/\w/)
    expect(error.message.replace(/; received .*$/, '')).toBe(
      MESSAGES[field] ?? `${field} must be ${error.details.expected}`,
    )
  })
})
