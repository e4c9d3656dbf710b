/** Input files: read up to a limit, and secrets only from private files. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, open, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readBytes } from './input.ts'
import { run } from './test/run.ts'
import { temporaryFile } from './test/temporary.ts'

const SECRET = 'correct horse battery staple'
const env = { BROKERWIRE_APP_KEY: 'key', BROKERWIRE_APP_SECRET: SECRET }
const isPosix = process.platform !== 'win32'
const MIB = 1024 * 1024

async function pipe(): Promise<string> {
  const path = join(dirname(await temporaryFile('beside', '')), 'pipe')
  execFileSync('mkfifo', [path])
  return path
}

async function sparse(bytes: number): Promise<string> {
  const path = await temporaryFile('sparse', '')
  const file = await open(path, 'r+')
  await file.truncate(bytes)
  await file.close()
  return path
}

const folder = async (): Promise<string> => dirname(await temporaryFile('beside', ''))

describe.skipIf(!isPosix)('an endless file, or a pipe without a writer', () => {
  const files: readonly (readonly [string, () => Promise<string>, string])[] = [
    ['a pipe without a writer', pipe, 'must be a regular file; received a pipe'],
    ['an endless device', async () => '/dev/zero', 'must be a regular file; received a device'],
    ['a directory', folder, 'must be a regular file; received a directory'],
    ['ten sparse gigabytes', () => sparse(10_000 * MIB), 'received more'],
    ['one byte more than the bound', () => sparse(64 * MIB + 1), 'received more'],
  ]
  const commands: readonly (readonly [string, (file: string) => readonly string[]])[] = [
    ['vectors', (file) => ['vectors', file]],
    ['sign --body-file', (file) => ['sign', 'https://a.example/', '--body-file', file]],
    ['sign --app-secret-file', (file) => ['sign', 'https://a.example/', '--app-secret-file', file]],
  ]
  test.each(commands.flatMap(([command, args]) => files.map((file) => [command, ...file, args] as const)))(
    '%s: %s is refused before it is read',
    async (_, _what, make, message, args) => {
      const file = await make()
      const before = process.memoryUsage().arrayBuffers
      const { status, err } = await run(args(file), { env })
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * MIB)
      expect(status).toBe(2)
      expect(err).toEqual([expect.stringMatching(/^CLI_INPUT_UNREADABLE: /)])
      expect(err.join()).toContain(message)
    },
  )

  const SIZELESS = '/proc/self/status'
  test.skipIf(!existsSync(SIZELESS))('a file whose reported size is zero is read to its end', async () => {
    expect(Buffer.from(await readBytes(SIZELESS)).toString()).toContain('Pid:')
  })

  test('a file of the largest size is read completely', async () => {
    expect((await readBytes(await sparse(64 * MIB))).length).toBe(64 * MIB)
  })

  test('a file is read completely', async () => {
    const path = fileURLToPath(new URL('../../../testdata/vectors/http-signatures.json', import.meta.url))
    expect((await readFile(path)).equals(await readBytes(path))).toBe(true)
  })
})

describe('a file with the secret', () => {
  const sign = (file: string) =>
    run(['sign', 'https://a.example/', '--app-key', 'key', '--app-secret-file', file])

  test.skipIf(!isPosix).each([0o640, 0o604, 0o620, 0o601, 0o666])(
    'of mode %o is rejected with the command that repairs it',
    async (mode) => {
      const file = await temporaryFile('secret', SECRET)
      await chmod(file, mode)
      const { status, err, out } = await sign(file)
      expect(status).toBe(2)
      expect(err).toEqual([
        `CLI_SECRET_EXPOSED: ${file} holds a secret and must be accessible to its owner only. Run chmod 600 on it`,
      ])
      expect(out).toEqual([])
    },
  )

  test.each([0o600, 0o400])('is accepted with mode %o', async (mode) => {
    const file = await temporaryFile('secret', SECRET)
    await chmod(file, mode)
    expect((await sign(file)).status).toBe(0)
  })

  test.each([
    ['bytes that are no text', Uint8Array.of(0xff, 0xfe), 'a secret in UTF-8'],
    ['more than a secret could be', 'x'.repeat(65_537), 'at most 65536 bytes'],
  ])('with %s is rejected', async (_, content, expected) => {
    const { status, err } = await sign(await temporaryFile('secret', content))
    expect({ status, err: err.join() }).toEqual({ status: 2, err: expect.stringContaining(expected) })
  })
})
