/**
 * Follows the pages of `docs/start` in an empty folder, with the tarballs: writes the files that a page shows, runs its commands in
 * their order, and compares what they print with the page.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ROOT, SCOPE } from '../ci/lib/workspace.ts'
import { installPacked, linkModule } from './packed/installed.ts'

/** The time after which a command counts as hanging, also on a busy machine. */
const LIMIT_MS = 120_000
/** Commands that run until they are stopped, and the line that shows that they are ready. */
const SERVERS = [
  { command: /^npx brokerwire simulate$/, ready: /BROKERWIRE_CONTROL_TOKEN=/ },
  { command: /^npx wrangler dev\b/, ready: /Ready on / },
] as const
/** A fenced block, with the name of the file that the sentence before it gives. */
const BLOCK = /(?:Save this as `([^`]+)`:\n\n(?:<!-- .* -->\n\n)?)?^```(sh|ts|json|text)\n([\s\S]*?)^```$/gm
const IMPORT = /from '((?:@[^/']+\/)?[^/']+)/g

/** The things that a reader of the page has before the first step. */
export interface Reader {
  /** Environment variables. @defaultValue none */
  readonly env?: Readonly<Record<string, string>>
  /** The values that the reader puts into the commands, by the words of the page. @defaultValue none */
  readonly values?: Readonly<Record<string, string>>
  /** Text that the reader enters at a prompt. @defaultValue none */
  readonly entered?: string
}

/**
 * Follows one page.
 *
 * @param folder - An empty folder.
 * @returns The problems, each with the command.
 */
export async function followPage(page: string, folder: string, reader: Reader = {}): Promise<string[]> {
  const problems: string[] = []
  const installed = new Set<string>()
  const servers = new Map<RegExp, ChildProcess>()
  const port = await freePort()
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    WRANGLER_SEND_METRICS: 'false',
    ...reader.env,
  }
  const values = Object.entries({ '8787': String(port), ...reader.values })
  let cwd = folder
  let output = ''

  const run = async (line: string): Promise<void> => {
    const [name = '', ...words] = line.split(' ')
    if (name === 'cd') {
      cwd = join(cwd, words.join(' '))
      return
    }
    if (line.startsWith('npm install ')) {
      for (const word of words.slice(1)) if (!word.startsWith('--')) installed.add(word)
      if (!words.includes('--global')) return
      await install(folder, installed)
      env.PATH = `${join(folder, 'node_modules/.bin')}:${env.PATH}`
      return
    }
    const server = SERVERS.find(({ command }) => command.test(line))
    if (server === undefined) {
      const options = { cwd, env, encoding: 'utf8', timeout: LIMIT_MS, input: reader.entered ?? '' } as const
      const done = spawnSync('bash', ['-c', line], options)
      output = done.stdout
      if (done.status !== 0)
        problems.push(`${line}: status ${done.status}\n${done.stdout}${done.stderr}${done.error ?? ''}`)
      return
    }
    await stop(servers.get(server.command))
    const child = spawn('bash', ['-c', line], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    servers.set(server.command, child)
    const lines: string[] = []
    for await (const text of createInterface({ input: child.stdout })) {
      lines.push(text)
      const [, variable = '', value = ''] = /^export (\w+)=(.*)$/.exec(text) ?? []
      // The reader pastes these lines into the other terminal.
      if (variable !== '') env[variable] = value
      if (server.ready.test(text)) break
    }
    if (child.exitCode !== null)
      problems.push(`${line}: ended with status ${child.exitCode}\n${lines.join('\n')}`)
  }

  try {
    const text = readFileSync(join(ROOT, 'docs/start', page), 'utf8')
    const [steps = ''] = text.split('\n## In a checkout of the repository\n')
    for (const [, file, language, code = ''] of steps.matchAll(BLOCK)) {
      if (file !== undefined) {
        await install(cwd, installed)
        writeFileSync(join(cwd, file), code)
        for (const [, name = ''] of code.matchAll(IMPORT))
          if (!installed.has(name)) problems.push(`${file} imports ${name}, which the page does not install`)
      } else if (language === 'sh') {
        for (const line of code.trimEnd().split('\n'))
          await run(values.reduce((text, [word, value]) => text.replaceAll(word, value), line))
      } else if (language === 'text' && !printed(output, code)) {
        problems.push(`the page shows\n${code}and the command printed\n${output}`)
      }
    }
  } finally {
    await Promise.all([...servers.values()].map(stop))
  }
  return problems.map((problem) => `docs/start/${page}: ${problem}`)
}

/** Puts the packages that the page has installed into the folder, without a registry. */
async function install(folder: string, names: ReadonlySet<string>): Promise<void> {
  const modules = join(folder, 'node_modules')
  if (existsSync(modules)) return
  await installPacked(folder)
  for (const name of names) if (!name.startsWith(SCOPE)) linkModule(folder, name, 'examples')
  if (names.has('wrangler')) symlinkSync('../wrangler/bin/wrangler.js', join(modules, '.bin/wrangler'))
}

/** Whether the output has the lines of the page. A line of the page that ends in `...` is the beginning of one. */
function printed(output: string, expected: string): boolean {
  const lines = output.trimEnd().split('\n')
  const wanted = expected.trimEnd().split('\n')
  return (
    lines.length === wanted.length &&
    wanted.every((text, index) =>
      text.endsWith('...') ? lines[index]?.startsWith(text.slice(0, -3)) : lines[index] === text,
    )
  )
}

/** Ends a command and the processes that it has started. */
async function stop(child: ChildProcess | undefined): Promise<void> {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  process.kill(-child.pid, 'SIGTERM')
  await ended
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}
