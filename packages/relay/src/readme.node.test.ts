/** The documents. The full run starts the program of the README unchanged: it relays events, and SIGTERM ends it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Secret } from '@brokerwire/core'
import { startSimulator } from '@brokerwire/simulator'
import { expect, inject, onTestFinished, test } from 'vitest'
import { parseRelayConfig } from './config/parse-config.ts'
import { checkRelay } from './relay/start-relay.ts'
import { appOf } from './test/config.ts'
import { RELAYED_NOTICES } from './wire/notices.ts'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))

test.runIf(inject('isFullRun'))(
  'the program of the README relays into files, and ends on SIGTERM',
  async () => {
    const page = await readFile(join(PACKAGE, 'README.md'), 'utf8')
    const [, program = ''] = /## Example\n\n<!--.*-->\n\n```ts\n([\s\S]*?)```/.exec(page) ?? []
    expect(program).toContain('serveHealth')
    const simulator = await startSimulator({ environment: 'sandbox' })
    onTestFinished(() => simulator.close())
    const folder = await mkdtemp(join(tmpdir(), 'brokerwire-relay-readme-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const { appKey, appSecret } = simulator.credentials
    const app = appOf(simulator, { modules: ['funding', 'application'] })
    await writeFile(join(folder, 'relay.json'), JSON.stringify({ apps: [app], health: { port: 0 } }))
    // It imports this package, and its files are in the folder.
    const source = `process.chdir(${JSON.stringify(folder)})\n${program}`
    const child = spawn(
      process.execPath,
      ['--conditions=@brokerwire/source', '--import', 'tsx', '--input-type=module', '-e', source],
      {
        cwd: PACKAGE,
        stdio: ['ignore', 'inherit', 'inherit'],
        env: { ...process.env, APP_KEY: appKey, APP_SECRET: appSecret.reveal() },
      },
    )
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = once(child, 'exit')
    await simulator.waitForSubscriptions({ service: 'module', timeoutMs: 60_000 })
    simulator.emitModule({ module: 'funding' })
    const events = join(folder, 'events', 'brokerwire_sandbox_us_team-a.jsonl')
    await expect.poll(() => readFile(events, 'utf8').catch(() => '')).toContain('"Brokerwire-Type":"event"')
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  },
)

test('the configuration of the README is accepted', async () => {
  const page = await readFile(join(PACKAGE, 'README.md'), 'utf8')
  const [, text = ''] = /## Example\n[\s\S]*?```json\n([\s\S]*?)```/.exec(page) ?? []
  const config = parseRelayConfig(text)
  expect(config.apps[0]?.subscriptions).toEqual(['module', 'trade', 'position'])
  await checkRelay(config, async () => new Secret('a-right-one-of-32-characters-000'))
})

test('the configuration of the page about webhooks is accepted', async () => {
  const page = await readFile(join(PACKAGE, '../../docs/guides/relay-webhooks.md'), 'utf8')
  const [, text = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? []
  const config = parseRelayConfig(text)
  expect(config.sink).toMatchObject({ type: 'webhook', deadLetters: { directory: 'dead-letters' } })
  await checkRelay(config, async () => new Secret('a-right-one-of-32-characters-000'))
})

test('the page for other languages names existing notices only', async () => {
  const page = await readFile(join(PACKAGE, '../../docs/guides/relay-consumers.md'), 'utf8')
  const [, sentence = ''] = /Notices are JSON: ([\s\S]*?)\n- /.exec(page) ?? []
  const named = [...sentence.matchAll(/`([\w-]+)`/g)].map(([, kind = '']) => kind)
  const known: ReadonlySet<string> = new Set(['writer-changed', ...RELAYED_NOTICES])
  expect(named).toHaveLength(4)
  expect(named.filter((kind) => !known.has(kind))).toEqual([])
})
