/**
 * The steps of the page for moving a service from files to Postgres. The test runs the program of the page.
 * The service needs no second factor again.
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
import { freshDirectory, runExample } from '../test/run-example.ts'
import { settingsOf } from '../test/settings-of.ts'

/** The program of the third step on the page. */
async function programOfThePage(): Promise<string> {
  const page = await readFile(join(EXAMPLES, '../docs/guides/stores-postgres.md'), 'utf8')
  const [, section = ''] = page.split('## From files to Postgres, without a new second factor')
  const [, block] = /```ts\n([\s\S]*?)```/.exec(section) ?? []
  if (block === undefined) throw new Error('the page has no program')
  return block.replace(/^ {3}/gm, '')
}

const { skip, note } = needs('postgresql')

describe.skipIf(skip)(`from files to Postgres${note}`, () => {
  test('the steps of the page move the token without a new create request', async () => {
    const [simulator, server] = await Promise.all([startSimulator(), startPostgres()])
    onTestFinished(async () => {
      await server.close()
      await simulator.close()
    })
    const home = await freshDirectory()
    const creates = (): number =>
      simulator.requests().filter(({ path }) => path === '/auth/tokens/create').length
    const settings = { ...settingsOf(simulator), POLL_INTERVAL_MS: '500' }

    // The old service: two processes, and a confirmed token in files.
    const files = { ...settings, BROKERWIRE_STORE: join(home, '.brokerwire'), PORT: '0' }
    const old = [1, 2].map(() => runExample('node-file-store/server.ts', files))
    await Promise.any(old.map((one) => one.line(/^enter the code in the app/)))
    simulator.approveSecondFactor()
    for (const one of old) await one.line(/^ready \d{4}-/)
    expect(creates()).toBe(1)

    // Step 2: stop the service.
    for (const one of old) one.stop()
    for (const one of old) expect(await one.ended).toBe(0)

    // Steps 1 and 3: the program creates the table and copies. A second run changes nothing.
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
    // A missing directory is an error, so that files are not deleted before they are copied.
    const elsewhere = join(home, 'elsewhere')
    await mkdir(elsewhere)
    expect(await copy(elsewhere, 1)).toBe('')
    // The token, and the window of the rate limiter.
    expect(await copy()).toBe('2 copied, 0 there before, 0 left: another text is there\n')
    expect(await copy()).toBe('0 copied, 2 there before, 0 left: another text is there\n')

    // Steps 4 and 5: start the processes with the new store, and delete the directory.
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
