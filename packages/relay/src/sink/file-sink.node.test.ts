import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryStore } from '@brokerwire/stores'
import { createFileStore } from '@brokerwire/stores/file'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bundleWriter } from '../test/bundle-writer.ts'
import { contractSuite } from '../test/contract-suite.ts'
import { entries, entry, keys } from '../test/entries.ts'
import type { SinkFixture } from '../testing/fixture.ts'
import { createFileSink } from './file-sink.ts'
import type { FileSinkOptions } from './file-sink-options.ts'

const ALL = { maxEntries: 10_000 }

/** Whether the test can mount a small disk: on Linux, as root, and not in most containers. */
function mayMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const made = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' })
  return made.status === 0
}

async function makePlace() {
  const directory = await mkdtemp(join(tmpdir(), 'brokerwire-sink-'))
  const store = createFileStore({ directory: join(directory, 'state') })
  const openSink = (options: Partial<FileSinkOptions> = {}) =>
    createFileSink({ directory: join(directory, 'events'), name: 'desk', store, ...options })
  return {
    directory,
    file: join(directory, 'events', 'desk.jsonl'),
    openSink,
    close: () => rm(directory, { recursive: true, force: true }),
  }
}

/** A stream for the contract. A lock lets one writer open the file, so there is no fencing. */
async function openFixture(): Promise<SinkFixture> {
  const { file, openSink, close } = await makePlace()
  const maxFileBytes = 1024 * 1024
  return {
    openSink: () => openSink({ maxFileBytes }),
    async truncate(sequence) {
      if (sequence === 0) return rm(file)
      const lines = (await readFile(file, 'utf8')).split('\n')
      await writeFile(file, `${lines.slice(0, sequence).join('\n')}\n`)
    },
    oversizedBytes: maxFileBytes,
    close,
  }
}

async function setUp() {
  const place = await makePlace()
  onTestFinished(() => place.close())
  return place
}

describe('a file sink', () => {
  contractSuite({ open: openFixture, fencing: false, restart: false })

  test('writes JSON lines to a file that only its owner can read', async () => {
    const { file, openSink } = await setUp()
    await using sink = openSink()
    await sink.tail(ALL)
    await sink.publish(entries(1, 2))
    const lines = (await readFile(file, 'utf8')).split('\n')
    expect(lines).toHaveLength(3)
    expect(JSON.parse(lines[1] ?? '')).toEqual({ sequence: 2, ...entry(2) })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o700)
  })

  test('adds the attributes of CloudEvents as headers if the option is set', async () => {
    const { file, openSink } = await setUp()
    await using sink = openSink({ cloudEvents: true })
    await sink.tail(ALL)
    await sink.publish([entry(1)])
    const { headers } = JSON.parse(await readFile(file, 'utf8'))
    expect(headers).toMatchObject({ ...entry(1).headers, 'ce-specversion': '1.0', 'ce-id': entry(1).key })
  })

  test('stores the body of an undecodable message as base64', async () => {
    const { openSink } = await setUp()
    const data = Uint8Array.of(0x1a, 1, 0xff)
    {
      await using sink = openSink()
      await sink.tail(ALL)
      await sink.publish([{ ...entry(1), body: '', data }])
    }
    await using sink = openSink()
    expect((await sink.tail(ALL)).entries).toEqual([{ ...entry(1), body: '', data, sequence: 1 }])
  })

  test('continues after the acknowledged messages, and removes a partial line', async () => {
    const { file, openSink } = await setUp()
    {
      await using sink = openSink()
      await sink.tail(ALL)
      await sink.publish(entries(1, 3))
    }
    const whole = await readFile(file, 'utf8')
    await appendFile(file, '{"sequence":4,"subject":"brokerwire.sand')
    await using sink = openSink()
    const tail = await sink.tail(ALL)
    expect(tail.sequence).toBe(3)
    expect(keys(tail.entries)).toEqual(keys(entries(1, 3)))
    expect(await readFile(file, 'utf8')).toBe(whole)
    await sink.publish([entry(4)])
    expect(keys((await sink.tail(ALL)).entries)).toEqual(keys(entries(1, 4)))
  })

  test('keeps a last line whose line end an editor removed', async () => {
    const { file, openSink } = await setUp()
    {
      await using sink = openSink()
      await sink.tail(ALL)
      await sink.publish(entries(1, 3))
    }
    const whole = await readFile(file, 'utf8')
    await writeFile(file, whole.trimEnd())
    await using sink = openSink()
    expect((await sink.tail(ALL)).sequence).toBe(3)
    await sink.publish(entries(4, 4))
    expect((await readFile(file, 'utf8')).startsWith(whole)).toBe(true)
  })

  test.each([
    'notes of a person, without an end',
    'notes of a person\n',
    'notes of a person\n{"sequence":4,"subj',
    `${JSON.stringify({ sequence: 1, subject: 'a', key: 'k', headers: {}, body: '' })}\nnotes`,
  ])('does not change a file of another program: %j', async (text) => {
    const { file, openSink } = await setUp()
    await mkdir(join(file, '..'), { recursive: true, mode: 0o700 })
    await writeFile(file, text)
    await using sink = openSink()
    await expect(sink.tail(ALL)).rejects.toMatchObject({ code: 'RELAY_SINK_MISCONFIGURED', retryable: false })
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  test('fails permanently if the path is not a directory, with the path in the message', async () => {
    const { directory, openSink } = await setUp()
    const place = join(directory, 'a-file')
    await writeFile(place, '')
    await using sink = openSink({ directory: place })
    const failed = sink.tail(ALL)
    await expect(failed).rejects.toMatchObject({ code: 'RELAY_SINK_MISCONFIGURED', retryable: false })
    await expect(failed).rejects.toThrow(place)
  })

  test('reads lines of any length from the end, across all chunk boundaries', async () => {
    const { openSink } = await setUp()
    await using sink = openSink()
    await sink.tail(ALL)
    const long = { ...entry(2), body: '\u{1f4c8}'.repeat(300_000) }
    await sink.publish([entry(1, 'FUNDING'), long, ...entries(3, 900)])
    const tail = await sink.tail({
      maxEntries: 3,
      lastOf: ['*.*.*.*.module.event.*.FUNDING', '*.*.*.*.module.event.*.APPLICATION'],
    })
    expect(keys(tail.entries)).toEqual(keys(entries(898, 900)))
    expect(keys(tail.lastOf.filter((one) => one !== undefined))).toEqual(
      keys([entry(1, 'FUNDING'), entry(900)]),
    )
    const all = await sink.tail(ALL)
    expect(all.entries.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 900 }, (_, at) => at + 1),
    )
    expect(all.entries[1]?.body).toBe(long.body)
  })

  test('lets one process write at a time, and the next one when it has ended', async () => {
    const { openSink } = await setUp()
    const first = openSink()
    await first.tail(ALL)
    await using second = openSink()
    await expect(second.tail(ALL)).rejects.toMatchObject({
      code: 'RELAY_SINK_UNAVAILABLE',
      details: { reason: 'another process has the lock of its file' },
    })
    await first.publish([entry(1)])
    await first.close()
    expect((await second.tail(ALL)).sequence).toBe(1)
  })

  test('stops when another program has written to its file, and rejects a file of another program', async () => {
    const { file, openSink } = await setUp()
    await using sink = openSink()
    await sink.tail(ALL)
    await sink.publish([entry(1)])
    await appendFile(file, 'by hand\n')
    await expect(sink.publish([entry(2)])).rejects.toMatchObject({ code: 'RELAY_FENCED' })
    await expect(sink.tail(ALL)).rejects.toMatchObject({
      code: 'RELAY_SINK_MISCONFIGURED',
      details: { setting: 'file', received: 'another line' },
    })
    await writeFile(file, '')
    expect((await sink.tail(ALL)).sequence).toBe(0)
  })

  test('leaves no file after a probe, and detects a deleted file', async () => {
    const { file, openSink } = await setUp()
    await using sink = openSink({ maxFileBytes: 2000, maxFiles: 3 })
    await sink.tail(ALL)
    await sink.publish([entry(1)])
    expect(await sink.probe?.()).toEqual({ maxBytes: 4000 })
    expect(await readdir(join(file, '..'))).toEqual(['desk.jsonl'])
    await rm(file)
    await expect(sink.probe?.()).rejects.toMatchObject({ code: 'RELAY_STREAM_TRUNCATED' })
    await expect(sink.publish([entry(2)])).rejects.toMatchObject({ code: 'RELAY_STREAM_TRUNCATED' })
  })

  test.skipIf(!mayMount())(
    'detects by a probe that the disk is full, and that it has space again',
    async () => {
      const { directory, openSink } = await setUp()
      const disk = join(directory, 'disk')
      await mkdir(disk)
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'none', disk])
      try {
        await using sink = openSink({ directory: disk })
        await sink.tail(ALL)
        await sink.publish([entry(1)])
        await sink.probe?.()
        const filler = join(disk, 'filler')
        await writeFile(filler, Buffer.alloc(256 * 1024)).catch(() => {})
        await expect(sink.probe?.()).rejects.toMatchObject({
          code: 'RELAY_SINK_UNAVAILABLE',
          details: { reason: 'ENOSPC' },
        })
        await rm(filler)
        await sink.probe?.()
      } finally {
        execFileSync('umount', ['-l', disk])
      }
    },
  )

  test('rotates a full file, deletes the oldest one, and reads the tail across files', async () => {
    const { file, openSink } = await setUp()
    const folder = join(file, '..')
    await using sink = openSink({ maxFileBytes: 2000, maxFiles: 3 })
    await sink.tail(ALL)
    await sink.publish([entry(1, 'FUNDING')])
    for (let number = 2; number <= 30; number += 1) await sink.publish([entry(number)])
    const names = (await readdir(folder)).sort()
    expect(names).toHaveLength(3)
    expect(names[2]).toBe('desk.jsonl')
    expect(names[0]).toMatch(/^desk\.\d{16}\.jsonl$/)
    for (const name of names) expect((await stat(join(folder, name))).size).toBeLessThan(3000)
    const lines = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
    const sequences = lines
      .join('')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { sequence: number }).sequence)
    expect(sequences).toEqual(Array.from({ length: sequences.length }, (_, at) => 31 - sequences.length + at))
    await sink.close()
    await using next = openSink({ maxFileBytes: 2000, maxFiles: 3 })
    const tail = await next.tail({
      maxEntries: 4,
      lastOf: ['*.*.*.*.module.event.*.APPLICATION', '*.*.*.*.module.event.*.FUNDING'],
    })
    expect(tail.sequence).toBe(30)
    expect(keys(tail.entries)).toEqual(keys(entries(27, 30)))
    expect(tail.lastOf.map((one) => one?.sequence)).toEqual([30, undefined])
    // As after SIGKILL during a rotation: the full file was renamed, and the new file does not exist.
    await next.close()
    await rename(file, join(folder, `desk.${'30'.padStart(16, '0')}.jsonl`))
    await using last = openSink()
    expect((await last.tail(ALL)).sequence).toBe(30)
    expect(await last.publish([entry(31)])).toEqual({ sequence: 31 })
  })

  test('continues in a new file if the rotation failed after the full file was renamed', async () => {
    const { file, openSink } = await setUp()
    const folder = join(file, '..')
    await using sink = openSink({ maxFileBytes: 1024, maxFiles: 2 })
    await sink.tail(ALL)
    await sink.publish(entries(1, 4))
    // The oldest file cannot be deleted.
    const oldest = join(folder, `desk.${'0'.repeat(16)}.jsonl`)
    await mkdir(oldest)
    await expect(sink.publish([entry(5)])).rejects.toMatchObject({ code: 'RELAY_SINK_UNAVAILABLE' })
    await rm(oldest, { recursive: true })
    expect(keys((await sink.tail(ALL)).entries)).toEqual(keys(entries(1, 4)))
    expect(await sink.publish([entry(5)])).toEqual({ sequence: 5 })
    expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(2)
  })

  test('writes gigabytes of waiting messages in parts, which one string could not hold', async () => {
    const { file, openSink } = await setUp()
    await using sink = openSink({ maxFileBytes: 1024 })
    await sink.tail(ALL)
    const long = (number: number) => ({ ...entry(number), body: 'x'.repeat(2 * 1024 * 1024) })
    // The first message is being written when the others arrive.
    const calls = [sink.publish([entry(1)])]
    for (let number = 2; number <= 7; number += 1) calls.push(sink.publish([long(number)]))
    expect((await Promise.all(calls)).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7])
    // A full file is rotated between two parts, never within one.
    const names = (await readdir(join(file, '..'))).sort()
    const lines = await Promise.all(
      names.map(async (name) => (await readFile(join(file, '..', name), 'utf8')).split('\n').length - 1),
    )
    expect(lines).toEqual([3, 2, 2])
    expect(keys((await sink.tail(ALL)).entries)).toEqual(keys(entries(1, 7)))
  })

  test('fences the writer when its lock was lost and cannot be released', async () => {
    const { openSink } = await setUp()
    const uncaught: unknown[] = []
    const onUncaught = (error: unknown): void => void uncaught.push(error)
    process.on('unhandledRejection', onUncaught)
    onTestFinished(() => void process.off('unhandledRejection', onUncaught))
    const lost = new AbortController()
    const store = createMemoryStore()
    let released = (): void => {}
    const asked = new Promise<void>((resolve) => {
      released = resolve
    })
    const lock = async () => ({
      lost: lost.signal,
      release: async () => {
        released()
        throw new Error('the store is away')
      },
    })
    await using sink = openSink({ store: { ...store, lock } })
    await sink.tail(ALL)
    lost.abort()
    await expect(sink.publish([entry(1)])).rejects.toMatchObject({ code: 'RELAY_FENCED' })
    await asked
    await new Promise((resolve) => setImmediate(resolve))
    expect(uncaught).toEqual([])
  })

  test('stops when its file was moved away', async () => {
    const { file, openSink } = await setUp()
    await using sink = openSink()
    await sink.tail(ALL)
    await sink.publish([entry(1)])
    await rm(file)
    await expect(sink.publish([entry(2)])).rejects.toMatchObject({
      code: 'RELAY_STREAM_TRUNCATED',
      details: { acknowledged: 1, sequence: 0 },
    })
  })

  test('loses and duplicates no acknowledged message when its process is killed again and again', async () => {
    const { directory, file, openSink } = await setUp()
    const program = join(directory, 'writer.mjs')
    await bundleWriter(program)
    let acknowledged = 0
    for (let life = 0; life < 8; life += 1) {
      const child = spawn(process.execPath, [program, directory, '40000'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = once(child, 'exit')
      let said = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        said += text
        // Each process is killed after another number of writes, in the middle of a write.
        if (said.split('\n').length > 3 + life * 7) child.kill('SIGKILL')
      })
      await ended
      acknowledged = Math.max(acknowledged, Number(said.trimEnd().split('\n').at(-1)))
      await appendFile(file, life % 2 === 0 ? '' : '{"sequence":99,"sub')
    }
    await using sink = openSink()
    const { sequence, entries: stored } = await sink.tail({ maxEntries: 1_000_000 })
    expect(acknowledged).toBeGreaterThan(100)
    expect(sequence).toBeGreaterThanOrEqual(acknowledged)
    expect(keys(stored)).toEqual(keys(entries(1, sequence)))
    expect(stored.map((one) => one.sequence)).toEqual(Array.from({ length: sequence }, (_, at) => at + 1))
  }, 180_000)

  test.skipIf(process.getuid?.() === 0)(
    'reports the error code of a directory that cannot be written',
    async () => {
      const { file, openSink } = await setUp()
      await using sink = openSink()
      await sink.tail(ALL)
      await sink.close()
      await chmod(file, 0o400)
      await using other = openSink()
      await expect(other.tail(ALL)).rejects.toMatchObject({ details: { reason: 'EACCES' } })
    },
  )
})
