/** The runtimes: where each is found, how the suite runs in it, and how to install it. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, CHROMIUM, FIREFOX, installCommand, WEBKIT } from '@brokerwire/testing/browsers'
import { askPage } from '@brokerwire/testing/serve-page'
import { Miniflare } from 'miniflare'
import { importMap } from './consumer.ts'
import type { Outcomes } from './suite.ts'

const run = promisify(execFile)
const here = dirname(fileURLToPath(import.meta.url))
const engines = join(here, 'engines/node_modules')
/** The command that installs Node, Deno and Bun. */
export const INSTALL_ENGINES =
  'npm install --prefix tools/runtimes/engines --no-package-lock --ignore-scripts --no-audit --no-fund'
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

/**
 * Serves a page and the project's files to a browser, and waits for what the page sends back. The page loads the
 * packages as modules through an import map: no bundler stands between them and the browser.
 */
const page = (browser: Browser): Runtime => ({
  name: browser.name,
  conditions: undefined,
  entry: 'in-page.ts',
  binary: browser.binary,
  install: installCommand(browser.packages),
  // A browser sends a request again by itself where a kept connection turns out to be closed.
  repeats: true,
  async run(bundle) {
    const folder = dirname(bundle)
    const html = `<!doctype html><meta charset="utf-8"><script type="importmap">${importMap(folder)}</script>
<script type="module" src="/${basename(bundle)}"></script>`
    const answer = await askPage(browser, {
      limitMs: LIMIT_MS,
      fileAt(path) {
        if (path === '/') return ['text/html', html]
        const isFile = /^[\w/@.-]+js$/.test(path) && !path.includes('..')
        return isFile ? ['text/javascript', readFileSync(join(folder, path))] : undefined
      },
    })
    return JSON.parse(answer) as Outcomes
  },
})

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
  page(CHROMIUM),
  page(FIREFOX),
  page(WEBKIT),
]

/** Whether a runtime is there. */
export const isInstalled = ({ binary }: Runtime): boolean => binary === undefined || existsSync(binary)
