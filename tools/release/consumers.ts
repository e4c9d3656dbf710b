/**
 * Projects of consumers. Each project runs the first program of a README against the simulator. First, the
 * placeholders of the README are replaced: keys, addresses, an account.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Simulator } from '@brokerwire/simulator'
import { transform } from 'esbuild'
import type { ConsoleMessage } from 'playwright-core'
import { preview, build as viteBuild } from 'vite'
import { typescriptBlocks } from '../checks/readme/blocks.ts'
import { runOrThrow } from '../ci/lib/run.ts'
import { ROOT } from '../ci/lib/workspace.ts'
import { launchChromium } from '../runtimes/chromium.ts'
import { BUN, DENO } from '../runtimes/engines.ts'
import { startWorker } from '../runtimes/in-workerd.ts'
import { linkModule } from './packed/installed.ts'

/** A kind of project. */
export interface Consumer {
  readonly name: string
  readonly installs: readonly string[]
  /**
   * Runs the program in a project that has the packages installed.
   *
   * @throws An error if the output is not as expected.
   */
  readonly run: (project: string, simulator: Simulator) => Promise<void>
}

const SIGNER = '@brokerwire/signer'
const HTTP = '@brokerwire/http'
const EDGE = '@brokerwire/edge'
const LIMIT_MS = 90_000

/**
 * Returns the first program of a package's README, with replacements. Fails if the program does not contain
 * the text of a replacement.
 */
function programOf(pkg: string, replacements: readonly (readonly [string, string])[]): string {
  const readme = `packages/${pkg}/README.md`
  const [block] = typescriptBlocks(readFileSync(join(ROOT, readme), 'utf8'))
  if (block === undefined) throw new Error(`${readme} has no program`)
  return replacements.reduce((code, [from, to]) => {
    if (!code.includes(from)) throw new Error(`${readme}: its first program does not contain ${from}`)
    return code.replace(from, to)
  }, block.code)
}

const secretsOf = ({ credentials }: Simulator) =>
  ({ APP_KEY: credentials.appKey, APP_SECRET: credentials.appSecret.reveal() }) as const

const withKeys = (simulator: Simulator): [string, string][] => [
  ["'your-app-key'", JSON.stringify(secretsOf(simulator).APP_KEY)],
  ["'your-app-secret'", JSON.stringify(secretsOf(simulator).APP_SECRET)],
]

const httpProgram = (simulator: Simulator): string =>
  programOf('http', [...withKeys(simulator), ['http://127.0.0.1:8080', simulator.baseUrl]])

/** @param address - Expression with the address of the service. */
const edgeProgram = (simulator: Simulator, address: string): string => {
  const settings = `environment: 'sandbox', overrides: { baseUrl: ${address} }, allowInsecure: true,`
  return programOf('edge', [
    ...withKeys(simulator),
    ["environment: 'sandbox',", settings],
    ['/some/path', '/openapi/config'],
  ])
}

function expectOutput(output: string, expected: RegExp): void {
  if (!expected.test(output))
    throw new Error(`the output does not match ${expected}:\n${output.slice(0, 1000)}`)
}

/** Runs a program that does not end by itself, and ends it after it has printed a line that matches `last`. */
async function runUntil(
  last: RegExp,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  file: string,
  onLine: (line: string) => void,
): Promise<void> {
  const signal = AbortSignal.timeout(LIMIT_MS)
  const child = spawn(process.execPath, [file], { cwd, env: { ...process.env, ...env }, signal })
  const closed = Promise.allSettled([once(child, 'close')])
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk
  })
  try {
    for await (const line of createInterface(child.stdout)) {
      if (last.test(line)) return
      output += `${line}\n`
      onLine(line)
    }
    throw new Error(`${file} ended before a line that matches ${last}:\n${output.slice(-2000)}`)
  } finally {
    child.kill('SIGKILL')
    await closed
  }
}

/** The consumer that runs for every pull request. */
export const PLAIN_NODE: Consumer = {
  name: 'Node, strict ES module',
  installs: ['@brokerwire/client', '@bufbuild/protobuf', '@connectrpc/connect'],
  async run(project, simulator) {
    const { baseUrl, eventsUrl } = simulator
    const overrides = JSON.stringify({ baseUrl, eventsUrl })
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
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
    const compiler = join(ROOT, 'tools/node_modules/typescript-7/bin/tsc')
    await runOrThrow(process.execPath, [compiler, '-p', '.'], { cwd: project })
    const { APP_KEY, APP_SECRET } = secretsOf(simulator)
    const env = { BROKERWIRE_APP_KEY: APP_KEY, BROKERWIRE_APP_SECRET: APP_SECRET }
    await runUntil(/^AAPL FINAL_FILLED$/, { cwd: project, env }, 'out/program.js', (line) => {
      if (line === 'subscribed') simulator.placeOrder({ symbol: 'AAPL', quantity: 100 }).complete()
    })
  },
}

/** A consumer that has its own gRPC client: a program of docs/guides/other-clients.md receives an order event. */
const ownClient = (file: string, clientPackages: readonly string[]): Consumer => ({
  name: `own gRPC client, ${file}`,
  installs: [SIGNER, '@brokerwire/protos', ...clientPackages],
  async run(project, simulator) {
    const program = readFileSync(join(ROOT, 'examples/other-clients', `${file}.ts`), 'utf8')
    const { code } = await transform(program, { loader: 'ts', format: 'esm' })
    writeFileSync(join(project, 'program.js'), code)
    const { APP_KEY, APP_SECRET } = secretsOf(simulator)
    const env = {
      BROKERWIRE_APP_KEY: APP_KEY,
      BROKERWIRE_APP_SECRET: APP_SECRET,
      BROKERWIRE_EVENTS_URL: simulator.eventsUrl,
      BROKERWIRE_ACCOUNTS: String(simulator.accounts[0]),
    }
    await runUntil(/^order /, { cwd: project, env }, 'program.js', (line) => {
      if (line.startsWith('SubscribeSuccess')) simulator.placeOrder({ symbol: 'AAPL', quantity: 100 })
    })
  },
})

export const CONSUMERS: readonly Consumer[] = [
  PLAIN_NODE,
  ownClient('connect', [
    '@bufbuild/protobuf',
    '@connectrpc/connect@^2.1.2',
    '@connectrpc/connect-node@~2.1.2',
  ]),
  ownClient('grpc-js-proto-loader', ['@grpc/grpc-js', '@grpc/proto-loader']),
  ownClient('grpc-js-protobufjs', ['@grpc/grpc-js', 'protobufjs']),
  {
    name: 'Worker',
    installs: [SIGNER],
    async run(project, simulator) {
      writeFileSync(join(project, 'worker.ts'), programOf('signer', []))
      const settings = { name: 'rehearsal', main: 'worker.ts', compatibility_date: '2026-01-01' }
      writeFileSync(join(project, 'wrangler.json'), JSON.stringify(settings))
      const wrangler = join(ROOT, 'examples/node_modules/.bin/wrangler')
      await runOrThrow(wrangler, ['deploy', '--dry-run', '--outdir', 'out'], {
        cwd: project,
        env: { WRANGLER_SEND_METRICS: 'false', WRANGLER_LOG_PATH: join(project, 'logs') },
      })
      const bindings = { SERVICE_URL: simulator.baseUrl, ...secretsOf(simulator) }
      const worker = startWorker(readFileSync(join(project, 'out/worker.js'), 'utf8'), [], bindings)
      try {
        const { status } = await worker.fetch()
        expectOutput(String(status), /^200$/)
      } finally {
        await worker.close()
      }
    },
  },
  {
    name: 'CommonJS',
    installs: [HTTP, SIGNER],
    async run(project, simulator) {
      // CommonJS has no `await` outside of functions.
      const lines = httpProgram(simulator).split('\n')
      const isImport = (line: string): boolean => line.startsWith('import ')
      const body = lines.filter((line) => !isImport(line))
      const whole = [...lines.filter(isImport), 'void (async () => {', ...body, '})()'].join('\n')
      const { code } = await transform(whole, { loader: 'ts', format: 'cjs' })
      writeFileSync(join(project, 'program.cjs'), code)
      expectOutput(await runOrThrow(process.execPath, ['program.cjs'], { cwd: project }), /^200 /)
    },
  },
  {
    name: 'Vite page in Chromium',
    installs: [EDGE],
    async run(project, simulator) {
      writeFileSync(join(project, 'page.ts'), edgeProgram(simulator, 'location.origin'))
      writeFileSync(join(project, 'index.html'), '<script type="module" src="/page.ts"></script>')
      const config = { root: project, configFile: false, logLevel: 'error' } as const
      await viteBuild({ ...config, build: { target: 'es2022' } })
      // The service accepts no requests from pages of other origins. Therefore the page's server forwards
      // requests, with the signed Host header.
      const proxy = { '^/(?!assets/|$)': { target: simulator.baseUrl, changeOrigin: false } }
      const server = await preview({ ...config, preview: { host: '127.0.0.1', port: 0, proxy } })
      const browser = await launchChromium()
      try {
        const page = await browser.newPage()
        const failed = page.waitForEvent('pageerror', { timeout: LIMIT_MS }).then(String)
        // Only messages of the type `log` count, because Chromium also logs failed requests, as errors.
        const predicate = (message: ConsoleMessage): boolean => message.type() === 'log'
        const logged = page
          .waitForEvent('console', { timeout: LIMIT_MS, predicate })
          .then((message) => message.text())
        await page.goto(server.resolvedUrls?.local[0] ?? '')
        expectOutput(await Promise.any([logged, failed]), /^200$/)
      } finally {
        await browser.close()
        await server.close()
      }
    },
  },
  {
    name: 'Deno',
    installs: [HTTP, SIGNER],
    async run(project, simulator) {
      writeFileSync(join(project, 'program.ts'), httpProgram(simulator))
      const flags = ['--allow-net', '--no-config', '--no-lock', '--node-modules-dir=manual', '--cached-only']
      expectOutput(await runOrThrow(DENO, ['run', ...flags, 'program.ts'], { cwd: project }), /^200 /)
    },
  },
  {
    name: 'Bun',
    installs: [EDGE],
    async run(project, simulator) {
      writeFileSync(join(project, 'program.ts'), edgeProgram(simulator, JSON.stringify(simulator.baseUrl)))
      expectOutput(await runOrThrow(BUN, ['run', 'program.ts'], { cwd: project }), /^200$/m)
    },
  },
]
