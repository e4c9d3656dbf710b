/** Secrets from environment variables and files. Errors name the field. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { resolveSecret } from './secrets.ts'

test('reads a variable or a file without a byte order mark and a line end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'brokerwire-relay-secrets-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'secret')
  await writeFile(file, '\ufeffof the file\r\n')
  expect((await resolveSecret('f', { env: 'SECRET' }, { SECRET: 'of it\n' })).reveal()).toBe('of it')
  expect((await resolveSecret('f', { file })).reveal()).toBe('of the file')
})

test.each([
  ['constructor', { env: 'constructor' }],
  ['a variable that is not set', { env: 'NOT_SET' }],
  ['a file that is not there', { file: '/nonexistent/secret' }],
  ['no place', undefined],
  ['another place', { topsecret: 'x' }],
])('names the field of a secret that cannot be read: %s', async (_, place) => {
  const error: unknown = await resolveSecret('apps[0].appKey', place as never, {}).catch(
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({ code: 'RELAY_OPTION_INVALID', details: { option: 'apps[0].appKey' } })
  expect(String(error)).not.toContain('topsecret')
})
