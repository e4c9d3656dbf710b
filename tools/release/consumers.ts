/**
 * Who installs the packages: a project of each kind, with the first program of a README in it, against the simulator. What a
 * README leaves to its reader (keys, addresses, an account) is filled in; a program that has no such place any more is an error.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Simulator } from '@brokerwire/simulator'
import { ANSWER_PATH } from '@brokerwire/testing/answer-path'
import { CHROMIUM } from '@brokerwire/testing/browsers'
import { askPage } from '@brokerwire/testing/serve-page'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import ts from 'typescript'
import { build as viteBuild } from 'vite'
import { typescriptBlocks } from '../checks/readme/blocks.ts'
import { runOrThrow } from '../ci/lib/run.ts'
import { ROOT } from '../ci/lib/workspace.ts'
import { RUNTIMES } from '../runtimes/runtimes.ts'
import { linkModule } from './packed/installed.ts'
import { untilSaid } from './until-said.ts'

/** A kind of project. */
export interface Consumer {
  readonly name: string
  readonly installs: readonly string[]
  /**
   * Runs its program in a project where they are installed.
   *
   * @returns Gzipped bytes of its bundle, where it makes one.
   * @throws An error where the program does not say what it should.
   */
  readonly run: (project: string, simulator: Simulator) => Promise<number | undefined>
}

const SIGNER = '@brokerwire/signer'
const HTTP = '@brokerwire/http'
const EDGE = '@brokerwire/edge'
const LIMIT_MS = 90_000

type Filling = readonly [from: string, to: string]

/** The first program of a package's README, filled in. */
function programOf(pkg: string, fillings: readonly Filling[]): string {
  const readme = join('packages', pkg, 'README.md')
  const [block] = typescriptBlocks(readFileSync(join(ROOT, readme), 'utf8'))
  if (block === undefined) throw new Error(`${readme} has no program`)
  return fillings.reduce((code, [from, to]) => {
    if (!code.includes(from)) throw new Error(`${readme}: its first program has no ${from}`)
    return code.replace(from, to)
  }, block.code)
}

const keys = ({ credentials }: Simulator): readonly Filling[] => [
  ["'your-app-key'", JSON.stringify(credentials.appKey)],
  ["'your-app-secret'", JSON.stringify(credentials.appSecret.reveal())],
]

const httpProgram = (simulator: Simulator): string =>
  programOf('http', [...keys(simulator), ['http://127.0.0.1:8080', simulator.httpUrl]])

/** @param address - Of the service, as an expression. */
const edgeProgram = (simulator: Simulator, address: string): string =>
  programOf('edge', [
    ...keys(simulator),
    [
      "environment: 'sandbox',",
      `environment: 'sandbox', overrides: { httpUrl: ${address} }, allowInsecure: true,`,
    ],
    ['/some/path', '/openapi/config'],
  ])

const expectSaid = (said: string, wanted: RegExp): void => {
  if (!wanted.test(said)) throw new Error(`it said ${JSON.stringify(said.slice(0, 1000))}, without ${wanted}`)
}

/** The same program for `require`: imports first, the rest where `await` may stand. */
function asCommonJs(code: string): string {
  const isImport = (line: string): boolean => line.startsWith('import ')
  const lines = code.split('\n')
  const body = lines.filter((line) => !isImport(line)).join('\n')
  const whole = `${lines.filter(isImport).join('\n')}\nvoid (async () => {\n${body}\n})()`
  return ts.transpileModule(whole, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  }).outputText
}

const binaryOf = (name: string): string => {
  const runtime = RUNTIMES.find((one) => one.name === name)
  if (runtime?.binary === undefined) throw new Error(`no runtime ${name}`)
  return runtime.binary
}

/** What a Worker's bundle weighs: minified, then gzip -9. */
async function minifiedBytes(file: string): Promise<number> {
  const { outputFiles } = await build({ entryPoints: [file], minify: true, format: 'esm', write: false })
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
}

/** All of them. */
export const CONSUMERS: readonly Consumer[] = [
  {
    name: 'Worker',
    installs: [SIGNER],
    async run(project, { credentials, httpUrl }) {
      writeFileSync(join(project, 'worker.ts'), programOf('signer', []))
      const settings = { name: 'rehearsal', main: 'worker.ts', compatibility_date: '2026-01-01' }
      writeFileSync(join(project, 'wrangler.json'), JSON.stringify(settings))
      const wrangler = join(ROOT, 'examples/node_modules/.bin/wrangler')
      await runOrThrow(wrangler, ['deploy', '--dry-run', '--outdir', 'out'], {
        cwd: project,
        env: { WRANGLER_SEND_METRICS: 'false', WRANGLER_LOG_PATH: join(project, 'logs') },
      })
      const bundle = join(project, 'out/worker.js')
      const miniflare = new Miniflare({
        modules: [{ type: 'ESModule', path: bundle }],
        modulesRoot: join(project, 'out'),
        compatibilityDate: settings.compatibility_date,
        bindings: {
          SERVICE_URL: httpUrl,
          APP_KEY: credentials.appKey,
          APP_SECRET: credentials.appSecret.reveal(),
        },
      })
      try {
        const { status } = await miniflare.dispatchFetch('http://worker/')
        expectSaid(String(status), /^200$/)
      } finally {
        await miniflare.dispose()
      }
      return await minifiedBytes(bundle)
    },
  },
  {
    name: 'Node, strict ES module',
    installs: ['@brokerwire/client', '@bufbuild/protobuf', '@connectrpc/connect'],
    async run(project, simulator) {
      const { httpUrl, eventsUrl, credentials } = simulator
      const overrides = JSON.stringify({ httpUrl, eventsUrl })
      const program = programOf('client', [
        ["environment: 'sandbox',", `environment: 'sandbox', overrides: ${overrides}, allowInsecure: true,`],
        ["'your account'", JSON.stringify(simulator.accounts[0])],
      ])
      writeFileSync(join(project, 'program.ts'), program)
      linkModule(project, '@types/node', 'tools')
      const compilerOptions = {
        strict: true,
        skipLibCheck: false,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        module: 'NodeNext',
        target: 'ES2022',
        types: ['node'],
        outDir: 'out',
      }
      const config = { compilerOptions, files: ['program.ts'] }
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config))
      await runOrThrow(process.execPath, [join(ROOT, 'tools/node_modules/typescript/bin/tsc'), '-p', '.'], {
        cwd: project,
      })
      await untilSaid([process.execPath, 'out/program.js'], {
        cwd: project,
        env: {
          BROKERWIRE_APP_KEY: credentials.appKey,
          BROKERWIRE_APP_SECRET: credentials.appSecret.reveal(),
        },
        limitMs: LIMIT_MS,
        wanted: /^AAPL FINAL_FILLED$/m,
        onSaid(said) {
          if (!/^subscribed$/m.test(said)) return false
          simulator.placeOrder({ symbol: 'AAPL', quantity: 100 }).complete()
          return true
        },
      })
      return undefined
    },
  },
  {
    name: 'CommonJS',
    installs: [HTTP, SIGNER],
    async run(project, simulator) {
      writeFileSync(join(project, 'program.cjs'), asCommonJs(httpProgram(simulator)))
      expectSaid(await runOrThrow(process.execPath, ['program.cjs'], { cwd: project }), /^200 /)
      return undefined
    },
  },
  {
    name: 'Vite page in Chromium',
    installs: [EDGE],
    async run(project, simulator) {
      const tell = `fetch('${ANSWER_PATH}', { method: 'POST', body: String(said) })`
      const program = edgeProgram(simulator, 'location.origin').replace('console.log(', 'tell(')
      writeFileSync(
        join(project, 'page.ts'),
        `const tell = (said: unknown) => ${tell}\naddEventListener('unhandledrejection', ({ reason }) => tell(reason))\n${program}`,
      )
      writeFileSync(
        join(project, 'index.html'),
        '<!doctype html><meta charset="utf-8"><script type="module" src="/page.ts"></script>',
      )
      await viteBuild({ root: project, configFile: false, logLevel: 'error', build: { target: 'es2022' } })
      let bytes = 0
      const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' }
      const said = await askPage(CHROMIUM, {
        limitMs: LIMIT_MS,
        fileAt(path) {
          const type = types[path === '/' ? '.html' : extname(path)]
          if (type === undefined || path.includes('..')) return undefined
          const text = readFileSync(join(project, 'dist', path === '/' ? 'index.html' : path))
          if (path !== '/') bytes += gzipSync(text, { level: 9 }).length
          return [type, text]
        },
        // The service allows no page of another origin: the page's own server passes its requests on, `host` included.
        otherwise(request, response) {
          const { method, headers, url = '/' } = request
          const passed = httpRequest(new URL(url, simulator.httpUrl), { method, headers }, (answer) => {
            response.writeHead(answer.statusCode ?? 502, answer.headers)
            answer.pipe(response)
          })
          passed.on('error', () => response.destroy())
          request.pipe(passed)
        },
      })
      expectSaid(said, /^200$/)
      return bytes
    },
  },
  {
    name: 'Deno',
    installs: [HTTP, SIGNER],
    async run(project, simulator) {
      writeFileSync(join(project, 'program.ts'), httpProgram(simulator))
      const flags = ['--allow-net', '--no-config', '--no-lock', '--node-modules-dir=manual', '--cached-only']
      expectSaid(
        await runOrThrow(binaryOf('Deno'), ['run', ...flags, 'program.ts'], { cwd: project }),
        /^200 /,
      )
      return undefined
    },
  },
  {
    name: 'Bun',
    installs: [EDGE],
    async run(project, simulator) {
      writeFileSync(join(project, 'program.ts'), edgeProgram(simulator, JSON.stringify(simulator.httpUrl)))
      expectSaid(await runOrThrow(binaryOf('Bun'), ['run', 'program.ts'], { cwd: project }), /^200$/m)
      return undefined
    },
  },
]
