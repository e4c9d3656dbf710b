import { Secret } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import { createSigner } from '@brokerwire/signer'
import { expect, test } from 'vitest'
import { createReloadingSigner } from './reloading-signer.ts'

const clock = createVirtualClock()
const REQUEST = new Uint8Array([1, 2, 3])
const signerOf = (appSecret: Secret) =>
  createSigner({ appKey: 'key', appSecret, now: () => 0, nonce: () => '0'.repeat(32) })
const signatureOf = async (text: string): Promise<string> =>
  (await signerOf(new Secret(text)).signStream(REQUEST)).headers['x-signature']

test('signs with a replaced secret after ten seconds, and with the earlier one if it cannot be read', async () => {
  let read = async (): Promise<Secret> => new Secret('the first secret')
  const signer = createReloadingSigner({
    appSecret: new Secret('the first secret'),
    readSecret: () => read(),
    createSigner: signerOf,
    clock,
  })
  const signature = async (): Promise<string> => (await signer.signStream(REQUEST)).headers['x-signature']
  expect(await signature()).toBe(await signatureOf('the first secret'))

  read = async () => new Secret('the second secret')
  await clock.advance(9_999)
  expect(await signature()).toBe(await signatureOf('the first secret'))
  await clock.advance(1)
  expect(await signature()).toBe(await signatureOf('the second secret'))

  read = async () => {
    throw new Error('the file cannot be read')
  }
  await clock.advance(10_000)
  expect(await signature()).toBe(await signatureOf('the second secret'))
})

test('rejects nothing if the new secret is unusable, and uses it after its correction', async () => {
  let text = 'the first secret'
  const signer = createReloadingSigner({
    appSecret: new Secret(text),
    readSecret: async () => new Secret(text),
    createSigner: signerOf,
    clock,
  })
  const signature = async (): Promise<string> => (await signer.signStream(REQUEST)).headers['x-signature']
  text = ' a space at its start'
  await clock.advance(10_000)
  expect(await signature()).toBe(await signatureOf('the first secret'))
  text = 'the second secret'
  await clock.advance(10_000)
  expect(await signature()).toBe(await signatureOf('the second secret'))
})
