/** Messages for wrong inputs that new users tried. */
import { createSigner } from '@brokerwire/signer'
import { expect, test } from 'vitest'
import { createHttpClient, type HttpRequest } from './index.ts'
import { rejection, testOptions } from './test/fixtures.ts'

const signer = createSigner({ appKey: 'k', appSecret: 's' })
const baseUrl = 'https://api.example.com'
const METHODS = '"GET" or "HEAD" or "POST" or "PUT" or "PATCH" or "DELETE"'

test.each<[string, unknown, string]>([
  ['no options', undefined, 'options must be an object with baseUrl, signer; received undefined'],
  [
    'a host',
    { baseUrl: 'api.example.com', signer },
    'baseUrl must be an origin such as https://host or https://host:port; received a string that is no URL',
  ],
  [
    'a URL with a path',
    { baseUrl: `${baseUrl}/v1`, signer },
    'baseUrl must be an origin such as https://host or https://host:port; received a URL with a path, a query or a fragment',
  ],
  [
    'http',
    { baseUrl: 'http://api.example.com', signer },
    'baseUrl must be an https: origin, or http: on a loopback host or with allowInsecure: true; received http: on another host',
  ],
  ['no signer', { baseUrl }, 'signer must be an object with sign; received undefined'],
  ['another signer', { baseUrl, signer: {} }, 'signer.sign must be a function; received undefined'],
  [
    'a misspelled option',
    { baseUrl, signer, timeout: 5 },
    'unknown option "timeout". Did you mean "timeoutMs"?',
  ],
])('of a client: %s', (_, options, message) => {
  expect(() => createHttpClient(options as never)).toThrow(expect.objectContaining({ message }))
})

const GET = { method: 'GET', path: '/x' } as const
test.each<[string, unknown, string]>([
  ['nothing', undefined, 'request must be an object with method, path; received undefined'],
  ['a path alone', '/x', 'request must be an object with method, path; received a string'],
  ['no method', { path: '/x' }, `method must be ${METHODS}; received undefined`],
  ['lower case', { ...GET, method: 'get' }, `method must be ${METHODS}; received "get". Did you mean "GET"?`],
  [
    'a query in the path',
    { ...GET, path: '/x?y=1' },
    'path must not contain a query string; use the "query" option',
  ],
  ['no slash', { ...GET, path: 'x' }, 'path must start with "/"; received "x"'],
  [
    'a URL',
    { ...GET, path: `${baseUrl}/x` },
    'path must be a path without scheme and host, which are the client\'s "baseUrl"; received a URL',
  ],
  [
    'dot segments',
    { ...GET, path: '/a/../b' },
    'path must be a percent-encoded path without fragment and dot segments; received another path',
  ],
  [
    'a number in the query',
    { ...GET, query: { limit: Number.NaN } },
    'query must be a record, pairs or a URLSearchParams of strings; received NaN as a value',
  ],
  ['a GET with a body', { ...GET, body: 'y' }, 'body must not be set for GET requests; use "query"'],
  [
    'two bodies',
    { method: 'POST', path: '/x', json: {}, body: '' },
    'body and json must not be set together',
  ],
  [
    'a Headers',
    { ...GET, headers: new Headers() },
    'headers must be a plain object of strings; received an iterable. Use Object.fromEntries(headers)',
  ],
  [
    'a token that is not sent',
    { ...GET, accessToken: 't', authenticated: false },
    'accessToken must not be set with authenticated: false',
  ],
  [
    'two names of one header',
    { ...GET, headers: { 'X-A': '1', 'x-a': '2' } },
    'headers.x-a must be given once; received names that differ only in case',
  ],
  [
    'null as a body',
    { ...GET, method: 'POST', body: null },
    'body must be a string or a Uint8Array; received null',
  ],
  ['a misspelled option', { ...GET, timeout: 5 }, 'unknown option "timeout". Did you mean "timeoutMs"?'],
  ['another rule', { ...GET, retry: 'no' }, 'retry must be "always" or "unsent" or "never"; received "no"'],
])('of a request: %s', async (_, request, message) => {
  const client = createHttpClient(testOptions(baseUrl))
  expect(await rejection(client.request(request as HttpRequest))).toMatchObject({ message })
})

test('of a request that needs a token', async () => {
  const client = createHttpClient({ baseUrl, signer })
  expect(await rejection(client.request(GET))).toMatchObject({
    message:
      'an authenticated request needs a token: set "accessTokens" of the client or "accessToken" of the request, or authenticated: false',
  })
})
