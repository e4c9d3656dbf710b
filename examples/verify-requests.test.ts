/** The server accepts a signed request once, with both secrets, and rejects replays and changes. */
import { request } from 'node:http'
import { createSigner, fromUrl } from '@brokerwire/signer'
import { expect, test } from 'vitest'
import { runExample } from './test/run-example.ts'

interface Sent {
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body?: string
}

const send = ({ url, headers, body = '' }: Sent): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode))
    })
    sent.once('error', reject).end(body)
  })

test('a request passes once, and each change and replay is rejected', async () => {
  const settings = { APP_KEY: 'my-key', APP_SECRET: 'new', OLD_APP_SECRET: 'old', PORT: '0' }
  const example = runExample('verify-requests.ts', settings)
  const [, origin = ''] = await example.line(/^listening on (.+)$/)
  const sign = async (appSecret = 'new', appKey = 'my-key'): Promise<Sent> => {
    const body = '{"a":1}'
    const signed = await createSigner({ appKey, appSecret }).sign({ ...fromUrl(`${origin}/x?b=2`), body })
    return { ...signed, body }
  }
  const first = await sign()
  expect(await send(first)).toBe(200)
  expect(await send(await sign('old'))).toBe(200)
  expect(await send(first)).toBe(401)
  expect(await send({ ...(await sign()), body: '{"a":2}' })).toBe(401)
  expect(await send(await sign('wrong'))).toBe(401)
  expect(await send(await sign('new', 'other-key'))).toBe(401)
  const { url, headers, body = '' } = await sign()
  const twice = String(headers['x-timestamp'])
  expect(await send({ url, body, headers: { ...headers, 'x-timestamp': [twice, twice] } })).toBe(401)
  expect(await send({ url, headers: {}, body: 'x'.repeat(1_048_577) })).toBe(413)
  expect(example.lines.slice(1)).toEqual([
    'rejected: replay x-signature-nonce',
    'rejected: signature x-signature',
    'rejected: signature x-signature',
    'rejected: unknown-app-key x-app-key',
    'rejected: repeated-header x-timestamp',
  ])
})
