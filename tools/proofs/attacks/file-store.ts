/**
 * Attacks on the file store. Sixteen processes that use one store are killed and stopped at random moments.
 * Other attacks damage the files of a store.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { Secret } from '@brokerwire/core'
import { isStoresError } from '@brokerwire/stores'
import { createFileStore } from '@brokerwire/stores/file'
import { bundled } from '@brokerwire/testing/child'
import { createAccessTokens, isTokensError } from '@brokerwire/tokens'
import type { Random } from '../random.ts'
import type { AttackContext, Kind } from './attacks.ts'

const PROCESSES = 16
/** Number of rounds of each process. When a process is killed, a new one starts. */
const ROUNDS = 12
/**
 * If no process prints a line for this time, the attack fails, because a lock is never released. The time is
 * longer than the start of a process takes.
 */
const SILENT_MS = 120_000

function startWorker(script: string, directory: string, seed: number) {
  const child = spawn(process.execPath, [script, directory, String(seed), String(ROUNDS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  createInterface(child.stdout).on('line', (line) => lines.push(line))
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null
  return { child, lines, isRunning, ended: once(child, 'close') }
}

async function attackProcesses(context: AttackContext, script: string, random: Random): Promise<void> {
  const directory = join(context.folder, `store-${random.hex(8)}`, 'store')
  await mkdir(join(directory, '..'))
  const workers: ReturnType<typeof startWorker>[] = []
  const start = (): void => {
    const worker = startWorker(script, directory, random.integer(0, 2 ** 31))
    workers.push(worker)
    context.atEnd(() => worker.child.kill('SIGKILL'))
  }
  const linesOf = (): string[] => workers.flatMap(({ lines }) => lines)
  const printed = (line: string): number => linesOf().filter((each) => each === line).length
  for (let number = 0; number < PROCESSES; number += 1) start()
  let lineCount = 0
  let lastLineMs = performance.now()
  let kills = 0
  while (workers.some(({ isRunning }) => isRunning())) {
    if (linesOf().length > lineCount) {
      lineCount = linesOf().length
      lastLineMs = performance.now()
    }
    if (performance.now() - lastLineMs > SILENT_MS) {
      context.fail('the processes do not end: a lock is never released')
      for (const { child } of workers) child.kill('SIGKILL')
      break
    }
    await sleep(random.integer(5, 60))
    const { child, lines, isRunning, ended } = random.pick(workers)
    if (!isRunning() || lines.length === 0) continue
    if (kills < PROCESSES / 2 && random.chance(0.3)) {
      kills += 1
      context.attack('processes killed')
      child.kill('SIGKILL')
      await ended
      // The marker file of a process that was killed under the lock does not prove that two processes had the
      // lock.
      const marker = join(directory, '..', 'marker')
      if ((await readFile(marker, 'utf8').catch(() => '')) === String(child.pid))
        await rm(marker, { force: true })
      start()
    } else if (random.chance(0.5)) {
      context.attack('processes stopped for a moment')
      child.kill('SIGSTOP')
      await sleep(random.integer(5, 50))
      child.kill('SIGCONT')
    }
  }
  await Promise.all(workers.map(({ ended }) => ended))
  for (const line of linesOf()) {
    if (line.startsWith('did ')) context.attack(`${line.slice(4)} by one of ${PROCESSES} processes`)
    if (line.startsWith('broken ')) context.fail(line.slice(7))
  }
  // A process may find the marker file of a killed process before the parent removes it, at most once per
  // kill.
  if (printed('another process has the lock too') > kills) context.fail('two processes had the lock')
  const store = createFileStore({ directory })
  for (const key of ['compared', 'locked']) {
    const count = Number((await store.get(key))?.split(' ')[0])
    const known = printed(`did ${key}`)
    const most = printed(`sending ${key}`) - printed(`lost ${key}`)
    if (!(count >= known && count <= most))
      context.fail(`${key}: ${known} to ${most} increments, and the counter is ${count}`)
  }
  // Acquiring the lock removes the files of killed processes.
  await (await createFileStore({ directory }).lock?.('locked'))?.release()
  const left = (await readdir(directory)).filter((name) => /\.(lock|write|claim)$/.test(name))
  for (const key of ['compared', 'locked']) {
    const isDone = await store.compareAndSet(key, await store.get(key), 'end')
    if (!isDone) context.fail(`${key} cannot be written any more, with ${left.length} lock files left`)
  }
}

/** Kinds of damage that a disk, a copy program or a person can cause. */
const DAMAGES: Readonly<Record<string, (bytes: Buffer, random: Random, at: number) => Buffer>> = {
  'bits flipped in a record'(bytes, random) {
    const damaged = Buffer.from(bytes)
    for (let flips = random.integer(1, 3); flips > 0; flips -= 1) {
      const flipped = random.integer(0, bytes.length - 1)
      damaged.writeUInt8(damaged.readUInt8(flipped) ^ (1 << random.integer(0, 7)), flipped)
    }
    return damaged
  },
  'truncated records': (bytes, _, at) => bytes.subarray(0, at),
  'records with more bytes at the end': (bytes, random) =>
    Buffer.concat([bytes, random.bytes(random.integer(1, 9))]),
  'records with a block of zeros': (bytes, random, at) =>
    Buffer.from(bytes).fill(0, at, Math.min(bytes.length, at + random.integer(1, 64))),
  'records of random bytes': (_, random) => Buffer.from(random.bytes(random.integer(0, 400))),
}

/** Checks that reading a damaged record of a token fails, and never causes a create request. */
async function attackRecord(context: AttackContext, random: Random): Promise<void> {
  const directory = join(context.folder, `damaged-${random.hex(8)}`)
  const store = createFileStore({ directory })
  const identity = {
    environment: 'production',
    region: 'us',
    appKey: random.hex(8),
    baseUrl: 'https://api.example.com',
  }
  const status = random.pick(['NORMAL', 'PENDING', 'INVALID', 'ON_REVIEW'])
  let creates = 0
  const record = async () => ({
    ok: true as const,
    value: { token: new Secret('0123456789abcdef'.repeat(2)), status, expiresAtMs: Date.now() + 86_400_000 },
  })
  const create = () => {
    creates += 1
    return record()
  }
  await using tokens = createAccessTokens({ endpoints: { create, check: record }, store, identity })
  await tokens.get({ wait: false }).catch(() => undefined)
  const name = (await readdir(directory)).find((file) => file.endsWith('.json')) ?? ''
  const path = join(directory, name)
  const bytes = await readFile(path)
  const sort = random.pick(Object.keys(DAMAGES))
  const damaged = DAMAGES[sort]?.(bytes, random, random.integer(0, bytes.length - 1)) ?? bytes
  if (damaged.equals(bytes)) return
  context.attack(sort)
  await writeFile(path, damaged)
  for (const call of [tokens.get, tokens.renew, tokens.peek]) {
    const error: unknown = await call({ wait: false }).catch((caught: unknown) => caught)
    const isReported =
      isTokensError(error, 'TOKEN_STORE_FAILED') && isStoresError(error.cause, 'STORE_CORRUPT')
    if (!isReported) context.fail(`${sort}: no STORE_CORRUPT: ${String(error)}`)
  }
  if (creates > 1) context.fail(`${sort}: a create was made`)
}

export const fileStore: Kind = {
  name: 'file-store',
  promise:
    'if sixteen processes are killed and stopped at random moments, no write is lost, two never have the lock, and no lock remains; a damaged file is an error, and is never read as another value or as no token',
  counts: [6000, 500],
  async run(context) {
    const script = await bundled(new URL('file-store-process.ts', import.meta.url))
    for (let run = 0; run < Math.ceil(context.total / 1000); run += 1)
      await attackProcesses(context, script, context.random.fork(`processes ${run}`))
    for (let record = 0; record < Math.ceil(context.total / 2); record += 1)
      await attackRecord(context, context.random.fork(`record ${record}`))
  },
}
