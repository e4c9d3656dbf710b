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

describe('the file store fulfills the contract', () => {
  afterEach(() => {
    vi.useRealTimers()
  })
  const open = async () => {
    const directory = await freshPath()
    const loseLock = async (key: string): Promise<void> => {
      const path = join(directory, `${fileStem(key)}.lock`)
      await rm(path)
      // The holder's next heartbeat comes after the other holder of the contract has acquired the lock.
      const waitForLock = (): void => {
        if (existsSync(path)) vi.advanceTimersByTime(5000)
        else setImmediate(waitForLock).unref()
      }
      waitForLock()
    }
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    return { first: createFileStore({ directory }), second: createFileStore({ directory }), loseLock }
  }
  for (const { name, run } of storeContract({ open })) test(name, run)
})

describe('an encrypted file store fulfills the contract, and stores no readable value', () => {
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

  test('stores no plain text on the disk', async () => {
    const directory = await freshPath()
    const cipher = createAesGcmCipher({ keys: [{ id: 'a', key }] })
    const store = createEncryptedStore({ store: createFileStore({ directory }), cipher })
    await store.compareAndSet('key', undefined, 'hunter2')
    const written = await readFile(recordPath(directory, 'key'), 'utf8')
    for (const secret of ['hunter2', key]) expect(written).not.toContain(secret)
  })
})

describe('the files of a store', () => {
  test('are accessible to their owner only, and no other files remain', async () => {
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

  test('contain key, value and digest as JSON', async () => {
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

  test('are read in format version 1, and upgraded by the next write, even of the same value', async () => {
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

  test('keep lone surrogates in keys and values', async () => {
    const store = createFileStore({ directory: await freshPath() })
    await store.compareAndSet('\ud800', undefined, '\udc00')
    await store.compareAndSet('\ud801', undefined, '\udc01')
    expect(await store.get('\ud800')).toBe('\udc00')
    expect(await store.get('\ud801')).toBe('\udc01')
  })

  test('are not created by a read', async () => {
    const directory = await freshPath()
    expect(await createFileStore({ directory }).get('key')).toBeUndefined()
    await expect(stat(directory)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('are created again after their directory was removed', async () => {
    const directory = await freshPath()
    const store = createFileStore({ directory })
    await store.compareAndSet('key', undefined, 'value')
    await rename(directory, `${directory}-away`)
    expect(await store.get('key')).toBeUndefined()
    expect(await store.compareAndSet('key', undefined, 'again')).toBe(true)
  })
})

describe.skipIf(process.platform === 'win32')(
  'the file store rejects files that others could read or have written:',
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

    test('a file at the path of the directory', async () => {
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

    test('a directory at the path of a record', async () => {
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

describe('a file that is not a whole record', () => {
  const digest = createHash('sha256').update('hunter2', 'utf16le').digest('hex')
  const written = { format: 'brokerwire-store', version: 2, key: 'key', value: 'hunter2', digest }
  const whole = `${JSON.stringify(written)}\n`
  const { digest: _, ...withoutDigest } = written
  const cases: Readonly<Record<string, string>> = {
    'that is empty': '',
    'that was cut': whole.slice(0, -9),
    'that contains zeros': '\u0000'.repeat(64),
    'that is JSON of another program': '{"value":"hunter2"}',
    'that is an array': '["hunter2"]',
    'whose value is not a string': whole.replace('"hunter2"', '7'),
    'that has a later version': whole.replace('"version":2', '"version":3'),
    'that has a version without digests': whole.replace('"version":2', '"version":1'),
    'that has lost its digest': `${JSON.stringify(withoutDigest)}\n`,
    'that has another value': whole.replace('"hunter2"', '"hunter3"'),
    'that has the same value in another encoding': whole.replace('"hunter2"', '"\\u0068unter2"'),
    'that has more bytes than the record': `${whole} `,
    'that has lost its last byte': whole.slice(0, -1),
    'that has another key': whole.replace('"key":"key"', '"key":"other"'),
  }
  for (const [name, text] of Object.entries(cases)) {
    test(`is rejected and kept: one ${name}`, async () => {
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

  test('is rejected with the advice to update if a newer version wrote it', async () => {
    const directory = await freshPath()
    await mkdir(directory, { mode: 0o700 })
    const newer = whole.replace('"version":2', '"version":3')
    await writeFile(recordPath(directory, 'key'), newer, { mode: 0o600 })
    const error = await caught(createFileStore({ directory }).get('key'))
    expect(isStoresError(error, 'STORE_CORRUPT') && error.details.reason).toBe(
      'format version must be 1 or 2; received 3 of a newer @brokerwire/stores. Update it here',
    )
  })

  test('is rejected if it is longer than any record', async () => {
    const directory = await freshPath()
    await mkdir(directory, { mode: 0o700 })
    await writeFile(recordPath(directory, 'key'), Buffer.alloc(17 * 1024 * 1024), { mode: 0o600 })
    expect(isStoresError(await caught(createFileStore({ directory }).get('key')), 'STORE_CORRUPT')).toBe(true)
  })
})

describe('a value that is too long for its file', () => {
  const MAX_BYTES = 16 * 1024 * 1024
  const overhead = Buffer.byteLength(
    `${JSON.stringify({ format: 'brokerwire-store', version: 2, key: 'key', value: '', digest: '0'.repeat(64) })}\n`,
  )

  test('is rejected when it is written, and the stored value is kept', async () => {
    const store = createFileStore({ directory: await freshPath() })
    await store.compareAndSet('key', undefined, 'value')
    const tooLarge = [
      'x'.repeat(MAX_BYTES - overhead + 1),
      'x'.repeat(MAX_BYTES + 1),
      // Characters of three bytes, and of six bytes as an escape.
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

  test('is accepted up to the limit, and read again', async () => {
    const store = createFileStore({ directory: await freshPath() })
    const largest = 'x'.repeat(MAX_BYTES - overhead)
    expect(await store.compareAndSet('key', undefined, largest)).toBe(true)
    expect((await store.get('key')) === largest).toBe(true)
  })
})

describe('the file store', () => {
  test('names a wrong option', () => {
    expect(() => createFileStore({ directory: '' })).toThrow('directory must be a non-empty string')
    expect(() => createFileStore({ directory: 7 as never })).toThrow('received 7')
  })

  test('reports the error code of the system if the parent is a file', async () => {
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

  test('accepts a record with a hard link of its owner', async () => {
    const directory = await freshPath()
    const store = createFileStore({ directory })
    await store.compareAndSet('key', undefined, 'value')
    await link(recordPath(directory, 'key'), join(directory, 'backup'))
    expect(await store.get('key')).toBe('value')
  })

  test('rejects with the reason of a signal unchanged, even if it looks like an error of the system', async () => {
    const store = createFileStore({ directory: await freshPath() })
    const reason = Object.assign(new Error('enough'), { code: 'ABORT_ERR' })
    expect(await caught(store.lock?.('key', { signal: AbortSignal.abort(reason) }))).toBe(reason)
  })
})

test('rejects a directory with a NUL character as a wrong option', () => {
  expect(() => createFileStore({ directory: './a\0b' })).toThrow(
    expect.objectContaining({
      code: 'STORE_OPTION_INVALID',
      message: 'directory must be a non-empty string without NUL characters',
    }),
  )
})
