/**
 * A running service moves from files to Postgres as the page says, step by step: the page's own program is run, and nobody
 * is asked for a second factor again.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { startSimulator } from '@brokerwire/simulator'
import { asModule } from '@brokerwire/testing/bundle-program'
import { needs } from '@brokerwire/testing/installed'
import { startPostgres } from '@brokerwire/testing/postgres'
import { build } from 'esbuild'
import { describe, expect, onTestFinished, test } from 'vitest'
import { EXAMPLES } from '../test/bundle-programs.ts'
import { freshDirectory, runExample, settingsOf } from '../test/run-example.ts'

/** The program under the page's third step. */
async function programOfThePage(): Promise<string> {
  const page = await readFile(join(EXAMPLES, '../docs/stores-postgres.md'), 'utf8')
  const [, section = ''] = page.split('## From files to Postgres, without a new second factor')
  const [, block] = /```ts\n([\s\S]*?)```/.exec(section) ?? []
  if (block === undefined) throw new Error('the page has no program')
  return block.replace(/^ {3}/gm, '')
}

const { skip, note } = needs('postgresql')

describe.skipIf(skip)(`from files to Postgres${note}`, () => {
  test('the page, step by step: old service, copy, switch, and no create', async () => {
    const [simulator, server] = await Promise.all([startSimulator(), startPostgres()])
    onTestFinished(async () => {
      await server.close()
      await simulator.close()
    })
    const home = await freshDirectory()
    const creates = (): number =>
      simulator.requests().filter(({ path }) => path === '/auth/tokens/create').length
    const settings = { ...settingsOf(simulator), POLL_INTERVAL_MS: '500' }

    // The service as it was: two processes, a token in files, which a person confirmed.
    const files = { ...settings, BROKERWIRE_STORE: join(home, '.brokerwire'), PORT: '0' }
    const old = [1, 2].map(() => runExample('node-file-store/server.ts', files))
    await Promise.any(old.map((one) => one.line(/^enter the code in the app/)))
    simulator.approveSecondFactor()
    for (const one of old) await one.line(/^ready \d{4}-/)
    expect(creates()).toBe(1)

    // Step 2: it is stopped.
    for (const one of old) one.stop()
    for (const one of old) expect(await one.ended).toBe(0)

    // Steps 1 and 3: the page's program makes the table and copies. Again, it changes nothing.
    const outfile = join(home, 'copy.mjs')
    const stdin = { contents: await programOfThePage(), resolveDir: EXAMPLES, loader: 'ts' as const }
    await build({ ...asModule, stdin, outfile })
    const copy = async (cwd = home, status = 0): Promise<string> => {
      const env = { PATH: process.env.PATH ?? '', DATABASE_URL: server.url }
      const child = spawn(process.execPath, [outfile], {
        cwd,
        env,
        stdio: ['ignore', 'pipe', status === 0 ? 'inherit' : 'ignore'],
      })
      let said = ''
      child.stdout.on('data', (bytes: Buffer) => {
        said += bytes.toString()
      })
      expect(await once(child, 'close')).toEqual([status, null])
      return said
    }
    // Where there is no such directory it says so, before anybody removes what was not copied.
    const elsewhere = join(home, 'elsewhere')
    await mkdir(elsewhere)
    expect(await copy(elsewhere, 1)).toBe('')
    // The token, and the limiter's window.
    expect(await copy()).toBe('2 copied, 0 there before, 0 left: another text is there\n')
    expect(await copy()).toBe('0 copied, 2 there before, 0 left: another text is there\n')

    // Steps 4 and 5: the processes start with the other store, and the directory goes.
    await rm(files.BROKERWIRE_STORE, { recursive: true })
    const moved = [1, 2].map(() =>
      runExample('postgres-store/service.ts', { ...settings, DATABASE_URL: server.url }),
    )
    for (const one of moved) {
      expect(await one.ended).toBe(0)
      expect(one.lines).toEqual([expect.stringMatching(/^ready until \d{4}-/), 'status 200'])
    }
    expect(creates()).toBe(1)
    await expect(stat(files.BROKERWIRE_STORE)).rejects.toMatchObject({ code: 'ENOENT' })
  }, 120_000)
})
