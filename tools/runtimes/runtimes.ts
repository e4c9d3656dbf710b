/** The runtimes: where each is found, how the suite runs in it, and how to install it. */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Miniflare } from 'miniflare'
import { importMap } from './consumer.ts'
import type { Outcomes } from './suite.ts'

const run = promisify(execFile)
const here = dirname(fileURLToPath(import.meta.url))
const engines = join(here, 'engines/node_modules')
/** The command that installs Node, Deno and Bun. */
export const INSTALL_ENGINES =
  'npm install --prefix tools/runtimes/engines --no-package-lock --ignore-scripts --no-audit --no-fund'
/** The command that installs the browser. */
export const INSTALL_CHROMIUM = 'apt-get install -y -qq --no-install-recommends chromium'
/** Where Debian puts it. */
export const CHROMIUM = '/usr/bin/chromium'
const LIMIT_MS = 120_000

/** One runtime. */
export interface Runtime {
  readonly name: string
  /** Conditions of the bundle that it gets; `undefined` where it resolves the packages by itself. */
  readonly conditions: readonly string[] | undefined
  readonly entry: 'in-process.ts' | 'in-worker.ts' | 'in-page.ts'
  /** The binary; `undefined` where none is needed. */
  readonly binary: string | undefined
  readonly install: string
  /** Whether its `fetch` repeats what nobody can keep it from. */
  readonly repeats?: boolean
  /** Runs a bundle, which lies in the folder of a project that has the packages installed. */
  readonly run: (bundle: string, binary: string) => Promise<Outcomes>
}

const program =
  (...args: readonly string[]) =>
  async (bundle: string, binary: string): Promise<Outcomes> => {
    const { stdout } = await run(binary, [...args, bundle], {
      timeout: LIMIT_MS,
      maxBuffer: 64 * 1024 * 1024,
    })
    return JSON.parse(stdout) as Outcomes
  }

const node = (version: string): Runtime => ({
  name: `Node ${version}`,
  conditions: undefined,
  entry: 'in-process.ts',
  binary: join(engines, `node-${version}/bin/node`),
  install: INSTALL_ENGINES,
  run: program(),
})

const workerd = (name: string, compatibilityFlags: string[]): Runtime => ({
  name,
  conditions: ['workerd', 'worker', 'browser'],
  entry: 'in-worker.ts',
  binary: undefined,
  install: '',
  async run(bundle) {
    const miniflare = new Miniflare({
      modules: [{ type: 'ESModule', path: bundle }],
      modulesRoot: dirname(bundle),
      compatibilityDate: '2026-01-01',
      compatibilityFlags,
    })
    try {
      return (await (await miniflare.dispatchFetch('http://worker/')).json()) as Outcomes
    } finally {
      await miniflare.dispose()
    }
  },
})

const CHROMIUM_FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/**
 * Serves a page and the project's files to a browser, and waits for what the page sends back. The page loads the
 * packages as modules through an import map: no bundler stands between them and the browser.
 */
async function runInPage(bundle: string, binary: string): Promise<Outcomes> {
  const folder = dirname(bundle)
  const page = `<!doctype html><meta charset="utf-8"><script type="importmap">${importMap(folder)}</script>
<script type="module" src="/${basename(bundle)}"></script>`
  const profile = mkdtempSync(join(tmpdir(), 'chromium-'))
  let browser: ReturnType<typeof execFile> | undefined
  const server = createServer()
  try {
    return await new Promise<Outcomes>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the page did not answer')), LIMIT_MS)
      server.on('request', (request, response) => {
        const path = request.url ?? '/'
        if (/^[\w/@.-]+js$/.test(path) && !path.includes('..')) {
          response.setHeader('content-type', 'text/javascript').end(readFileSync(join(folder, path)))
        } else if (path === '/outcomes') {
          const chunks: Buffer[] = []
          request.on('data', (chunk: Buffer) => chunks.push(chunk))
          request.on('end', () => {
            clearTimeout(timer)
            response.end()
            resolve(JSON.parse(Buffer.concat(chunks).toString()) as Outcomes)
          })
        } else response.setHeader('content-type', 'text/html').end(page)
      })
      server.listen(0, '127.0.0.1', () => {
        const { port } = server.address() as AddressInfo
        const args = [...CHROMIUM_FLAGS, `--user-data-dir=${profile}`, `http://127.0.0.1:${port}/`]
        browser = execFile(binary, args, (error) => {
          clearTimeout(timer)
          reject(error ?? new Error('the browser ended before the page answered'))
        })
      })
    })
  } finally {
    const ended = browser && new Promise((resolve) => browser?.once('close', resolve))
    browser?.kill('SIGKILL')
    await ended
    server.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** All of them. */
export const RUNTIMES: readonly Runtime[] = [
  node('20'),
  node('22'),
  node('24'),
  node('26'),
  workerd('workerd', []),
  workerd('workerd, nodejs_compat', ['nodejs_compat']),
  {
    name: 'Deno',
    conditions: undefined,
    entry: 'in-process.ts',
    binary: join(engines, '@deno/linux-x64-glibc/deno'),
    install: INSTALL_ENGINES,
    run: program(
      'run',
      '--allow-all',
      '--no-config',
      '--no-lock',
      '--node-modules-dir=manual',
      '--cached-only',
    ),
  },
  {
    name: 'Bun',
    conditions: undefined,
    entry: 'in-process.ts',
    binary: join(engines, '@oven/bun-linux-x64/bin/bun'),
    install: INSTALL_ENGINES,
    run: program('run'),
  },
  {
    name: 'Chromium',
    conditions: undefined,
    entry: 'in-page.ts',
    binary: CHROMIUM,
    install: INSTALL_CHROMIUM,
    repeats: true,
    run: runInPage,
  },
]

/** Whether a runtime is there. */
export const isInstalled = ({ binary }: Runtime): boolean => binary === undefined || existsSync(binary)
