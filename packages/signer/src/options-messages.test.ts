/** Messages for wrong inputs that new users tried. */
import { createSigner, createVerifier } from '@brokerwire/signer'
import { expect, test } from 'vitest'

const good = { appKey: 'key', appSecret: 'secret' }

test.each<[string, unknown, string]>([
  ['nothing', undefined, 'options must be an object with appKey, appSecret; received undefined'],
  ['text', 'x', 'options must be an object with appKey, appSecret; received a string'],
  ['no app key', {}, 'appKey must be a non-empty string of visible ASCII; received undefined'],
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
])('of a signer: %s', (_, options, message) => {
  expect(() => createSigner(options as never)).toThrow(expect.objectContaining({ message }))
})

test('of a verifier', () => {
  expect(() => createVerifier({} as never)).toThrow('secretFor must be a function; received undefined')
})

test.each<[string, unknown, string]>([
  ['nothing', undefined, 'input must be an object with host and path; of a URL, fromUrl() makes one'],
  ['a URL', 'https://x/', 'input must be an object with host and path; of a URL, fromUrl() makes one'],
  [
    'a scheme in the host',
    { host: 'https://x', path: '/' },
    'host must be a host such as "api.example.com" or "localhost:8080", without a scheme',
  ],
  ['a query in the path', { host: 'x', path: '/x?y=1' }, 'path must not contain a query string; use "query"'],
  [
    'a path without a slash',
    { host: 'x', path: 'x' },
    'path must be a path that starts with "/", without query and fragment',
  ],
  ['a misspelled field', { host: 'x', path: '/', pth: '/' }, 'unknown option "pth". Did you mean "path"?'],
])('of a request: %s', async (_, input, message) => {
  await expect(createSigner(good).sign(input as never)).rejects.toMatchObject({ message })
})
