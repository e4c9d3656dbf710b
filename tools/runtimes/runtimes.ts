/** The runtimes: their binaries, and the functions that run a bundle in them. */
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Browser, CHROMIUM, FIREFOX, installCommand, WEBKIT } from '@brokerwire/testing/browsers'
import { askPage } from '@brokerwire/testing/serve-page'
import { runOrThrow } from '../ci/lib/run.ts'
import { openChromium } from './chromium.ts'
import { BUN, DENO, nodeBinary } from './engines.ts'
import { startWorker } from './in-workerd.ts'
import { importMap } from './project.ts'
import type { Outcomes } from './suite.ts'

/** Time limit of a run, long enough for a busy machine. */
const LIMIT_MS = 300_000

/** One runtime. */
export interface Runtime {
  readonly name: string
  /** Whether the runtime runs only with `--all`. */
  readonly isFurther: boolean
  /** Export conditions of its bundler. `undefined` if the runtime resolves the packages itself. */
  readonly conditions?: readonly string[]
  readonly entry: 'in-process.ts' | 'in-worker.ts' | 'in-page.ts'
  /** Name of its binary, if an npm package provides it. */
  readonly engine?: string
  readonly browser?: Browser
  /** Runs a bundle in the folder of a project that has the packages installed. */
  readonly run: (bundle: string) => Promise<Outcomes>
}

function engine(name: string, binary: string, args: readonly string[] = [], isFurther = false): Runtime {
  return {
    name,
    isFurther,
    entry: 'in-process.ts',
    engine: binary,
    run: async (bundle) =>
      JSON.parse(await runOrThrow('timeout', [`${LIMIT_MS / 1000}`, binary, ...args, bundle])) as Outcomes,
  }
}

const workerd = (name: string, compatibilityFlags: readonly string[], isFurther: boolean): Runtime => ({
  name,
  isFurther,
  conditions: ['workerd', 'worker', 'browser'],
  entry: 'in-worker.ts',
  async run(bundle) {
    const worker = startWorker(readFileSync(bundle, 'utf8'), compatibilityFlags)
    try {
      return (await worker.ask()) as Outcomes
    } finally {
      await worker.close()
    }
  },
})

/**
 * Creates the runtime of a browser. Its page loads the packages as modules, with an import map and without a
 * bundler.
 */
const page = (browser: Browser): Runtime => ({
  name: browser.name,
  isFurther: true,
  entry: 'in-page.ts',
  browser,
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

const DENO_ARGS = ['--allow-all', '--no-config', '--no-lock', '--node-modules-dir=manual', '--cached-only']

export const RUNTIMES: readonly Runtime[] = [
  engine('Node 20', nodeBinary('20')),
  workerd('workerd', [], false),
  engine('Deno', DENO, ['run', ...DENO_ARGS]),
  engine('Bun', BUN, ['run']),
  ...['22', '24', '26'].map((major) => engine(`Node ${major}`, nodeBinary(major), [], true)),
  workerd('workerd, nodejs_compat', ['nodejs_compat'], true),
  page({ ...CHROMIUM, open: openChromium }),
  page(FIREFOX),
  page(WEBKIT),
]

/** Returns the command that installs the browser of a runtime, if that browser is missing. */
export const missingBrowser = ({ browser }: Runtime): string | undefined =>
  browser === undefined || existsSync(browser.binary) ? undefined : installCommand(browser.packages)
