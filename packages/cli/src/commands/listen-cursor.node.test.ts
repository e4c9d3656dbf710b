/** `brokerwire listen --cursor`: continues from a file, also after SIGKILL. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import { COMMAND } from '../test/command.ts'
import { run, runInBackground, SOON } from '../test/run.ts'
import { startService, temporaryStore } from '../test/service.ts'
import { temporaryFile } from '../test/temporary.ts'

const service = await startService('--interval', '5', '--rate-limit', 'off')
const quiet = await startService('--scenario', 'none', '--rate-limit', 'off')

describe('--cursor', () => {
  const COUNT = 20

  /** Positions that a listener prints until it is killed with SIGKILL. */
  async function listenUntilKilled(file: string, count: number): Promise<string[]> {
    const args = [COMMAND, 'listen', 'module', '--modules', 'funding', '--json', '--cursor', file]
    const child = spawn(process.execPath, args, { env: service.env, stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
    const ids: string[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      const { type, frame } = JSON.parse(line)
      if (type === 'event') ids.push(frame.id)
      if (ids.length === count) child.kill('SIGKILL')
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    return ids
  }

  test('continues after a kill without missing events, and repeats uncommitted ones', async () => {
    const file = join(temporaryStore(), '..', 'cursor.json')
    const first = await listenUntilKilled(file, COUNT)
    const second = await listenUntilKilled(file, COUNT)
    const at = first.indexOf(second[0] ?? '')
    // The second output starts within the first output, or directly after it.
    const both = Math.min(first.length - at, second.length)
    if (at >= 0) expect(second.slice(0, both)).toEqual(first.slice(at, at + both))
    const all = await service.run([
      'listen',
      'module',
      '--modules',
      'funding',
      '--json',
      '--cursor',
      file,
      '--count',
      '1',
    ])
    expect(
      all.out.some((line) => JSON.parse(line).kind === 'resumed' || JSON.parse(line).type === 'event'),
    ).toBe(true)
    expect(at >= 0 || second.length === COUNT).toBe(true)
  }, 60_000)

  /** Listens to two modules, and calls a function once they are subscribed. */
  async function listenQuietly(
    file: string,
    count: number,
    work: () => Promise<unknown>,
  ): Promise<unknown[]> {
    const args = ['listen', 'module', '--modules', 'funding,journal', '--json', '--cursor', file]
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const env = { ...quiet.env, BROKERWIRE_STORE: temporaryStore() }
    const { out, done } = runInBackground([...args, '--count', `${count}`], { env, signal: stop.signal })
    await expect.poll(() => out.some((line) => line.includes('"subscribed"')), SOON).toBe(true)
    await work()
    expect((await done).status).toBe(0)
    return out.map((line) => JSON.parse(line)).filter(({ kind }) => kind !== 'subscribed')
  }
  const emit = (module: 'funding' | 'journal') => quiet.control.emit({ module: { module } })

  test('commits the last event of --count, so that a later run starts after it', async () => {
    const file = join(temporaryStore(), '..', 'cursor.json')
    expect(await listenQuietly(file, 1, () => emit('funding'))).toMatchObject([
      { kind: 'gap', cause: 'before-subscription', eventTypes: ['FUNDING', 'JOURNAL'] },
      { type: 'event' },
    ])
    const missed = await emit('funding')
    const [gap, ...events] = await listenQuietly(file, 1, async () => {})
    expect(gap).toMatchObject({ kind: 'gap', cause: 'restart', eventTypes: ['JOURNAL'] })
    expect(events).toMatchObject([{ frame: { id: (missed as { readonly id: string }).id } }])
  }, 60_000)

  test('reports a gap for an event type without an event before the stop, because it has no position', async () => {
    const file = join(temporaryStore(), '..', 'cursor.json')
    await listenQuietly(file, 1, () => emit('funding'))
    await emit('journal')
    const items = await listenQuietly(file, 1, () => emit('funding'))
    expect(items[0]).toMatchObject({
      kind: 'gap',
      cause: 'restart',
      eventTypes: ['JOURNAL'],
      fromMs: expect.any(Number),
    })
    expect(items.at(-1)).toMatchObject({ frame: { eventType: 'FUNDING' } })
  }, 60_000)

  test('makes a second listener wait, which then continues from the cursor of the first one', async () => {
    const file = join(temporaryStore(), '..', 'cursor.json')
    const args = ['listen', 'module', '--modules', 'funding', '--json', '--cursor', file, '--count', '1']
    const env = () => ({ ...quiet.env, BROKERWIRE_STORE: temporaryStore() })
    const first = runInBackground(args, { env: env() })
    await expect.poll(() => first.out.join(), SOON).toContain('"subscribed"')
    const second = runInBackground(args, { env: env() })
    const line = `${file}: another listener uses this file; waiting until it ends`
    await expect.poll(() => second.err, SOON).toEqual([line])
    const late = await run([...args, '--timeout', '1s'], { env: env() })
    expect({ status: late.status, lastErr: late.err.at(-1) }).toEqual({
      status: 75,
      lastErr: expect.stringMatching(/^CLI_TIMED_OUT: 1 of 1/),
    })
    const stop = new AbortController()
    const stopped = runInBackground(args, { env: env(), signal: stop.signal })
    await expect.poll(() => stopped.err, SOON).toEqual([line])
    stop.abort('SIGINT')
    expect((await stopped.done).status).toBe(130)
    const one = await emit('funding')
    expect((await first.done).status).toBe(0)
    await expect.poll(() => second.out.length, SOON).toBeGreaterThan(0)
    const other = await emit('funding')
    expect((await second.done).status).toBe(0)
    const idOf = ({ out }: { readonly out: readonly string[] }) => JSON.parse(out.at(-1) ?? '{}').frame.id
    expect([idOf(first), idOf(second)]).toEqual([one, other].map((event) => (event as { id: string }).id))
    expect(existsSync(`${file}.lock`)).toBe(false)
  }, 60_000)

  test('rejects a missing directory, and creates nothing', async () => {
    const folder = join(temporaryStore(), '..', 'missing')
    const { status, err } = await service.run(['listen', 'module', '--cursor', join(folder, 'cursor.json')])
    expect({ status, err: err.join() }).toEqual({
      status: 2,
      err: expect.stringMatching(/cannot be written: ENOENT/),
    })
    expect(existsSync(folder)).toBe(false)
  })

  test('rejects a file with other content, and leaves it unchanged', async () => {
    const file = await temporaryFile('cursor.json', '{"mine":1}')
    const { status, err } = await service.run(['listen', 'module', '--cursor', file])
    expect({ status, err: err.join() }).toEqual({
      status: 2,
      err: expect.stringContaining('CLI_INPUT_UNREADABLE'),
    })
    expect(await readFile(file, 'utf8')).toBe('{"mine":1}')
  })
})
