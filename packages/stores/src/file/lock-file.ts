/**
 * A lock between processes that outlives a killed holder, made of `link` and `rename` alone.
 *
 * A lock is a file that names its holder: a process and a token that is drawn anew for each attempt, so that no
 * token ever comes back once it has left a path. A taker writes its own file under a name of its own first.
 * - Free: the taker links it to the lock's path. `link` fails where the path exists, so one taker wins, and nobody ever
 *   sees half a file.
 * - Held by T, and T is gone: the taker first takes the lock named after T (the claim; the same algorithm, one level
 *   deeper), then looks again, and only if T still stands in the path renames its own file over it. The path can
 *   leave T only through T itself, which is gone, or through the holder of T's claim, of which there is one: so
 *   looking and renaming are one step, and a taker that was slow finds another token and steps back.
 * - The taker dies holding a claim: its claim is a lock like any other, taken over by the same rule.
 *
 * Gone means: no such process, or another one under the same id ({@link livenessOf}). Where that cannot be known,
 * it means that the holder's heartbeat stood still for `LEASE_MS` while this process watched. Only such a holder,
 * stopped for that long and then woken, can find that somebody else went on; it never happens among processes of
 * one Linux machine and one pid namespace.
 *
 * Kept libraries were looked at first: those in pure JavaScript judge a holder by a file's age alone and remove a
 * stale lock in two steps, between which two takers can both win.
 */
import { randomBytes } from 'node:crypto'
import { type FileHandle, link, readdir, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { AbortSignalLike, Clock } from '@brokerwire/core'
import { linkedAbort, parseJsonObject, sleep, throwIfAborted } from '@brokerwire/core/internal'
import { lockLost } from '../stores-error.ts'
import { errnoOf } from './file-error.ts'
import { createPrivateFile, readPrivateFile } from './private-files.ts'
import { identifySelf, livenessOf, type ProcessIdentity } from './process-identity.ts'

const HEARTBEAT_MS = 5_000
const LEASE_MS = 30_000
/** A beat that takes longer has failed: a disk may answer it when another holds the lock. */
const BEAT_LIMIT_MS = 4000
/** So many beats in a row that failed: then a lease is nearly over for those who cannot judge the holder. */
const MISSED_BEATS = 5
const FIRST_WAIT_MS = 2
const LONGEST_WAIT_MS = 100
/**
 * The most that the time between two looks counts for. A machine that slept or a clock that was set must not make the
 * heart of a live holder look still: it beats again before this process has looked for a whole lease.
 */
const LONGEST_GAP_MS = 2 * LONGEST_WAIT_MS
/** Scratch files live for milliseconds; older ones belong to a process that was killed. */
const LITTER_MS = 3_600_000
const LOCKS = /\.(lock|write|claim)$/
const SCRATCH = /^[0-9a-f]{32}\.(taker|tmp)$/

/** How often a lock whose file could not be removed is tried to be removed. */
const RETRY_MS = 1000

/**
 * Tokens of locks that this process has given back, and whose files it could not remove: nobody holds those. Takers of this
 * process treat them as gone, so from then on the path can leave them through the holder of their claim alone.
 */
const abandoned = new Set<string>()

/** A lock that is held. */
export interface FileLock {
  /** Aborts when somebody else stands in the lock's path, or the heart could not beat for most of a lease. */
  readonly lost: AbortSignalLike
  /** Releases the lock; a second call has no effect. */
  release(): Promise<void>
}

/** What stands in a lock's path. */
interface Holding {
  readonly token: string
  /** `undefined` where the file is torn, as a loss of power can leave it. */
  readonly holder: ProcessIdentity | undefined
  readonly state: string
}

/** States of holders that cannot be judged, and for how long this process has seen them unchanged. */
type Watched = Map<
  string,
  { readonly state: string; readonly sameForMs: number; readonly lookedAtMs: number }
>

/** A name that nobody draws twice. */
export function drawToken(): string {
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

async function readHolding(path: string): Promise<Holding | undefined> {
  const file = await readPrivateFile(path)
  if (file === undefined) return undefined
  const { bytes, state } = file
  return { state, ...(parseHolder(bytes.toString()) ?? { token: `torn-${state}`, holder: undefined }) }
}

/** Takes locks in one directory. */
export function createLockFiles(directory: string, clock: Clock) {
  const claimPath = (token: string): string => join(directory, `${token}.claim`)

  const isGone = async (path: string, holding: Holding, watched: Watched): Promise<boolean> => {
    const liveness = holding.holder === undefined ? 'unknown' : await livenessOf(holding.holder)
    if (liveness !== 'unknown') return liveness === 'dead'
    const seen = watched.get(path)
    const lookedAtMs = clock.now()
    let sameForMs = 0
    if (seen?.state === holding.state) {
      const gapMs = Math.min(Math.max(0, lookedAtMs - seen.lookedAtMs), LONGEST_GAP_MS)
      sameForMs = seen.sameForMs + gapMs
    }
    watched.set(path, { state: holding.state, sameForMs, lookedAtMs })
    return sameForMs >= LEASE_MS
  }

  /** Puts `own` in the place of a holder who is gone. @returns Whether it did. */
  const replace = async (path: string, gone: Holding, own: string, watched: Watched): Promise<boolean> => {
    const claim = await tryTake(claimPath(gone.token), watched)
    if (claim === undefined) return false
    try {
      const found = await readHolding(path)
      // Another state of the same holder is a beat: it has only slept.
      if (found?.token !== gone.token || found.state !== gone.state) return false
      await rename(own, path)
      return true
    } finally {
      // Whatever keeps it from going, the lock itself is held or not by now.
      await claim.release().catch(() => undefined)
    }
  }

  const hold = (path: string, token: string, handle: FileHandle): FileLock => {
    const { controller } = linkedAbort()
    let hasEnded = false
    let missed = 0
    const lose = (reason: 'taken over' | 'not prolonged'): void => {
      clearInterval(heartbeat)
      if (!hasEnded) controller.abort(lockLost(reason))
    }
    const beat = async (): Promise<void> => {
      // Beaten first, so that no watcher takes it over between the look and the beat.
      const now = new Date()
      await handle.utimes(now, now)
      // A process that was stopped for long may find another there when it goes on.
      if ((await readHolding(path))?.token === token) missed = 0
      else lose('taken over')
    }
    const heartbeat = setInterval(() => {
      let isMissed = false
      const miss = (): void => {
        if (isMissed) return
        isMissed = true
        missed += 1
        if (missed >= MISSED_BEATS) lose('not prolonged')
      }
      const late = setTimeout(miss, BEAT_LIMIT_MS)
      late.unref()
      void beat()
        .catch(miss)
        .then(() => clearTimeout(late))
    }, HEARTBEAT_MS)
    heartbeat.unref()
    let released: Promise<void> | undefined
    let removing: Promise<void> | undefined
    let retry: NodeJS.Timeout | undefined
    const remove = async (): Promise<void> => {
      if ((await readHolding(path))?.token === token) await unlink(path)
    }
    const removeAbandoned = async (): Promise<void> => {
      const claim = await tryTake(claimPath(token), new Map())
      // A taker is about to put its own file there.
      if (claim === undefined) return
      await remove().finally(() => claim.release().catch(() => undefined))
      abandoned.delete(token)
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
      clearInterval(heartbeat)
      await handle.close()
      await remove()
    }
    return {
      lost: controller.signal,
      release() {
        released ??= (abandoned.has(token) ? removeAgain() : release()).catch((error: unknown) => {
          // Given back, but not to be seen: a file that cannot be removed now is tried again, by the caller or here.
          released = undefined
          abandoned.add(token)
          retry ??= setInterval(() => void removeAgain().catch(() => undefined), RETRY_MS)
          retry.unref()
          throw error
        })
        return released
      },
    }
  }

  /** One attempt. @returns `undefined` where somebody else holds it. */
  const tryTake = async (path: string, watched: Watched): Promise<FileLock | undefined> => {
    const found = await readHolding(path)
    const isFree = found === undefined || abandoned.has(found.token) || (await isGone(path, found, watched))
    if (!isFree) return undefined

    const token = drawToken()
    const own = join(directory, `${token}.taker`)
    const handle = await createPrivateFile(own, JSON.stringify({ token, ...(await identifySelf()) }))
    let held = false
    try {
      if (found === undefined) {
        await link(own, path)
        held = true
      } else held = await replace(path, found, own, watched)
    } catch (error) {
      // EEXIST: another taker was first. ENOENT: own file was swept away as litter. Both: look again.
      if (errnoOf(error) !== 'EEXIST' && errnoOf(error) !== 'ENOENT') throw error
    } finally {
      if (!held) await handle.close()
      await unlink(own).catch(() => undefined)
    }
    return held ? hold(path, token, handle) : undefined
  }

  return {
    /**
     * Removes what killed processes left behind. A claim whose token stands in no lock and no claim any more can
     * go, whoever holds it: that token does not come back, so its holder's second look fails.
     */
    async sweep(): Promise<void> {
      const names = await readdir(directory)
      const standing = new Set<string>()
      for (const name of names.filter((entry) => LOCKS.test(entry))) {
        const holding = await readHolding(join(directory, name))
        if (holding !== undefined) standing.add(holding.token)
      }
      for (const name of names) {
        const path = join(directory, name)
        const isLitter = name.endsWith('.claim')
          ? !standing.has(name.slice(0, -'.claim'.length))
          : SCRATCH.test(name) &&
            clock.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Infinity) > LITTER_MS
        if (isLitter) await unlink(path).catch(() => undefined)
      }
    },

    /**
     * Waits for the lock under `name`.
     *
     * @throws The signal's reason, when it aborts while waiting.
     */
    async take(name: string, signal?: AbortSignalLike | undefined): Promise<FileLock> {
      const path = join(directory, name)
      const watched: Watched = new Map()
      for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
        throwIfAborted(signal)
        const lock = await tryTake(path, watched)
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
