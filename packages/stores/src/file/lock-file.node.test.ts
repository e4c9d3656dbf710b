import { rmSync, utimesSync, writeFileSync } from 'node:fs'
import fs, { chmod, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import type { Clock } from '@brokerwire/core'
import { afterEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { isStoresError } from '../index.ts'
import { freshPath } from '../test/directories.ts'
import { createSkippingClock } from '../test/skipping-clock.ts'
import { spawnWorker, type Worker } from '../test/spawn-worker.ts'
import { createFileStore } from './index.ts'
import { randomToken } from './lock-file.ts'
import { identifySelf, type ProcessIdentity } from './process-identity.ts'
import { fileStem } from './record.ts'

const LOCK = `${fileStem('job')}.lock`

function worker(...args: readonly string[]): Worker {
  const spawned = spawnWorker(...args)
  onTestFinished(() => spawned.kill())
  return spawned
}

async function lockJob(directory: string, options: { clock?: Clock; signal?: AbortSignal } = {}) {
  const lock = await createFileStore({ directory, clock: options.clock }).lock?.('job', {
    signal: options.signal,
  })
  if (lock === undefined) throw new TypeError('expected a lock')
  return lock
}

/** A directory with the lock file of another process. */
async function directoryWith(
  files: Readonly<Record<string, { readonly token: string } & ProcessIdentity>>,
): Promise<string> {
  const directory = await freshPath()
  await mkdir(directory, { mode: 0o700 })
  for (const [name, holder] of Object.entries(files)) {
    await writeFile(join(directory, name), JSON.stringify(holder), { mode: 0o600 })
  }
  return directory
}

/** A promise, and the function that resolves it. */
function deferred() {
  let settle = (): void => undefined
  const promise = new Promise<void>((resolve) => {
    settle = resolve
  })
  return { promise, resolve: settle }
}

/** Pauses the next removal of the file, once. */
function pausedUnlink(path: string) {
  const begun = deferred()
  const proceed = deferred()
  const { unlink } = fs
  const restore = (): void => {
    fs.unlink = unlink
    syncBuiltinESMExports()
  }
  fs.unlink = async (target) => {
    if (target === path) {
      restore()
      begun.resolve()
      await proceed.promise
    }
    await unlink(target)
  }
  syncBuiltinESMExports()
  onTestFinished(restore)
  return { begun: begun.promise, proceed: proceed.resolve }
}

/** A process of this machine that has ended. */
async function deadProcess(): Promise<ProcessIdentity> {
  return { ...(await identifySelf()), started: '1' }
}

/** Checks that no one gets the lock within a minute of virtual time. */
async function expectHeld(
  directory: string,
  onTime: (passedMs: number) => void = () => undefined,
): Promise<void> {
  const controller = new AbortController()
  const clock = createSkippingClock((passedMs) => {
    onTime(passedMs)
    if (passedMs >= 60_000) controller.abort('still held')
  })
  await expect(lockJob(directory, { clock, signal: controller.signal })).rejects.toBe('still held')
}

describe('the lock between processes', { timeout: 60_000 }, () => {
  test('is free after its holder was killed with SIGKILL', async () => {
    const directory = await freshPath()
    const holder = worker(directory, '0')
    await holder.printed('held')
    const held = lockJob(directory)
    await expectHeld(directory)
    await holder.kill()
    await (await held).release()
    expect(await readdir(directory)).toEqual([])
  })

  test.runIf(inject('isFullRun'))(
    'of many processes after a kill one acquires the lock at a time, and none is left out',
    async () => {
      const directory = await freshPath()
      const holder = worker(directory, '0')
      await holder.printed('held')
      let inside = 0
      let most = 0
      const takers = Array.from({ length: 16 }, async () => {
        const lock = await lockJob(directory)
        inside += 1
        most = Math.max(most, inside)
        await readdir(directory)
        inside -= 1
        await lock.release()
      })
      await holder.kill()
      await Promise.all(takers)
      expect(most).toBe(1)
      expect(await readdir(directory)).toEqual([])
    },
  )

  test.runIf(inject('isFullRun'))(
    'keeps the count right while holders are killed again and again',
    async () => {
      const directory = await freshPath()
      const rounds = 12
      const survivors = Array.from({ length: 3 }, () => worker(directory, String(rounds)))
      const killed = await Promise.all(
        [1, 3, 5].map(async (times) => {
          const victim = worker(directory, '1000')
          await victim.printed('held', times)
          await victim.kill()
          return victim
        }),
      )
      await Promise.all(survivors.map(({ ended }) => ended))
      const everything = [...survivors, ...killed]
      expect(everything.flatMap(({ lines }) => lines)).not.toContain('violation')
      for (const { lines } of survivors) {
        expect(lines.at(-1)).toBe('done')
        expect(lines.filter((line) => line === 'held')).toHaveLength(rounds)
      }
      const count = Number(await createFileStore({ directory }).get('count'))
      const entered = everything.flatMap(({ lines }) => lines).filter((line) => line === 'held').length
      // Each killed process may have printed and not written, or written and not printed, once.
      expect(count).toBeGreaterThanOrEqual(entered - killed.length)
      expect(count).toBeLessThanOrEqual(entered + killed.length)
    },
  )
})

// Each test reads the disk hundreds of times, which is slow on a busy machine.
describe('a holder that is gone', { timeout: 60_000 }, () => {
  test('is replaced if another process has its process id', async () => {
    const directory = await directoryWith({ [LOCK]: { token: randomToken(), ...(await deadProcess()) } })
    await (await lockJob(directory)).release()
    expect(await readdir(directory)).toEqual([])
  })

  test('is replaced if the holders of its claim and of the claim on that are gone too', async () => {
    const dead = await deadProcess()
    const [lock, claim, claimOnClaim] = [randomToken(), randomToken(), randomToken()]
    const directory = await directoryWith({
      [LOCK]: { token: lock, ...dead },
      [`${lock}.claim`]: { token: claim, ...dead },
      [`${claim}.claim`]: { token: claimOnClaim, ...dead },
    })
    await (await lockJob(directory)).release()
    expect(await readdir(directory)).toEqual([])
  })

  test('is not replaced while a live process has the claim', async () => {
    const lock = randomToken()
    const directory = await directoryWith({
      [LOCK]: { token: lock, ...(await deadProcess()) },
      [`${lock}.claim`]: { token: randomToken(), ...(await identifySelf()) },
    })
    const held = lockJob(directory)
    await expectHeld(directory)
    await rm(join(directory, `${lock}.claim`))
    await (await held).release()
  })

  test('is not replaced by a slow process if another was faster', async () => {
    const gone: ProcessIdentity = { pid: 1, space: 'another container', started: '5' }
    const directory = await directoryWith({ [LOCK]: { token: randomToken(), ...gone } })
    const faster = JSON.stringify({ token: randomToken(), ...(await identifySelf()) })
    const clock = createSkippingClock((passedMs) => {
      if (passedMs >= 60_000) controller.abort('still held')
    })
    let hasLost = false
    // The slow process reads the clock after it has read the old holder. Now the other process is faster.
    const now = (): number => {
      if (!hasLost && clock.passedMs >= 30_000) {
        hasLost = true
        rmSync(join(directory, LOCK))
        writeFileSync(join(directory, LOCK), faster, { mode: 0o600 })
      }
      return clock.now()
    }
    const controller = new AbortController()
    const slow = lockJob(directory, { clock: { now, setTimer: clock.setTimer }, signal: controller.signal })
    await expect(slow).rejects.toBe('still held')
    expect(hasLost).toBe(true)
    expect(await readdir(directory)).toEqual([LOCK])
  })

  test('is the only one that is replaced: a live holder keeps the lock for any time', async () => {
    const directory = await directoryWith({ [LOCK]: { token: randomToken(), ...(await identifySelf()) } })
    await expectHeld(directory)
  })
})

describe('a holder whose state is unknown', { timeout: 60_000 }, () => {
  const elsewhere: ProcessIdentity = { pid: 1, space: 'another container', started: '5' }

  test('keeps the lock until its heartbeat has stopped for 30 s', async () => {
    const directory = await directoryWith({ [LOCK]: { token: randomToken(), ...elsewhere } })
    const clock = createSkippingClock()
    const lock = await lockJob(directory, { clock })
    expect(clock.passedMs).toBeGreaterThanOrEqual(30_000)
    expect(clock.passedMs).toBeLessThan(31_000)
    await lock.release()
  })

  test('keeps the lock while its heartbeat continues', async () => {
    const directory = await directoryWith({ [LOCK]: { token: randomToken(), ...elsewhere } })
    let beats = 0
    await expectHeld(directory, (passedMs) => {
      if (passedMs < beats * 10_000) return
      beats += 1
      const at = new Date(2026, 0, 1, 0, 0, beats)
      utimesSync(join(directory, LOCK), at, at)
    })
    expect(beats).toBeGreaterThan(5)
  })

  test.each([
    ['set forward', 3_600_000],
    ['set back', -3_600_000],
  ])('keeps the lock if the clock is %s, or the machine was suspended', async (_, jumpMs) => {
    const directory = await directoryWith({ [LOCK]: { token: randomToken(), ...elsewhere } })
    const clock = createSkippingClock()
    // For the first ten seconds the clock jumps by an hour at each reading. Then it is right.
    let jumps = 0
    const now = (): number => {
      if (clock.passedMs < 10_000) jumps += 1
      return clock.now() + jumps * jumpMs
    }
    const lock = await lockJob(directory, { clock: { now, setTimer: clock.setTimer } })
    expect(jumps).toBeGreaterThan(50)
    expect(clock.passedMs).toBeGreaterThanOrEqual(15_000)
    expect(clock.passedMs).toBeLessThan(41_000)
    await lock.release()
  })

  test('is assumed for an incomplete lock file', async () => {
    for (const text of ['', '\u0000\u0000', '{"token":"../../up","pid":1,"space":"","started":""}', '[]']) {
      const directory = await freshPath()
      await mkdir(directory, { mode: 0o700 })
      await writeFile(join(directory, LOCK), text, { mode: 0o600 })
      const clock = createSkippingClock()
      const lock = await lockJob(directory, { clock })
      expect(clock.passedMs).toBeGreaterThanOrEqual(30_000)
      await lock.release()
      expect(await readdir(directory)).toEqual([])
    }
  })
})

describe('the heartbeat of a holder', () => {
  afterEach(() => {
    vi.useRealTimers()
  })
  const beat = async (times = 1): Promise<void> => {
    for (let count = 0; count < times; count += 1) {
      vi.advanceTimersByTime(5000)
      // Reads of the directory end after those of the heartbeat.
      for (let look = 0; look < 100; look += 1) await readdir('.')
    }
  }
  const held = async () => {
    const directory = await freshPath()
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    return { directory, lock: await lockJob(directory) }
  }

  test('keeps the lock while it continues', async () => {
    const { directory, lock } = await held()
    const before = await stat(join(directory, LOCK))
    await beat(20)
    expect((await stat(join(directory, LOCK))).mtimeMs).toBeGreaterThan(before.mtimeMs)
    expect(lock.lost?.aborted).toBe(false)
    await lock.release()
    await beat(20)
    expect(lock.lost?.aborted).toBe(false)
  })

  test('notifies the holder that the lock is lost if it finds the file of another holder', async () => {
    const { directory, lock } = await held()
    const other = JSON.stringify({ token: randomToken(), pid: 1, space: 'another container', started: '5' })
    await rm(join(directory, LOCK))
    await writeFile(join(directory, LOCK), other, { mode: 0o600 })
    await beat()
    await expect.poll(() => lock.lost?.aborted).toBe(true)
    expect(isStoresError(lock.lost?.reason, 'STORE_LOCK_LOST') && lock.lost.reason.details).toEqual({
      reason: 'taken over',
    })
    await lock.release()
    expect(await readFile(join(directory, LOCK), 'utf8')).toBe(other)
  })

  test.skipIf(process.platform === 'win32')(
    'a holder with five failed heartbeats in a row has lost the lock',
    async () => {
      const { directory, lock } = await held()
      await chmod(join(directory, LOCK), 0o644)
      await beat(4)
      await chmod(join(directory, LOCK), 0o600)
      await beat()
      await chmod(join(directory, LOCK), 0o644)
      await beat(4)
      expect(lock.lost?.aborted).toBe(false)
      await beat()
      await expect.poll(() => lock.lost?.aborted).toBe(true)
      expect(lock.lost?.reason).toMatchObject({
        code: 'STORE_LOCK_LOST',
        details: { reason: 'not extended' },
      })
      await chmod(join(directory, LOCK), 0o600)
      await lock.release()
    },
  )

  test('notifies the holder that the lock is lost if the disk never responds', async () => {
    const directory = await freshPath()
    const file = await fs.open('package.json')
    const { utimes: beats } = Object.getPrototypeOf(file)
    await file.close()
    onTestFinished(() => void Object.assign(Object.getPrototypeOf(file), { utimes: beats }))
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] })
    const lock = await lockJob(directory)
    Object.assign(Object.getPrototypeOf(file), { utimes: () => new Promise(() => {}) })
    vi.advanceTimersByTime(28_999)
    expect(lock.lost?.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    expect(lock.lost?.reason).toMatchObject({ code: 'STORE_LOCK_LOST', details: { reason: 'not extended' } })
    await lock.release()
  })

  test('keeps the lock if it resumes during a takeover', async () => {
    const elsewhere: ProcessIdentity = { pid: 1, space: 'another container', started: '5' }
    const directory = await directoryWith({ [LOCK]: { token: randomToken(), ...elsewhere } })
    const controller = new AbortController()
    let hasBeaten = false
    const clock = createSkippingClock((passedMs) => {
      if (passedMs >= 45_000) controller.abort('still held')
    })
    // The other process reads the clock after it has found an old heartbeat, and before it decides.
    const now = (): number => {
      if (!hasBeaten && clock.passedMs >= 30_000) {
        hasBeaten = true
        utimesSync(join(directory, LOCK), new Date(2026, 0, 1), new Date(2026, 0, 1))
      }
      return clock.now()
    }
    const taker = lockJob(directory, { clock: { now, setTimer: clock.setTimer }, signal: controller.signal })
    await expect(taker).rejects.toBe('still held')
    expect(hasBeaten).toBe(true)
  })
})

test('a lock that is being released is not acquired before its file is gone', async () => {
  const directory = await freshPath()
  const holder = await lockJob(directory)
  const removal = pausedUnlink(join(directory, LOCK))
  const released = holder.release()
  await removal.begun
  // Another store of the same process tries to acquire it meanwhile.
  const looked = deferred()
  const taken = lockJob(directory, {
    clock: createSkippingClock((passedMs) => {
      if (passedMs >= 1000) looked.resolve()
    }),
  })
  await Promise.race([looked.promise, taken])
  removal.proceed()
  await released
  const next = await taken
  await expectHeld(directory)
  await next.release()
  expect(await readdir(directory)).toEqual([])
})

test('files of killed processes are removed, and no others', async () => {
  const dead = await deadProcess()
  const [lock, inUse, past] = [randomToken(), randomToken(), randomToken()]
  const [oldTaker, oldScratch, newTaker] = [
    `${randomToken()}.taker`,
    `${randomToken()}.tmp`,
    `${randomToken()}.taker`,
  ]
  const live = { ...(await identifySelf()), token: inUse }
  const directory = await directoryWith({
    'other.lock': { token: lock, ...dead },
    [`${lock}.claim`]: live,
    [`${past}.claim`]: { token: randomToken(), ...dead },
    [oldTaker]: { token: randomToken(), ...dead },
    [oldScratch]: { token: randomToken(), ...dead },
    [newTaker]: { token: randomToken(), ...dead },
    'notes.txt': { token: randomToken(), ...dead },
  })
  const longAgo = new Date(Date.now() - 7_200_000)
  for (const name of [oldTaker, oldScratch, 'notes.txt'])
    await utimes(join(directory, name), longAgo, longAgo)
  await (await lockJob(directory)).release()
  expect((await readdir(directory)).sort()).toEqual(
    ['notes.txt', 'other.lock', `${lock}.claim`, newTaker].sort(),
  )
})

describe.skipIf(process.platform === 'win32')(
  'a lock whose file cannot be removed when it is given back',
  () => {
    const broken = async () => {
      const directory = await freshPath()
      const lock = await lockJob(directory)
      await chmod(join(directory, LOCK), 0o644)
      await expect(lock.release()).rejects.toMatchObject({ code: 'STORE_INSECURE_PERMISSIONS' })
      await expect(lock.release()).rejects.toMatchObject({ code: 'STORE_INSECURE_PERMISSIONS' })
      await chmod(join(directory, LOCK), 0o600)
      return { directory, lock }
    }

    test('can be released again, and acquired', async () => {
      const { directory, lock } = await broken()
      await lock.release()
      expect(await readdir(directory)).not.toContain(LOCK)
      await (await lockJob(directory)).release()
    })

    test('is free in this process at once', async () => {
      const { directory } = await broken()
      const next = await lockJob(directory)
      expect(await readdir(directory)).toContain(LOCK)
      await next.release()
      expect(await readdir(directory)).not.toContain(LOCK)
    })

    test('is removed as soon as possible, for the other processes', async () => {
      const { directory } = await broken()
      await expect.poll(() => readdir(directory)).not.toContain(LOCK)
    })
  },
)
