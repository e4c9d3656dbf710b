/** Checks of directories and files: durable, and private. */
import { stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { isAbsolute, relative, resolve } from 'node:path'
import { isPrivateMode } from '../../input.ts'
import { type CheckResult, failed, note, ok } from '../finding.ts'
import { describeReason } from '../reason.ts'

/** Types of file systems on Linux, from statfs(2). */
const MEMORY_FILE_SYSTEMS: readonly number[] = [0x0102_1994, 0x8584_58f6]
const NETWORK_FILE_SYSTEMS: readonly number[] = [0x6969, 0xff53_4d42, 0xfe53_4d42, 0x517b]

const TEMPORARY = [tmpdir(), '/tmp', '/dev/shm', '/run']

const isBelow = (folder: string, path: string): boolean => {
  const rest = relative(folder, path)
  return !rest.startsWith('..') && !isAbsolute(rest)
}

/** Checks that a directory survives a restart, and that file locks work there. */
export async function checkDurable(directory: string): Promise<CheckResult> {
  const path = resolve(directory)
  if (TEMPORARY.some((folder) => isBelow(folder, path)))
    return failed(
      `${path} is deleted at a restart`,
      'use a directory on a disk that is kept, for example /var/lib/brokerwire',
    )
  try {
    const { type } = await statfs(path)
    if (MEMORY_FILE_SYSTEMS.includes(type))
      return failed(`${path} is in memory`, 'use a directory on a disk that is kept')
    if (NETWORK_FILE_SYSTEMS.includes(type))
      return failed(
        `${path} is on a network file system, whose locks are not reliable`,
        'use Redis, Postgres or NATS to share tokens between machines',
      )
  } catch (error) {
    const reason = describeReason(error)
    return reason === 'ENOENT'
      ? note(`${path} does not exist yet; it is created at the first start`)
      : failed(`${path}: ${reason}`, 'use a directory that this user can read and write')
  }
  return note(`${path}: only processes on this machine share it`)
}

/** Checks that only the owner can read a file with a secret. */
export async function checkPrivateFile(file: string): Promise<CheckResult> {
  try {
    const { mode } = await stat(file)
    return isPrivateMode(mode)
      ? ok(`only its owner can read ${file}`)
      : failed(`other users can read ${file}`, `run chmod 600 ${file}`)
  } catch (error) {
    return failed(`${file}: ${describeReason(error)}`, 'create the file, with mode 600')
  }
}
