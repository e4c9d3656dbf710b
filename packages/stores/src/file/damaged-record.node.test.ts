/** Files that a disk or a copy has damaged: reading one never returns another value or no value. */
import { mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSeededRandom } from '@brokerwire/core/testing'
import { describe, expect, test } from 'vitest'
import { isStoresError } from '../index.ts'
import { freshPath } from '../test/directories.ts'
import { createFileStore } from './index.ts'
import { decodeRecord, encodeRecord, fileStem } from './record.ts'

const KEY = 'access-token/production/us/app-1'
/** A value like those in a store: a token's record, with unusual characters and a lone surrogate. */
const VALUE = JSON.stringify({
  format: 1,
  current: { token: '0123456789abcdef0123456789abcdef', expiresAtMs: 1_767_225_600_000 },
  note: '\u20ac \u{1f4c8} \ufffd \ud800 \u0000 "quoted" \\',
})

/** The result of reading: the value, or the code of the error. */
function readOf(bytes: Uint8Array): string {
  try {
    const { value } = decodeRecord('path', KEY, bytes)
    return value === VALUE ? 'as written' : 'another value'
  } catch (error) {
    return isStoresError(error) ? error.code : 'another error'
  }
}

type Random = () => number

/** Ways to damage a file. Each returns bytes that differ from the given ones. */
const DAMAGES: Readonly<Record<string, (bytes: Buffer, random: Random) => Buffer>> = {
  'flipped bits': (bytes, random) => {
    const damaged = Buffer.from(bytes)
    const flips = 1 + Math.floor(random() * 4)
    for (let flip = 0; flip < flips; flip += 1) {
      const at = Math.floor(random() * damaged.length)
      damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << Math.floor(random() * 8)), at)
    }
    return damaged
  },
  'cut off': (bytes, random) => bytes.subarray(0, Math.floor(random() * bytes.length)),
  'with something after it': (bytes, random) =>
    Buffer.concat([
      bytes,
      Buffer.from(Array.from({ length: 1 + random() * 8 }, () => Math.floor(random() * 256))),
    ]),
  'a block of zeros': (bytes, random) => {
    const damaged = Buffer.from(bytes)
    const at = Math.floor(random() * damaged.length)
    return damaged.fill(0, at, Math.min(damaged.length, at + 1 + Math.floor(random() * 64)))
  },
  'a part of it twice': (bytes, random) => {
    const at = Math.floor(random() * bytes.length)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.floor(random() * at))])
  },
}

describe('a damaged file', () => {
  const bytes = Buffer.from(encodeRecord(KEY, VALUE))

  test('is detected if any bit was flipped', () => {
    const outcomes = new Map<string, number>()
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const damaged = Buffer.from(bytes)
      damaged.writeUInt8(damaged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      const outcome = readOf(damaged)
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
    expect(readOf(bytes)).toBe('as written')
    expect(outcomes).toEqual(new Map([['STORE_CORRUPT', bytes.length * 8]]))
  })

  test('is detected if it was cut at any byte', () => {
    for (let length = 0; length < bytes.length; length += 1)
      expect(readOf(bytes.subarray(0, length))).toBe('STORE_CORRUPT')
  })

  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32))
  test.each(Object.entries(DAMAGES))(`is detected after random damage: %s (SEED=${seed})`, (_, damage) => {
    const random = createSeededRandom(seed)
    let damagedOnes = 0
    for (let round = 0; round < 2000; round += 1) {
      const damaged = damage(bytes, random)
      // Two flips of one bit, or a part that was copied to its own offset, change nothing.
      if (damaged.equals(bytes)) continue
      damagedOnes += 1
      expect({ seed, round, outcome: readOf(damaged) }).toEqual({ seed, round, outcome: 'STORE_CORRUPT' })
    }
    expect(damagedOnes).toBeGreaterThan(1000)
  })
})

test('an empty file counts as damaged, and a removed file as missing', async () => {
  const directory = await freshPath()
  await mkdir(directory, { mode: 0o700 })
  const path = join(directory, `${fileStem(KEY)}.json`)
  const store = createFileStore({ directory })
  await store.compareAndSet(KEY, undefined, VALUE)
  const whole = await readFile(path)
  await truncate(path)
  await expect(store.get(KEY)).rejects.toMatchObject({ code: 'STORE_CORRUPT' })
  await expect(store.compareAndSet(KEY, undefined, 'next')).rejects.toMatchObject({ code: 'STORE_CORRUPT' })
  await expect(store.compareAndSet(KEY, undefined, undefined)).rejects.toMatchObject({
    code: 'STORE_CORRUPT',
  })
  await writeFile(path, whole, { mode: 0o600 })
  expect(await store.get(KEY)).toBe(VALUE)
  await rm(path)
  expect(await store.get(KEY)).toBeUndefined()
})
