/** The programs in Python and Go sign as the vectors do, and a service accepts their requests. */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startSimulator } from '@brokerwire/simulator'
import { buildGo } from '@brokerwire/testing/build-go'
import { needs, programOf, REAL_SERVERS } from '@brokerwire/testing/installed'
import { describe, expect, onTestFinished, test } from 'vitest'
import published from '../../packages/signer/vectors.json' with { type: 'json' }
import http from '../../testdata/vectors/http-signatures.json' with { type: 'json' }
import streams from '../../testdata/vectors/stream-signatures.json' with { type: 'json' }

const HTTP = [http.documented, http.client, http.repeated, http.named, published.http].flat()
const STREAMS = [streams.client, streams.module, published.streams].flat()
const VECTORS = [...HTTP, ...STREAMS]

/** Runs the programs of a language, copied into one folder. */
type Run = (folder: string, files: readonly string[], args: readonly string[], env: object) => Promise<string>

async function start(file: string, args: readonly string[], env: object): Promise<string> {
  const { stdout } = await promisify(execFile)(file, args, {
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...env },
  })
  return stdout
}

const LANGUAGES: readonly (readonly [
  language: string,
  need: ReturnType<typeof needs>,
  extension: string,
  run: Run,
])[] = [
  [
    'Python',
    needs('python3'),
    'py',
    (folder, files, args, env) =>
      start(programOf('python3'), [join(folder, files.at(-1) ?? ''), ...args], env),
  ],
  [
    'Go',
    needs('golang-go'),
    'go',
    async (folder, files, args, env) => {
      const sources = files.map((file) => join(folder, file))
      return start(await buildGo(sources, folder), args, env)
    },
  ],
]

/** Copies files of this folder into a new folder. */
function copy(...files: readonly string[]): { readonly folder: string; readonly names: readonly string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-languages-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const file of files)
    copyFileSync(fileURLToPath(new URL(file, import.meta.url)), join(folder, basename(file)))
  return { folder, names: files.map((file) => basename(file)) }
}

describe.each(LANGUAGES)('%s', (_language, { skip, note }, extension, run) => {
  test.skipIf(skip)(`signs as the vectors do${note}`, REAL_SERVERS, async () => {
    const { folder, names } = copy(`sign.${extension}`, `test/vectors.${extension}`)
    const file = join(folder, 'vectors.json')
    writeFileSync(file, JSON.stringify(VECTORS))
    const signatures = JSON.parse(await run(folder, names, [file], {})) as string[]
    expect(signatures).toEqual(VECTORS.map(({ signature }) => signature))
  })

  test.skipIf(skip)(`sends a request that the service accepts${note}`, REAL_SERVERS, async () => {
    await using simulator = await startSimulator({ environment: 'sandbox' })
    const { folder, names } = copy(`sign.${extension}`, `request.${extension}`)
    const { appKey, appSecret } = simulator.credentials
    const output = await run(folder, names, [], {
      BROKERWIRE_BASE_URL: simulator.baseUrl,
      BROKERWIRE_APP_KEY: appKey,
      BROKERWIRE_APP_SECRET: appSecret.reveal(),
    })
    expect(output).toMatch(/^200 \{"token":/)
    expect(simulator.requests().map(({ status }) => status)).toEqual([200])
  })
})
