/**
 * A lock between processes that survives a killed holder, built on `link` and `rename` only.
 *
 * A lock is a file that names its holder: a process, and a token that is unique for each attempt. So a token
 * never appears again at a path from which it was removed. To acquire a lock, a process first writes its own
 * file under a unique name.
 *
 * - Free: the process links its file to the path of the lock. `link` fails if the path exists, so one process wins,
 *   and no process ever reads half a file.
 * - Held by token T, and the holder of T is gone: the process first acquires the lock named after T (the
 *   claim, which uses the same algorithm). Then it reads the path again, and renames its own file over the
 *   path only if T is still there. Only two processes can remove T from the path: its own holder, which is
 *   gone, and the holder of the claim, of which there is one. So no other process changes the path between
 *   reading and renaming. A process that was slow finds another token, and its attempt ends without the lock.
 * - The holder of a claim is gone: the claim is a lock like any other and is taken over in the same way.
 *
 * Gone means: the process does not exist, or its id belongs to another process ({@link getLiveness}). If that
 * is unknown, it means that the heartbeat stopped for `LEASE_MS` while this process watched. Only a holder
 * that was suspended for that long can find out that another process has acquired its lock. This never
 * happens among processes of one Linux machine in one pid namespace.
 *
 * Existing libraries in pure JavaScript judge a holder by the age of its file alone and remove a stale lock in two
 * steps, between which two processes can both win.
 */
import { randomBytes } from 'node:crypto'
import { type FileHandle, link, readdir, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { AbortSignalLike, Clock } from '@brokerwire/core'
import { createLinkedController, parseJsonObject, sleep, throwIfAborted } from '@brokerwire/core/internal'
import { lockLost } from '../stores-error.ts'
import { errorCode } from './file-error.ts'
import { createPrivateFile, readPrivateFile } from './private-files.ts'
import { getLiveness, identifySelf, type ProcessIdentity } from './process-identity.ts'

const HEARTBEAT_MS = 5_000
const LEASE_MS = 30_000
/**
 * A heartbeat that takes longer counts as failed, because the disk may complete it when another process
 * already holds the lock.
 */
const HEARTBEAT_TIMEOUT_MS = 4000
/**
 * Number of failed heartbeats in a row after which the lease is almost over for processes that rely on the
 * heartbeat.
 */
const MAX_MISSED_HEARTBEATS = 5
const FIRST_WAIT_MS = 2
const LONGEST_WAIT_MS = 100
/**
 * Upper bound of the time between two observations. Without it, the heartbeat of a live holder would look
 * stopped after a suspension of the machine or a change of the clock.
 */
const LONGEST_GAP_MS = 2 * LONGEST_WAIT_MS
/**
 * Age after which a scratch file is removed. Scratch files exist for milliseconds, so older ones belong to a
 * killed process.
 */
const STALE_SCRATCH_MS = 3_600_000
const LOCKS = /\.(lock|write|claim)$/
const SCRATCH = /^[0-9a-f]{32}\.(taker|tmp)$/

/** Interval at which the removal of a lock file is tried again. */
const RETRY_MS = 1000

/**
 * Tokens of released locks whose files this process could not remove. This process treats these locks as
 * free, so that only the holder of their claim can change the path.
 */
const unremovedTokens = new Set<string>()

/** An acquired lock. */
export interface FileLock {
  /** Aborts when another process has acquired the lock, or if the heartbeat failed for most of a lease. */
  readonly lost: AbortSignalLike
  /** Releases the lock; a second call has no effect. */
  release(): Promise<void>
}

/** The content of a lock file. */
interface LockContent {
  readonly token: string
  /** `undefined` if the file is incomplete, for example after a power failure. */
  readonly holder: ProcessIdentity | undefined
  readonly state: string
}

/** Lock files of holders whose state is unknown, and how long each has been unchanged. */
type Observations = Map<
  string,
  { readonly state: string; readonly sameForMs: number; readonly lookedAtMs: number }
>

/** Creates a token that is never repeated. */
export function randomToken(): string {
  return randomBytes(16).toString('hex')
}

function parseHolder(text: string): { readonly token: string; readonly holder: ProcessIdentity } | undefined {
  const parsed = parseJsonObject(text)
  if (parsed === undefined) return undefined
  const { token, pid, space, started } = parsed
  if (typeof token !== 'string' || !/^[0-9a-f]{32}$/.test(token)) return undefined
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return undefined
  if (typeof space !== 'string' || typeof started !== 'string') return undefined
  return { token, holder: { pid, space, started } }
}

async function readHolding(path: string): Promise<LockContent | undefined> {
  const file = await readPrivateFile(path)
  if (file === undefined) return undefined
  const { bytes, state } = file
  return { state, ...(parseHolder(bytes.toString()) ?? { token: `torn-${state}`, holder: undefined }) }
}

/** Creates the lock functions of one directory. */
export function createLockFiles(directory: string, clock: Clock) {
  const claimPath = (token: string): string => join(directory, `${token}.claim`)

  const isHolderGone = async (
    path: string,
    holding: LockContent,
    observations: Observations,
  ): Promise<boolean> => {
    const liveness = holding.holder === undefined ? 'unknown' : await getLiveness(holding.holder)
    if (liveness !== 'unknown') return liveness === 'dead'
    const seen = observations.get(path)
    const lookedAtMs = clock.now()
    let sameForMs = 0
    if (seen?.state === holding.state) {
      const gapMs = Math.min(Math.max(0, lookedAtMs - seen.lookedAtMs), LONGEST_GAP_MS)
      sameForMs = seen.sameForMs + gapMs
    }
    observations.set(path, { state: holding.state, sameForMs, lookedAtMs })
    return sameForMs >= LEASE_MS
  }

  /**
   * Replaces the lock file of a holder that is gone with the file `own`.
   * @returns Whether it was replaced.
   */
  const takeOver = async (
    path: string,
    gone: LockContent,
    own: string,
    observations: Observations,
  ): Promise<boolean> => {
    const claim = await tryAcquire(claimPath(gone.token), observations)
    if (claim === undefined) return false
    try {
      const found = await readHolding(path)
      // If the state has changed, there was a heartbeat, so the holder was only suspended.
      if (found?.token !== gone.token || found.state !== gone.state) return false
      await rename(own, path)
      return true
    } finally {
      // If the release fails, the lock itself is not affected.
      await claim.release().catch(() => undefined)
    }
  }

  const createFileLock = (path: string, token: string, handle: FileHandle): FileLock => {
    const { controller } = createLinkedController()
    let hasEnded = false
    let missed = 0
    const reportLost = (reason: 'taken over' | 'not extended'): void => {
      clearInterval(heartbeatTimer)
      if (!hasEnded) controller.abort(lockLost(reason))
    }
    const heartbeat = async (): Promise<void> => {
      // Updates the file before it reads it, so that no other process takes over in between.
      const now = new Date()
      await handle.utimes(now, now)
      // If this process was suspended, another process may have the lock now.
      if ((await readHolding(path))?.token === token) missed = 0
      else reportLost('taken over')
    }
    const heartbeatTimer = setInterval(() => {
      let isMissed = false
      const onMissedHeartbeat = (): void => {
        if (isMissed) return
        isMissed = true
        missed += 1
        if (missed >= MAX_MISSED_HEARTBEATS) reportLost('not extended')
      }
      const late = setTimeout(onMissedHeartbeat, HEARTBEAT_TIMEOUT_MS)
      late.unref()
      void heartbeat()
        .catch(onMissedHeartbeat)
        .then(() => clearTimeout(late))
    }, HEARTBEAT_MS)
    heartbeatTimer.unref()
    let released: Promise<void> | undefined
    let removing: Promise<void> | undefined
    let retry: NodeJS.Timeout | undefined
    const remove = async (): Promise<void> => {
      if ((await readHolding(path))?.token === token) await unlink(path)
    }
    const removeAbandoned = async (): Promise<void> => {
      const claim = await tryAcquire(claimPath(token), new Map())
      // Another process is about to take over the path.
      if (claim === undefined) return
      await remove().finally(() => claim.release().catch(() => undefined))
      unremovedTokens.delete(token)
      clearInterval(retry)
    }
    const removeAgain = (): Promise<void> => {
      removing ??= removeAbandoned().finally(() => {
        removing = undefined
      })
      return removing
    }
    const release = async (): Promise<void> => {
      hasEnded = true
      clearInterval(heartbeatTimer)
      await handle.close()
      await remove()
    }
    return {
      lost: controller.signal,
      release() {
        released ??= (unremovedTokens.has(token) ? removeAgain() : release()).catch((error: unknown) => {
          // The lock is released, but its file could not be removed. The next call of `release()` or the
          // timer tries again.
          released = undefined
          unremovedTokens.add(token)
          retry ??= setInterval(() => void removeAgain().catch(() => undefined), RETRY_MS)
          retry.unref()
          throw error
        })
        return released
      },
    }
  }

  /** Tries once. @returns `undefined` if another process holds the lock. */
  const tryAcquire = async (path: string, observations: Observations): Promise<FileLock | undefined> => {
    const found = await readHolding(path)
    const isFree =
      found === undefined ||
      unremovedTokens.has(found.token) ||
      (await isHolderGone(path, found, observations))
    if (!isFree) return undefined

    const token = randomToken()
    const own = join(directory, `${token}.taker`)
    const handle = await createPrivateFile(own, JSON.stringify({ token, ...(await identifySelf()) }))
    let held = false
    try {
      if (found === undefined) {
        await link(own, path)
        held = true
      } else held = await takeOver(path, found, own, observations)
    } catch (error) {
      // EEXIST: another process was first. ENOENT: the scratch file was removed as stale. In both cases the caller
      // tries again.
      if (errorCode(error) !== 'EEXIST' && errorCode(error) !== 'ENOENT') throw error
    } finally {
      if (!held) await handle.close()
      await unlink(own).catch(() => undefined)
    }
    return held ? createFileLock(path, token, handle) : undefined
  }

  return {
    /**
     * Removes the files of killed processes. A claim on a token that is in no lock and no claim can be
     * removed, even if a process holds it. The token never returns to a path, so the second read of that
     * process does not find it.
     */
    async removeStaleLocks(): Promise<void> {
      const names = await readdir(directory)
      const activeTokens = new Set<string>()
      for (const name of names.filter((entry) => LOCKS.test(entry))) {
        const holding = await readHolding(join(directory, name))
        if (holding !== undefined) activeTokens.add(holding.token)
      }
      for (const name of names) {
        const path = join(directory, name)
        const isLitter = name.endsWith('.claim')
          ? !activeTokens.has(name.slice(0, -'.claim'.length))
          : SCRATCH.test(name) &&
            clock.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Infinity) > STALE_SCRATCH_MS
        if (isLitter) await unlink(path).catch(() => undefined)
      }
    },

    /** Waits for the lock under `name`. @throws The signal's reason if it aborts during the wait. */
    async acquire(name: string, signal?: AbortSignalLike | undefined): Promise<FileLock> {
      const path = join(directory, name)
      const observations: Observations = new Map()
      for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
        throwIfAborted(signal)
        const lock = await tryAcquire(path, observations)
        if (lock !== undefined) {
          if (signal?.aborted) await lock.release()
          throwIfAborted(signal)
          return lock
        }
        await sleep(clock, waitMs, signal)
      }
    },
  }
}
