/** Messages for mistakes that new users made. */
import { createSigner, createVerifier, signRequest } from '@brokerwire/signer'
import { expect, test } from 'vitest'

const good = { appKey: 'key', appSecret: 'secret' }

test.each<[string, unknown, string]>([
  ['nothing', undefined, 'options must be an object with appKey, appSecret; received undefined'],
  ['text', 'x', 'options must be an object with appKey, appSecret; received a string'],
  ['no keys', {}, 'missing options: appKey, appSecret'],
  ['no app secret', { appKey: 'k' }, 'appSecret must be a non-empty string or a Secret; received undefined'],
  [
    'an empty app secret',
    { appKey: 'k', appSecret: '' },
    'appSecret must be a non-empty string or a Secret; received an empty string',
  ],
  [
    'another algorithm',
    { ...good, algorithm: 'sha256' },
    'algorithm must be "HMAC-SHA1" or "HMAC-SHA256"; received "sha256". Did you mean "HMAC-SHA256"?',
  ],
  [
    'a misspelled option',
    { ...good, algoritm: 'HMAC-SHA1' },
    'unknown option "algoritm". Did you mean "algorithm"?',
  ],
])('createSigner explains %s as options', (_, options, message) => {
  expect(() => createSigner(options as never)).toThrow(expect.objectContaining({ message }))
})

test('createVerifier explains missing options', () => {
  expect(() => createVerifier({} as never)).toThrow('secretFor must be a function; received undefined')
})

const INPUT = 'input must be an object with host and path (for a URL, use fromUrl(url)); received'
const HOST = 'host must be a host such as "api.example.com" or "localhost:8080", without a scheme'
const PATH = 'path must be a path such as "/orders", without query and fragment'
const QUERY =
  'query must be a record, pairs or a URLSearchParams of strings without lone surrogates; received'
const target = { host: 'x', path: '/' }

test.each<[string, unknown, string]>([
  ['nothing', undefined, `${INPUT} undefined`],
  ['a URL', 'https://x/', `${INPUT} a string`],
  ['a scheme in the host', { host: 'https://x', path: '/' }, HOST],
  ['no host', { path: '/' }, `${HOST}; received undefined`],
  ['another scheme', { ...target, scheme: 'wss' }, 'scheme must be "https" or "http"; received "wss"'],
  ['an origin that is an object', { ...target, origin: {} }, 'origin must be a string; received an object'],
  ['a query in the path', { host: 'x', path: '/x?y=1' }, 'path must not contain a query string; use "query"'],
  ['a path without a slash', { host: 'x', path: 'x' }, 'path must start with "/"; received "x"'],
  [
    'a path that may be a secret',
    { host: 'x', path: '0123456789abcdef0123456789abcdef' },
    'path must start with "/"; received a string',
  ],
  ['a path with a fragment', { host: 'x', path: '/x#y' }, PATH],
  ['no path', { host: 'x' }, `${PATH}; received undefined`],
  ['a number in the query', { ...target, query: { limit: 5 } }, `${QUERY} a number as a value`],
  ['NaN in the query', { ...target, query: [['limit', Number.NaN]] }, `${QUERY} NaN as a value`],
  ['a lone surrogate in the query', { ...target, query: [['a', '\ud800']] }, `${QUERY} a lone surrogate`],
  ['a query as text', { ...target, query: 'a=1' }, `${QUERY} a string`],
  ['an object as the body', { ...target, body: {} }, 'body must be a string or bytes; received an object'],
  ['a misspelled field', { ...target, pth: '/' }, 'unknown option "pth". Did you mean "path"?'],
])('sign() explains %s as input', async (_, input, message) => {
  await expect(createSigner(good).sign(input as never)).rejects.toMatchObject({ message })
})

test.each<[string, () => unknown, string]>([
  [
    'a text as a request of a stream',
    () => createSigner(good).signStream('text' as never),
    'requestBytes must be bytes; received a string',
  ],
  [
    'a URL as a Request',
    () => signRequest(createSigner(good), 'https://x/' as never),
    'request must be the second argument, a Request; received a string',
  ],
  [
    'options as a signer',
    () => signRequest(good as never, new Request('https://x/')),
    'signer must be the first argument, a signer; received an object',
  ],
])('other functions explain %s', async (_, call, message) => {
  await expect(call()).rejects.toMatchObject({ message })
})
