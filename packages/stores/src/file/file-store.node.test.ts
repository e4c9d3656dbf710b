import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import {
  chmod,
  chown,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createAesGcmCipher, createEncryptedStore, isStoresError } from '../index.ts'
import { freshPath } from '../test/directories.ts'
import { storeContract } from '../testing/index.ts'
import { createFileStore } from './index.ts'
import { fileStem } from './record.ts'

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777
const recordPath = (directory: string, key: string): string => join(directory, `${fileStem(key)}.json`)
const caught = (promise: Promise<unknown> | undefined): Promise<unknown> | undefined =>
  promise?.then(
    () => 'no error',
    (error: unknown) => error,
  )

describe('the file store keeps the contract', () => {
  afterEach(() => {
    vi.useRealTimers()
  })
  const open = async () => {
    const directory = await freshPath()
    const loseLock = async (key: string): Promise<void> => {
      const path = join(directory, `${fileStem(key)}.lock`)
      await rm(path)
      // The next beat of the holder's heart, once the contract's other holder has taken it.
      const look = (): void => {
        if (existsSync(path)) vi.advanceTimersByTime(5000)
        else setImmediate(look).unref()
      }
      look()
    }
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    return { first: createFileStore({ directory }), second: createFileStore({ directory }), loseLock }
  }
  for (const { name, run } of storeContract({ open })) test(name, run)
})

describe('an encrypted file store fulfills the contract, and has no readable value on disk', () => {
  const key = randomBytes(32).toString('base64')
  const open = async () => {
    const directory = await freshPath()
    const process = () =>
      createEncryptedStore({
        store: createFileStore({ directory }),
        cipher: createAesGcmCipher({ keys: [{ id: 'a', key }] }),
      })
    return { first: process(), second: process() }
  }
  for (const { name, run } of storeContract({ open })) test(name, run)

  test('the disk contains no plain text', async () => {
    const directory = await freshPath()
    const cipher = createAesGcmCipher({ keys: [{ id: 'a', key }] })
    const store = createEncryptedStore({ store: createFileStore({ directory }), cipher })
    await store.compareAndSet('key', undefined, 'hunter2')
    const written = await readFile(recordPath(directory, 'key'), 'utf8')
    for (const secret of ['hunter2', key]) expect(written).not.toContain(secret)
  })
})

describe('files', () => {
  test('they are accessible to their owner only, and no other files remain', async () => {
    const directory = await freshPath()
    const store = createFileStore({ directory })
    const lock = await store.lock?.('key')
    await store.compareAndSet('key', undefined, 'value')
    await store.compareAndSet('key', 'value', 'other')
    for (const name of await readdir(directory)) expect(await modeOf(join(directory, name))).toBe(0o600)
    expect(await modeOf(directory)).toBe(0o700)
    await lock?.release()
    expect(await readdir(directory)).toEqual([`${fileStem('key')}.json`])
  })

  test('they contain key, value and digest as JSON', async () => {
    const directory = await freshPath()
    await createFileStore({ directory }).compareAndSet('key', undefined, 'value')
    expect(JSON.parse(await readFile(recordPath(directory, 'key'), 'utf8'))).toEqual({
      format: 'brokerwire-store',
      version: 2,
      key: 'key',
      value: 'value',
      digest: createHash('sha256').update('value', 'utf16le').digest('hex'),
    })
  })

  test('format version 1 is read, and upgraded at the next write, also of the same value', async () => {
    const directory = await freshPath()
    await mkdir(directory, { mode: 0o700 })
    const old = `${JSON.stringify({ format: 'brokerwire-store', version: 1, key: 'key', value: 'value' })}\n`
    const path = recordPath(directory, 'key')
    const versionOf = async (): Promise<unknown> => JSON.parse(await readFile(path, 'utf8')).version
    const store = createFileStore({ directory })
    for (const next of ['value', 'other']) {
      await writeFile(path, old, { mode: 0o600 })
      expect(await store.get('key')).toBe('value')
      expect(await store.compareAndSet('key', 'wrong', next)).toBe(false)
      expect(await versionOf()).toBe(1)
      expect(await store.compareAndSet('key', 'value', next)).toBe(true)
      expect(await versionOf()).toBe(2)
      expect(await store.get('key')).toBe(next)
    }
  })

  test('they keep lone surrogates in keys and values', async () => {
    const store = createFileStore({ directory: await freshPath() })
    await store.compareAndSet('\ud800', undefined, '\udc00')
    await store.compareAndSet('\ud801', undefined, '\udc01')
    expect(await store.get('\ud800')).toBe('\udc00')
    expect(await store.get('\ud801')).toBe('\udc01')
  })

  test('reading creates no directory', async () => {
    const directory = await freshPath()
    expect(await createFileStore({ directory }).get('key')).toBeUndefined()
    await expect(stat(directory)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('a removed directory is created again', async () => {
    const directory = await freshPath()
    const store = createFileStore({ directory })
    await store.compareAndSet('key', undefined, 'value')
    await rename(directory, `${directory}-away`)
    expect(await store.get('key')).toBeUndefined()
    expect(await store.compareAndSet('key', undefined, 'again')).toBe(true)
  })
})

describe.skipIf(process.platform === 'win32')(
  'files that others could read or have written are rejected',
  () => {
    const withRecord = async () => {
      const directory = await freshPath()
      const store = createFileStore({ directory })
      await store.compareAndSet('key', undefined, 'value')
      return { directory, store, path: recordPath(directory, 'key') }
    }
    const expectUnsafe = async (store: ReturnType<typeof createFileStore>, path: string, reason: string) => {
      for (const call of [() => store.get('key'), () => store.compareAndSet('key', 'value', 'next')]) {
        const error = await caught(call())
        expect(isStoresError(error, 'STORE_INSECURE_PERMISSIONS') && error.details).toEqual({
          path,
          reason: expect.stringContaining(reason),
        })
      }
    }

    test('a directory that the group can enter', async () => {
      const { directory, store } = await withRecord()
      await chmod(directory, 0o750)
      await expectUnsafe(store, directory, 'received mode 750')
      expect(isStoresError(await caught(store.lock?.('key')), 'STORE_INSECURE_PERMISSIONS')).toBe(true)
    })

    test('a directory that is a symbolic link', async () => {
      const { directory, store } = await withRecord()
      await rename(directory, `${directory}-real`)
      await symlink(`${directory}-real`, directory)
      await expectUnsafe(store, directory, 'symbolic link')
    })

    test('a file in the place of the directory', async () => {
      const directory = await freshPath()
      await writeFile(directory, '', { mode: 0o600 })
      await expectUnsafe(createFileStore({ directory }), directory, 'expected a directory')
    })

    test('a record that others can read', async () => {
      const { store, path } = await withRecord()
      await chmod(path, 0o644)
      await expectUnsafe(store, path, 'received mode 644')
    })

    test('a record that is a symbolic link', async () => {
      const { store, path } = await withRecord()
      await rename(path, `${path}-real`)
      await symlink(`${path}-real`, path)
      await expectUnsafe(store, path, 'symbolic link')
    })

    test('a directory in the place of a record', async () => {
      const directory = await freshPath()
      await mkdir(directory, { mode: 0o700 })
      await mkdir(recordPath(directory, 'key'), { mode: 0o700 })
      await expectUnsafe(createFileStore({ directory }), recordPath(directory, 'key'), 'regular file')
    })

    test.skipIf(process.getuid?.() !== 0)('a record or a directory that another user owns', async () => {
      const { directory, store, path } = await withRecord()
      await chown(path, 65_534, 65_534)
      await expectUnsafe(store, path, 'as owner')
      await chown(directory, 65_534, 65_534)
      await expectUnsafe(store, directory, 'as owner')
    })
  },
)

describe('a file that is no whole record', () => {
  const digest = createHash('sha256').update('hunter2', 'utf16le').digest('hex')
  const written = { format: 'brokerwire-store', version: 2, key: 'key', value: 'hunter2', digest }
  const whole = `${JSON.stringify(written)}\n`
  const { digest: _, ...withoutDigest } = written
  const cases: Readonly<Record<string, string>> = {
    'is empty': '',
    'was torn': whole.slice(0, -9),
    'holds zeros': '\u0000'.repeat(64),
    'is JSON of another program': '{"value":"hunter2"}',
    'is an array': '["hunter2"]',
    'has a value that is no text': whole.replace('"hunter2"', '7'),
    'has a later version': whole.replace('"version":2', '"version":3'),
    'has a version without digests': whole.replace('"version":2', '"version":1'),
    'has lost its digest': `${JSON.stringify(withoutDigest)}\n`,
    'has another value': whole.replace('"hunter2"', '"hunter3"'),
    'has the same value in other words': whole.replace('"hunter2"', '"\\u0068unter2"'),
    'has more than the record': `${whole} `,
    'lacks its last byte': whole.slice(0, -1),
    'holds another key': whole.replace('"key":"key"', '"key":"other"'),
  }
  for (const [name, text] of Object.entries(cases)) {
    test(name, async () => {
      const directory = await freshPath()
      await mkdir(directory, { mode: 0o700 })
      await writeFile(recordPath(directory, 'key'), text, { mode: 0o600 })
      const store = createFileStore({ directory })
      for (const call of [() => store.get('key'), () => store.compareAndSet('key', undefined, 'next')]) {
        const error = await caught(call())
        expect(isStoresError(error, 'STORE_CORRUPT')).toBe(true)
        expect(error).not.toHaveProperty('cause')
        expect(`${error} ${JSON.stringify(error)}`).not.toContain('hunter2')
      }
      expect(await readFile(recordPath(directory, 'key'), 'utf8')).toBe(text)
      expect(await store.compareAndSet('another', undefined, 'value')).toBe(true)
    })
  }

  test('names the update if a newer version wrote it', async () => {
    const directory = await freshPath()
    await mkdir(directory, { mode: 0o700 })
    const newer = whole.replace('"version":2', '"version":3')
    await writeFile(recordPath(directory, 'key'), newer, { mode: 0o600 })
    const error = await caught(createFileStore({ directory }).get('key'))
    expect(isStoresError(error, 'STORE_CORRUPT') && error.details.reason).toBe(
      'format version must be 1 or 2; received 3 of a newer @brokerwire/stores. Update it here',
    )
  })

  test('is too large to be one', async () => {
    const directory = await freshPath()
    await mkdir(directory, { mode: 0o700 })
    await writeFile(recordPath(directory, 'key'), Buffer.alloc(17 * 1024 * 1024), { mode: 0o600 })
    expect(isStoresError(await caught(createFileStore({ directory }).get('key')), 'STORE_CORRUPT')).toBe(true)
  })
})

describe('a value whose file could not be read', () => {
  const MAX_BYTES = 16 * 1024 * 1024
  const overhead = Buffer.byteLength(
    `${JSON.stringify({ format: 'brokerwire-store', version: 2, key: 'key', value: '', digest: '0'.repeat(64) })}\n`,
  )

  test('is refused when it is written, and what was stored stays', async () => {
    const store = createFileStore({ directory: await freshPath() })
    await store.compareAndSet('key', undefined, 'value')
    const tooLarge = [
      'x'.repeat(MAX_BYTES - overhead + 1),
      'x'.repeat(MAX_BYTES + 1),
      // Three bytes each, and six as an escape.
      '\u20ac'.repeat(MAX_BYTES / 3),
      '\u0000'.repeat(MAX_BYTES / 6),
    ]
    for (const value of tooLarge) {
      const error = await caught(store.compareAndSet('key', 'value', value))
      expect(isStoresError(error, 'STORE_OPTION_INVALID') && error.details.option).toBe('next')
      expect(String(error).length).toBeLessThan(200)
      expect(await store.get('key')).toBe('value')
    }
  })

  test('the largest that is written is read', async () => {
    const store = createFileStore({ directory: await freshPath() })
    const largest = 'x'.repeat(MAX_BYTES - overhead)
    expect(await store.compareAndSet('key', undefined, largest)).toBe(true)
    expect((await store.get('key')) === largest).toBe(true)
  })
})

describe('failures', () => {
  test('a wrong option names itself', () => {
    expect(() => createFileStore({ directory: '' })).toThrow('directory must be a non-empty string')
    expect(() => createFileStore({ directory: 7 as never })).toThrow('received 7')
  })

  test('the host refuses: a parent that is a file', async () => {
    const parent = await freshPath()
    await writeFile(parent, '')
    const error = await caught(
      createFileStore({ directory: join(parent, 'in') }).compareAndSet('key', undefined, 'a'),
    )
    expect(isStoresError(error, 'STORE_IO') && error.details).toEqual({
      operation: 'compareAndSet',
      reason: 'ENOTDIR',
    })
  })

  test('a hard link to a record made by its owner is no reason to refuse', async () => {
    const directory = await freshPath()
    const store = createFileStore({ directory })
    await store.compareAndSet('key', undefined, 'value')
    await link(recordPath(directory, 'key'), join(directory, 'backup'))
    expect(await store.get('key')).toBe('value')
  })

  test('the reason of a signal comes through as it is, also when it looks like an error of the host', async () => {
    const store = createFileStore({ directory: await freshPath() })
    const reason = Object.assign(new Error('enough'), { code: 'ABORT_ERR' })
    expect(await caught(store.lock?.('key', { signal: AbortSignal.abort(reason) }))).toBe(reason)
  })
})

test('a directory with a NUL was an error of Node at the first call: it is a wrong option', () => {
  expect(() => createFileStore({ directory: './a\0b' })).toThrow(
    expect.objectContaining({
      code: 'STORE_OPTION_INVALID',
      message: 'directory must be a non-empty string without NUL characters',
    }),
  )
})
