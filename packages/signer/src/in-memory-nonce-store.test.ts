/**
 * The nonce store in memory: compared with a model that stores everything, at its limits, and with clocks
 * that are set back.
 */
import {
  createInMemoryNonceStore,
  createSigner,
  createVerifier,
  type InMemoryNonceStore,
} from '@brokerwire/signer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const MINUTE_MS = 60_000
const NOW = Date.parse('2026-03-01T12:00:00Z')

const remember = (
  memory: InMemoryNonceStore,
  appKey: string,
  nonce: string,
  expiresAtMs: number,
  nowMs: number,
): string => memory.remember({ key: `${appKey} ${nonce}`, appKey, nonce, expiresAtMs, nowMs })

describe('a stored nonce', () => {
  it('is seen until it expires, and dropped at most a minute later', () => {
    const memory = createInMemoryNonceStore()
    const expiresAtMs = NOW + 6 * MINUTE_MS
    expect(remember(memory, 'key', 'a', expiresAtMs, NOW)).toBe('new')
    expect(remember(memory, 'key', 'a', expiresAtMs, NOW)).toBe('seen')
    expect(remember(memory, 'key', 'a', expiresAtMs, expiresAtMs)).toBe('seen')
    const later = expiresAtMs + MINUTE_MS + 1
    expect(remember(memory, 'key', 'a', later + 6 * MINUTE_MS, later)).toBe('new')
  })

  it('belongs to one app key, whatever the lengths of app key and nonce', () => {
    const memory = createInMemoryNonceStore()
    for (const [appKey, nonce] of [
      ['ab', 'c'],
      ['a', 'bc'],
      ['', 'abc'],
      ['abc', ''],
      ['a', 'b'],
      ['b', 'a'],
      ['a', 'b\0'],
      ['é', '\ue900'],
      ['\u{1f600}', '\ude00\ud83d'],
    ] as const) {
      expect(remember(memory, appKey, nonce, NOW + 1, NOW)).toBe('new')
      expect(remember(memory, appKey, nonce, NOW + 1, NOW)).toBe('seen')
    }
  })

  it('is also seen with another timestamp, near or far', () => {
    const memory = createInMemoryNonceStore()
    expect(remember(memory, 'key', 'a', NOW + 2 * MINUTE_MS, NOW)).toBe('new')
    for (const minutes of [1, 2, 3, 11, 500]) {
      expect(remember(memory, 'key', 'a', NOW + minutes * MINUTE_MS, NOW)).toBe('seen')
    }
  })

  it('is seen exactly if a model that keeps everything has it', () => {
    const step = fc.record({
      appKey: fc.constantFrom('one', 'two', 'three'),
      nonce: fc.integer({ min: 0, max: 40 }).map((n) => n.toString(16).padStart(32, '0')),
      lifeMs: fc.integer({ min: 0, max: 11 * MINUTE_MS }),
      passMs: fc.integer({ min: 0, max: 2 * MINUTE_MS }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const memory = createInMemoryNonceStore()
        const model = new Map<string, number>()
        let nowMs = NOW
        for (const { appKey, nonce, lifeMs, passMs } of steps) {
          nowMs += passMs
          const expiresAtMs = nowMs + MINUTE_MS + lifeMs
          const known = model.get(`${appKey} ${nonce}`)
          const verdict = remember(memory, appKey, nonce, expiresAtMs, nowMs)
          if (known === undefined || known + MINUTE_MS < nowMs) expect(verdict).toBe('new')
          else if (known >= nowMs) expect(verdict).toBe('seen')
          if (verdict === 'new') model.set(`${appKey} ${nonce}`, expiresAtMs)
        }
      }),
    )
  })

  it('is never confused with another one, among many of any format', () => {
    const memory = createInMemoryNonceStore({ maxEntriesPerKey: 100_000 })
    const forms = [
      (i: number) => i.toString(16).padStart(32, '0'),
      (i: number) => String(i),
      (i: number) => `${'x'.repeat(i % 300)}${i}`,
    ]
    for (const form of forms) {
      for (let i = 0; i < 5000; i += 1) {
        const nonce = `${forms.indexOf(form)}${form(i)}`
        expect(remember(memory, 'key', nonce, NOW + i, NOW)).toBe('new')
        expect(remember(memory, 'key', nonce, NOW + i, NOW)).toBe('seen')
      }
    }
  })

  it('needs few buckets for a long window', () => {
    const memory = createInMemoryNonceStore()
    const day = 24 * 60 * MINUTE_MS
    for (let i = 0; i < 2000; i += 1) {
      const expiresAtMs = NOW + Math.floor((i / 2000) * 2 * day)
      expect(remember(memory, 'key', `${i}`, expiresAtMs, NOW)).toBe('new')
    }
    // Each bucket takes 576 bytes before it grows. With one bucket per minute there would be 2,880.
    expect(memory.bytes).toBeLessThan(2880 * 100)
  })

  it('needs few buckets if the clock is set back again and again', () => {
    const memory = createInMemoryNonceStore()
    for (let i = 0; i < 5000; i += 1) {
      const nowMs = NOW - i * MINUTE_MS
      expect(remember(memory, 'key', `${i}`, nowMs + 6 * MINUTE_MS, nowMs)).toBe('new')
      expect(remember(memory, 'key', `${i}`, nowMs + 6 * MINUTE_MS, nowMs)).toBe('seen')
    }
    expect(memory.bytes).toBeLessThan(5000 * 90)
  })
})

describe('limits', () => {
  it('reject only the app key that has reached its limit', async () => {
    const secrets: Record<string, string> = { greedy: 'a secret', modest: 'another secret' }
    let time = NOW
    const now = () => time
    const verifier = createVerifier({
      secretFor: (key) => secrets[key],
      now,
      nonces: createInMemoryNonceStore({ maxEntriesPerKey: 20 }),
    })
    const request = async (appKey: string) => {
      const signer = createSigner({ appKey, appSecret: secrets[appKey] ?? '', now })
      const { headers } = await signer.sign({ host: 'h.example', path: '/' })
      return verifier.verify({ host: 'h.example', target: '/', headers })
    }
    for (let i = 0; i < 20; i += 1) expect(await request('greedy')).toMatchObject({ ok: true })
    expect(await request('greedy')).toMatchObject({ rule: 'nonce-store-full' })
    expect(await request('modest')).toMatchObject({ ok: true })
    time += 7 * MINUTE_MS + 1
    expect(await request('greedy')).toMatchObject({ ok: true })
  })

  it('do not make the store forget nonces', () => {
    const memory = createInMemoryNonceStore({ maxEntriesPerKey: 2 })
    expect(remember(memory, 'key', 'a', NOW + 10, NOW)).toBe('new')
    expect(remember(memory, 'key', 'b', NOW + 2 * MINUTE_MS, NOW)).toBe('new')
    expect(remember(memory, 'key', 'c', NOW + 10, NOW)).toBe('capacity-exceeded')
    expect(remember(memory, 'key', 'a', NOW + 10, NOW)).toBe('seen')
    expect(remember(memory, 'other', 'a', NOW + 10, NOW)).toBe('new')
    expect(remember(memory, 'key', 'c', NOW + 3 * MINUTE_MS, NOW + MINUTE_MS + 1)).toBe('new')
  })

  it.each([10_000, 1])('keep the memory below maxBytes, with %i nonces of each app key', (perKey) => {
    const maxBytes = 65_536
    const memory = createInMemoryNonceStore({ maxBytes, maxEntriesPerKey: perKey })
    let held = 0
    let verdict = 'new'
    while (verdict === 'new') {
      verdict = remember(memory, `key-${Math.floor(held / perKey)}`, `${held}`, NOW + held, NOW)
      expect(memory.bytes).toBeLessThanOrEqual(maxBytes)
      held += 1
    }
    expect(verdict).toBe('capacity-exceeded')
    // Hash sets double their size: in the worst case half of the bytes is unused, and each nonce takes 90
    // bytes.
    expect(held).toBeGreaterThan(maxBytes / 180)
    expect(remember(memory, 'key-0', '0', NOW, NOW)).toBe('seen')
    expect(remember(memory, 'key-0', 'new', NOW + 9 * MINUTE_MS, NOW + 8 * MINUTE_MS)).toBe('new')
    expect(memory.bytes).toBeLessThan(1024)
  })

  it('allow at most 90 bytes for each nonce, even if each has another app key', () => {
    const memory = createInMemoryNonceStore()
    for (let i = 1; i <= 30_000; i += 1) {
      remember(memory, `key-${i}`, `${i}`, NOW + 1, NOW)
      if (i > 16) expect(memory.bytes / i).toBeLessThanOrEqual(90)
    }
  })

  it('need no random values before the first nonce', () => {
    const { getRandomValues } = globalThis.crypto
    globalThis.crypto.getRandomValues = () => {
      throw new Error('not in the global scope')
    }
    try {
      createVerifier({ secretFor: () => undefined })
      createInMemoryNonceStore()
    } finally {
      globalThis.crypto.getRandomValues = getRandomValues
    }
  })
})

describe('clocks that jump', () => {
  it('do not make a dropped nonce new again', () => {
    const memory = createInMemoryNonceStore()
    expect(remember(memory, 'key', 'old', NOW + 6 * MINUTE_MS, NOW)).toBe('new')
    // With a clock that is an hour ahead all nonces have expired, and another request is received.
    const ahead = NOW + 60 * MINUTE_MS
    expect(remember(memory, 'key', 'during', ahead + 6 * MINUTE_MS, ahead)).toBe('new')
    expect(remember(memory, 'key', 'old', NOW + 6 * MINUTE_MS, NOW + MINUTE_MS)).toBe('seen')
    expect(remember(memory, 'key', 'during', ahead + 6 * MINUTE_MS, NOW + MINUTE_MS)).toBe('seen')
    // Requests that were signed later are accepted.
    expect(remember(memory, 'key', 'next', NOW + 7 * MINUTE_MS, NOW + MINUTE_MS)).toBe('new')
  })

  it('never make a nonce new twice', () => {
    const step = fc.record({
      nonce: fc.integer({ min: 0, max: 30 }).map(String),
      nowMs: fc.integer({ min: 0, max: 120 * MINUTE_MS }),
      lifeMs: fc.integer({ min: 0, max: 11 * MINUTE_MS }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const memory = createInMemoryNonceStore()
        const expiries = new Map<string, number>()
        for (const { nonce, nowMs, lifeMs } of steps) {
          const known = expiries.get(nonce)
          // The same request again, or a new one if there is none.
          const expiresAtMs = known ?? NOW + nowMs + lifeMs
          const verdict = remember(memory, 'key', nonce, expiresAtMs, NOW + nowMs)
          if (known !== undefined && verdict === 'new') throw new Error(`${nonce} was taken twice`)
          if (verdict === 'new') expiries.set(nonce, expiresAtMs)
        }
      }),
    )
  })

  it('do not make a verifier accept a request twice', async () => {
    let time = NOW
    const now = () => time
    const verifier = createVerifier({ secretFor: () => 'a secret', now })
    const signed = async (): Promise<Parameters<typeof verifier.verify>[0]> => {
      const { headers } = await createSigner({ appKey: 'key', appSecret: 'a secret', now }).sign({
        host: 'h.example',
        path: '/',
      })
      return { host: 'h.example', target: '/', headers }
    }
    const captured = await signed()
    expect(await verifier.verify(captured)).toMatchObject({ ok: true })
    time = NOW + 60 * MINUTE_MS
    expect(await verifier.verify(await signed())).toMatchObject({ ok: true })
    time = NOW + 2000
    expect(await verifier.verify(captured)).toMatchObject({ rule: 'replay' })
    expect(await verifier.verify(await signed())).toMatchObject({ ok: true })
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('must not return %d', (wrong) => {
    const memory = createInMemoryNonceStore()
    for (const [expiresAtMs, nowMs] of [
      [wrong, NOW],
      [NOW, wrong],
    ] as const) {
      expect(() => remember(memory, 'key', 'a', expiresAtMs, nowMs)).toThrow('expiresAtMs, nowMs')
    }
  })
})
