/**
 * State files that are truncated, duplicated, reordered, corrupted or from other programs. The simulator
 * accepts them, or rejects them with line and reason and leaves them unchanged. Cases are random, and a
 * failure prints its seed.
 */
import { mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openModuleStream, sendSigned, take } from '@brokerwire/testing/signed-client'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { isSimulatorError, startSimulator } from './index.ts'

const MIB = 1024 * 1024
const isFullRun = inject('isFullRun')
/** The short set runs a tenth of the generated cases. */
const runs = (full: number) => ({ numRuns: isFullRun ? full : full / 10 })
let folder = ''
let stateFile = ''
/** Content of a state file that contains every kind of record. */
let left = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'brokerwire-state-'))
  stateFile = join(folder, 'state.jsonl')
  await using sim = await startSimulator({ stateFile, environment: 'sandbox' })
  const { json } = await sendSigned(sim, { path: '/auth/tokens/create', json: {} })
  await sendSigned(sim, { path: '/auth/client-tokens/create', json: { client_user_id: 'u' } })
  await sendSigned(sim, {
    path: '/openapi/simulator/echo',
    headers: { 'x-access-token': String(json.token) },
  })
  sim.emitOrder()
  sim.emitPosition()
  sim.emitModule({ module: 'journal' })
  await sim.advance(1000)
  await sim.close()
  left = await readFile(stateFile, 'utf8')
})
afterAll(() => rm(folder, { recursive: true }))

/**
 * Starts a simulator with this state file, and checks that it works.
 *
 * @returns The reason if the file is rejected.
 */
async function startOn(content: string | Uint8Array): Promise<string | undefined> {
  await writeFile(stateFile, content, { mode: 0o600 })
  let sim: Awaited<ReturnType<typeof startSimulator>>
  try {
    sim = await startSimulator({ stateFile, environment: 'sandbox' })
  } catch (error) {
    if (!isSimulatorError(error, 'SIMULATOR_STATE_INVALID')) throw error
    expect(Buffer.compare(await readFile(stateFile), Buffer.from(content))).toBe(0)
    expect(error.details).toMatchObject({ path: stateFile, line: expect.any(Number) })
    return error.details.reason
  }
  await using _ = sim
  const { status } = await sendSigned(sim, { path: '/auth/tokens/create', json: {} })
  expect([200, 429]).toContain(status)
  const state = JSON.stringify(sim.state())
  expect(state).not.toMatch(/null|NaN/)
  const sent = sim.emitModule({ module: 'journal' })
  // The simulator rejects cursors of another event type.
  const before = sim.moduleEvents().filter(({ eventType }) => eventType === 'JOURNAL')
  const stream = await openModuleStream(sim, {
    events: [{ eventType: 'JOURNAL', position: before.at(-2)?.position ?? '' }],
  })
  await take(stream, 1)
  stream.abort.abort()
  expect(sim.moduleEvents().at(-1)).toEqual(sent)
  await sim.advance(0)
  return undefined
}

/** Each test starts dozens of simulators, which is slow on a busy machine. */
vi.setConfig({ testTimeout: 120_000 })

describe('a state file', () => {
  it('is accepted unchanged', async () => {
    expect(await startOn(left)).toBeUndefined()
  })

  it.each([
    ['text without a line break', 'secret key of another program'],
    ['JSON without a line break', '{"kind":"simulator","version":1,"seed":1}'],
    ['bytes', new Uint8Array([0, 255, 128, 7])],
    ['lines of another program', '{"level":"info"}\n{"level":"warn"}\n'],
    ['only a line break', '\n'],
  ])('of another program is rejected and stays unchanged: %s', async (_, content) => {
    expect(await startOn(content)).toBeDefined()
  })

  it('is rejected if its content is duplicated: every event would exist twice', async () => {
    expect(await startOn(left + left)).toContain('simulator')
  })

  it('is rejected without its clock or an app: keys and times would change', async () => {
    const lines = left.trimEnd().split('\n')
    const without = (kind: string) => lines.filter((line) => JSON.parse(line).kind !== kind).join('\n')
    expect(JSON.parse(lines[1] ?? '').kind).toBe('clock')
    expect(await startOn(`${without('clock')}\n`)).toBe("kind must be 'clock' in the second line")
    expect(await startOn(`${without('app')}\n`)).toBe('app must be named in an earlier line')
  })

  // These two tests write files of half a gigabyte.
  it.runIf(isFullRun)('with a line longer than the longest string is rejected', async () => {
    const file = await open(stateFile, 'w', 0o600)
    await file.truncate(600 * MIB)
    await file.close()
    await expect(startSimulator({ stateFile })).rejects.toMatchObject({
      code: 'SIMULATOR_STATE_INVALID',
      details: { line: 1, reason: 'it is longer than 536870848 bytes' },
    })
    await rm(stateFile)
  })

  it.runIf(isFullRun)(
    'larger than the longest string is accepted, because the simulator wrote it',
    async () => {
      const file = await open(stateFile, 'w', 0o600)
      await file.write(left)
      const clock = Buffer.alloc(16 * MIB, ' ')
      clock.write('{"kind":"clock","offsetMs":86400000')
      clock.write('}\n', clock.length - 2)
      for (let mebibytes = 0; mebibytes <= 512; mebibytes += 16) await file.write(clock)
      await file.close()
      await using sim = await startSimulator({ stateFile, environment: 'sandbox' })
      expect(sim.moduleEvents()).toHaveLength(1)
      expect(sim.clock.now() - Date.now()).toBeGreaterThan(86_000_000)
      // The file was compacted: it contains only live records.
      expect((await stat(stateFile)).size).toBeLessThan(MIB)
    },
  )

  it('is accepted or rejected if it is truncated anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(left.length), fc.nat(left.length), async (one, other) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)]
        await startOn(left.slice(0, to))
        await startOn(left.slice(from))
        await startOn(left.slice(0, from) + left.slice(to))
      }),
      runs(20),
    )
  })

  it('is accepted or rejected if lines are reordered, removed or repeated', async () => {
    const lines = left.trimEnd().split('\n')
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(lines.length - 1), { maxLength: 30 }), async (picks) => {
        await startOn(picks.map((pick) => `${lines[pick]}\n`).join(''))
        await startOn([lines[0], ...picks.map((pick) => lines[pick])].map((line) => `${line}\n`).join(''))
      }),
      runs(40),
    )
  })

  it('is accepted or rejected if any value is replaced', async () => {
    const lines = left
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    const odd = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom(-1, 0, 0.5, 1e308, 2 ** 53, 2 ** 31, '', 'a', true, null, [], {}),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.nat(lines.length - 1),
        fc.nat(20),
        odd,
        fc.boolean(),
        async (at, place, by, drops) => {
          const copy = structuredClone(lines)
          const spots: [Record<string, unknown>, string][] = []
          const walk = (holder: Record<string, unknown>): void => {
            for (const [key, value] of Object.entries(holder)) {
              spots.push([holder, key])
              if (typeof value === 'object' && value !== null) walk(value as Record<string, unknown>)
            }
          }
          walk(copy[at] as Record<string, unknown>)
          const [holder, key] = spots[place % spots.length] as [Record<string, unknown>, string]
          if (drops) delete holder[key]
          else holder[key] = by
          const text = copy.map((line) => `${JSON.stringify(line)}\n`).join('')
          await startOn(text).catch((error: unknown) => {
            throw new Error(`${JSON.stringify(copy[at])}: ${String(error)}`, { cause: error })
          })
        },
      ),
      runs(60),
    )
  })
})
