/** Sixteen processes on one file store, killed and stopped at any moment; and files that were damaged. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Secret } from '@brokerwire/core'
import { isStoresError } from '@brokerwire/stores'
import { createFileStore } from '@brokerwire/stores/file'
import { bundleProgram } from '@brokerwire/testing/bundle-program'
import { createAccessTokens, isTokensError } from '@brokerwire/tokens'
import type { AttackContext, Kind } from '../kind.ts'
import type { Random } from '../random.ts'

const PROCESSES = 16
/** Rounds of one process: those that are killed have as many, and are replaced. */
const ROUNDS = 12
/** How long all of them may say nothing, a start included: only a lock that nobody gives back takes so long. */
const SILENT_MS = 120_000

interface Worker {
  readonly child: ChildProcess
  readonly lines: string[]
  readonly ended: Promise<unknown>
}

function start(script: string, directory: string, seed: number): Worker {
  const child = spawn(process.execPath, [script, directory, String(seed), String(ROUNDS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  if (child.stdout === null) throw new TypeError('expected a pipe')
  createInterface(child.stdout).on('line', (line) => lines.push(line))
  return { child, lines, ended: once(child, 'close') }
}

const said = (workers: readonly Worker[], line: string): number =>
  workers.flatMap(({ lines }) => lines).filter((printed) => printed === line).length

async function attackProcesses(context: AttackContext, script: string, random: Random): Promise<void> {
  const directory = join(context.folder, `store-${random.hex(8)}`, 'store')
  await mkdir(join(directory, '..'))
  const workers: Worker[] = []
  const begin = (): void => {
    const worker = start(script, directory, random.integer(0, 2 ** 31))
    workers.push(worker)
    context.atEnd(() => worker.child.kill('SIGKILL'))
  }
  for (let number = 0; number < PROCESSES; number += 1) begin()
  const isRunning = ({ child }: Worker): boolean => child.exitCode === null && child.signalCode === null
  let toldLines = 0
  let toldMs = performance.now()
  let kills = 0
  while (workers.some(isRunning)) {
    const lines = workers.reduce((sum, worker) => sum + worker.lines.length, 0)
    if (lines > toldLines) {
      toldLines = lines
      toldMs = performance.now()
    }
    if (performance.now() - toldMs > SILENT_MS) {
      context.broken('the processes do not come to an end: a lock is held by nobody')
      for (const { child } of workers) child.kill('SIGKILL')
      break
    }
    await new Promise((resolve) => setTimeout(resolve, random.integer(5, 60)))
    const victim = random.pick(workers)
    if (!isRunning(victim) || victim.lines.length === 0) continue
    if (kills < PROCESSES / 2 && random.chance(0.3)) {
      kills += 1
      context.attack('processes killed')
      victim.child.kill('SIGKILL')
      await victim.ended
      await rmWitnessOf(directory, victim.child.pid)
      begin()
    } else if (random.chance(0.5)) {
      context.attack('processes stopped for a moment')
      victim.child.kill('SIGSTOP')
      await new Promise((resolve) => setTimeout(resolve, random.integer(5, 50)))
      victim.child.kill('SIGCONT')
    }
  }
  await Promise.all(workers.map(({ ended }) => ended))
  for (const line of workers.flatMap(({ lines }) => lines)) {
    if (line.startsWith('did '))
      context.attack(`${line.slice('did '.length)} by one of ${PROCESSES} processes`)
    if (line.startsWith('broken ')) context.broken(line.slice('broken '.length))
  }
  // Who finds a witness of a killed one says so as well: at most once for each that was killed inside.
  if (said(workers, 'inside with another') > kills) context.broken('two processes were inside the lock')
  const store = createFileStore({ directory })
  for (const key of ['compared', 'locked']) {
    const count = Number((await store.get(key))?.split(' ')[0])
    const known = said(workers, `did ${key}`)
    const open = said(workers, `sending ${key}`) - known - said(workers, `lost ${key}`)
    if (!(count >= known && count <= known + open))
      context.broken(`${key}: ${known} to ${known + open} times counted up, and the count is ${count}`)
  }
  // The next one of the store sweeps what killed ones left.
  await (await createFileStore({ directory }).lock?.('locked'))?.release()
  const left = (await readdir(directory)).filter((name) => /\.(lock|write|claim)$/.test(name))
  for (const key of ['compared', 'locked']) {
    const isDone = await store.compareAndSet(key, await store.get(key), 'end')
    if (!isDone) context.broken(`${key} cannot be written any more, with ${left.length} lock files left`)
  }
}

/** The witness of one who was killed inside is no sign of two. */
async function rmWitnessOf(directory: string, pid: number | undefined): Promise<void> {
  const witness = join(directory, '..', 'witness')
  if ((await readFile(witness, 'utf8').catch(() => '')) === String(pid)) await rm(witness, { force: true })
}

/** Ways in which a disk, a copy or a person damages a file. */
function damage(bytes: Buffer, random: Random): { readonly sort: string; readonly damaged: Buffer } {
  const at = random.integer(0, bytes.length - 1)
  switch (random.integer(0, 4)) {
    case 0: {
      const damaged = Buffer.from(bytes)
      for (let flips = random.integer(1, 3); flips > 0; flips -= 1) {
        const flipped = random.integer(0, bytes.length - 1)
        damaged.writeUInt8(damaged.readUInt8(flipped) ^ (1 << random.integer(0, 7)), flipped)
      }
      return { sort: 'bits flipped in a record', damaged }
    }
    case 1:
      return { sort: 'records cut off', damaged: bytes.subarray(0, at) }
    case 2:
      return {
        sort: 'records with something after them',
        damaged: Buffer.concat([bytes, random.bytes(random.integer(1, 9))]),
      }
    case 3:
      return {
        sort: 'records with a block of zeros',
        damaged: Buffer.from(bytes).fill(0, at, Math.min(bytes.length, at + random.integer(1, 64))),
      }
    default:
      return { sort: 'records of random bytes', damaged: Buffer.from(random.bytes(random.integer(0, 400))) }
  }
}

/** A damaged record of a token: an error, and never a create. */
async function attackRecord(context: AttackContext, random: Random): Promise<void> {
  const directory = join(context.folder, `damaged-${random.hex(8)}`)
  const store = createFileStore({ directory })
  const key = { environment: 'production', region: 'us', appKey: random.hex(8) }
  let creates = 0
  const record = (status: string) => ({
    ok: true as const,
    value: {
      token: new Secret('0123456789abcdef0123456789abcdef'),
      status,
      expiresAtMs: Date.now() + 86_400_000,
    },
  })
  const status = random.pick(['NORMAL', 'PENDING', 'INVALID', 'ON_REVIEW'])
  const api = {
    async create() {
      creates += 1
      return record(status)
    },
    check: async () => record(status),
  }
  await using tokens = createAccessTokens({ api, store, key })
  await tokens.get({ wait: false }).catch(() => undefined)
  const [name] = (await readdir(directory)).filter((file) => file.endsWith('.json'))
  const path = join(directory, name ?? '')
  const bytes = await readFile(path)
  const { sort, damaged } = damage(bytes, random)
  if (damaged.equals(bytes)) return
  context.attack(sort)
  await writeFile(path, damaged)
  for (const call of [tokens.get, tokens.renew, tokens.peek]) {
    const error: unknown = await call({ wait: false }).catch((caught: unknown) => caught)
    const isTold = isTokensError(error, 'TOKEN_STORE_FAILED') && isStoresError(error.cause, 'STORE_CORRUPT')
    if (!isTold) context.broken(`${sort}: read as something else: ${String(error)}`)
  }
  if (creates > 1) context.broken(`${sort}: a create was made`)
}

/** The kind. */
export const fileStore: Kind = {
  name: 'file-store',
  promise:
    'sixteen processes, killed and stopped at any moment, lose no write, are never two inside a lock and leave nothing that stays locked; a damaged file is an error, never another value and never no token',
  counts: [6000, 500],
  async run(context) {
    const script = join(context.folder, 'process.mjs')
    await bundleProgram(new URL('../workers/file-store-process.ts', import.meta.url), script)
    const runs = Math.ceil(context.count / 1000)
    for (let run = 0; run < runs; run += 1)
      await attackProcesses(context, script, context.random.fork(`processes ${run}`))
    const records = Math.ceil(context.count / 2)
    for (let record = 0; record < records; record += 1)
      await attackRecord(context, context.random.fork(`record ${record}`))
  },
}
