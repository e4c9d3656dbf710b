import { existsSync } from 'node:fs'
import { chmod, mkdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isStoresError } from '../index.ts'
import { freshPath } from '../test/directories.ts'
import { createFileStore, createPrivateDirectory } from './index.ts'

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

describe('createPrivateDirectory', () => {
  test('creates missing directories for their owner only, and keeps existing ones', async () => {
    const base = await freshPath()
    await mkdir(base)
    await chmod(base, 0o755)
    const path = join(base, 'a', 'b', 'c')
    await Promise.all([
      createPrivateDirectory(path),
      createPrivateDirectory(path),
      createPrivateDirectory(path),
    ])
    await createPrivateDirectory(path)
    await createPrivateDirectory('/')
    expect(await Promise.all([base, join(base, 'a'), path].map(modeOf))).toEqual([0o755, 0o700, 0o700])
  })

  test('ends for many calls at once that create the same parents', async () => {
    for (let round = 0; round < 40; round += 1) {
      const path = join(await freshPath(), 'a', 'b', 'c', 'd', 'e')
      await Promise.all(Array.from({ length: 8 }, () => createPrivateDirectory(path)))
      expect(await modeOf(path)).toBe(0o700)
    }
  })

  test("rejects with the system's error for a file or a broken link in the path", async () => {
    const base = await freshPath()
    await mkdir(base)
    await writeFile(join(base, 'file'), '')
    await symlink(join(base, 'nowhere'), join(base, 'link'))
    const code = (path: string) => createPrivateDirectory(join(base, path)).catch((error) => error.code)
    expect(await code('file')).toBe('EEXIST')
    expect(await code('file/a')).toBe('ENOTDIR')
    expect(await code('link/a/b')).toBe('EEXIST')
  })

  // The recursive call of Node never ends there.
  test.runIf(existsSync('/proc/self'))(
    'rejects with ENOENT, and does not loop, if a file system returns ENOENT for an existing parent',
    async () => {
      await expect(createPrivateDirectory('/proc/.config/brokerwire')).rejects.toMatchObject({
        code: 'ENOENT',
        path: '/proc/.config',
      })
      const write = createFileStore({ directory: '/proc/.local/state/store' }).compareAndSet(
        'a',
        undefined,
        'b',
      )
      const error = await write.catch((reason: unknown) => reason)
      expect(isStoresError(error, 'STORE_IO') && error.message).toBe(
        'compareAndSet: the file system returned ENOENT for /proc/.local',
      )
    },
  )
})
