/**
 * `pnpm bench:nonces`: what the verifier's memory of nonces takes, in bytes for each nonce and in time for each call,
 * empty and full. Needs `--expose-gc`, so that the heap can be read twice.
 */
import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { createNonceMemory, type NonceMemory } from '@brokerwire/signer'
import { median } from '../figures.ts'

const WINDOW_MS = 300_000
const LIFE_MS = WINDOW_MS + 60_000
const START_MS = Date.parse('2026-03-01T12:00:00Z')
const ROUNDS = 7

const collect = (globalThis as { readonly gc?: () => void }).gc
if (collect === undefined) throw new Error('run it with: node --expose-gc')

/** Heap and typed arrays, after everything was collected that nobody holds. */
function heldBytes(): number {
  for (let i = 0; i < 4; i += 1) collect?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Nonces as signers draw them: 32 hex characters. */
const hexes = (count: number): readonly string[] => {
  const all = randomBytes(count * 16).toString('hex')
  return Array.from({ length: count }, (_, i) => all.slice(i * 32, i * 32 + 32))
}

function fill(memory: NonceMemory, keys: number, perKey: number): void {
  const total = keys * perKey
  for (const [i, nonce] of hexes(total).entries()) {
    const appKey = `app-key-${i % keys}`
    // Spread over one window, as traffic is.
    const nowMs = START_MS + Math.floor((i / total) * WINDOW_MS)
    const verdict = memory.remember({ key: '', appKey, nonce, expiresAtMs: nowMs + LIFE_MS, nowMs })
    if (verdict !== 'new') throw new Error(`the memory says ${verdict}`)
  }
}

/** Bytes for each nonce: of the process, and as the memory itself counts. */
function measureBytes(keys: number, perKey: number): { process: number; own: number } {
  const memory = createNonceMemory({ maxEntriesPerKey: perKey, maxBytes: 268_435_456 })
  const before = heldBytes()
  fill(memory, keys, perKey)
  const held = heldBytes() - before
  return { process: held / (keys * perKey), own: memory.bytes / (keys * perKey) }
}

/** Microseconds per call of `count` requests of one key, from a moment on. */
function timeCalls(memory: NonceMemory, appKey: string, fromMs: number, count: number): number {
  const nonces = hexes(count)
  const start = performance.now()
  for (const [i, nonce] of nonces.entries()) {
    // 20 a second: as many expire as come.
    const nowMs = fromMs + i * 50
    memory.remember({ key: '', appKey, nonce, expiresAtMs: nowMs + LIFE_MS, nowMs })
  }
  return ((performance.now() - start) * 1000) / count
}

console.log('bytes for each nonce        process   as it counts')
for (const [keys, perKey] of [
  [1, 10_000],
  [10, 10_000],
  [100, 1000],
  [100_000, 1],
] as const) {
  const { process: held, own } = measureBytes(keys, perKey)
  const name = `${keys} keys with ${perKey}`
  console.log(`${name.padEnd(26)}${held.toFixed(1).padStart(9)}${own.toFixed(1).padStart(15)}`)
}

const rounds = {
  empty: [] as number[],
  full: [] as number[],
  refused: [] as number[],
  expiring: [] as number[],
}
for (let round = 0; round < ROUNDS; round += 1) {
  const endMs = START_MS + WINDOW_MS
  rounds.empty.push(timeCalls(createNonceMemory(), 'another key', endMs, 5000))
  const memory = createNonceMemory()
  fill(memory, 10, 10_000)
  rounds.full.push(timeCalls(memory, 'another key', endMs, 5000))
  const refusing = createNonceMemory()
  fill(refusing, 10, 10_000)
  rounds.refused.push(timeCalls(refusing, 'app-key-1', endMs, 1000))
  const expiring = createNonceMemory()
  fill(expiring, 10, 10_000)
  rounds.expiring.push(timeCalls(expiring, 'app-key-1', endMs + LIFE_MS - WINDOW_MS, 5000))
}
console.log('\nmicroseconds per call')
for (const [name, values] of Object.entries(rounds)) {
  console.log(`${name.padEnd(26)}${median(values).toFixed(2).padStart(9)}`)
}
