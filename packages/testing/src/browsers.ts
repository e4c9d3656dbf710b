/**
 * Browsers from Debian's packages that open an address. A page posts its results to its server, so that
 * nothing must be read from inside a browser.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

/** A browser on this machine. */
export interface Browser {
  readonly name: string
  /** Path of the program in Debian. */
  readonly binary: string
  /** The Debian packages that contain the program. */
  readonly packages: string
  /**
   * Opens a page.
   *
   * @returns A function that ends the browser and removes its files.
   */
  readonly open: (url: string) => Promise<() => Promise<void>>
}

/** Returns the command that installs the Debian packages. */
export const installCommand = (packages: string): string =>
  `apt-get install -y -qq --no-install-recommends ${packages}`

const START_MS = 60_000

/** Starts a program in its own process group, with a folder for its profile. */
export function startInGroup(
  command: string,
  argsFor: (folder: string) => readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-browser-'))
  const child = spawn(command, argsFor(folder), { stdio: 'ignore', detached: true, env })
  return async (): Promise<void> => {
    await end(child)
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

/** Ends the whole process group, because a browser has several processes. */
async function end(child: ChildProcess): Promise<void> {
  const { pid } = child
  const isOver = child.exitCode !== null || child.signalCode !== null
  const ended = isOver ? undefined : new Promise((resolve) => child.once('close', resolve))
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // All processes of the group have ended already.
  }
  await ended
}

const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/**
 * Chromium without its own windows, menus and internal pages, because they took half of the CPU time of the
 * console's tests.
 */
export const CHROMIUM: Browser = {
  name: 'Chromium',
  binary: '/usr/bin/chromium-headless-shell',
  packages: 'chromium-headless-shell',
  open: async (url) =>
    startInGroup(CHROMIUM.binary, (profile) => [...CHROMIUM_FLAGS, `--user-data-dir=${profile}`, url]),
}

export const FIREFOX: Browser = {
  name: 'Firefox',
  binary: '/usr/bin/firefox-esr',
  packages: 'firefox-esr',
  open: async (url) =>
    startInGroup(FIREFOX.binary, (profile) => ['--headless', '--no-remote', '--profile', profile, url]),
}

const MINI_BROWSER = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser'

/** Safari's engine. It has no headless mode, and opens an address with WebDriver. */
export const WEBKIT: Browser = {
  name: 'WebKitGTK',
  binary: '/usr/bin/WebKitWebDriver',
  packages: 'webkit2gtk-driver xvfb xauth',
  open: async (url) => (await openWebKit(url)).close,
}

/** A browser with its driver. */
interface WebKitSession {
  /** The address of the WebDriver session. */
  readonly session: string
  /** Ends the browser and its driver. */
  readonly close: () => Promise<void>
}

const WEBKIT_STARTS = 3
/** Time limit for a simple script on a busy machine. */
const ANSWER_MS = 20_000

/**
 * Opens a page. About once in several hundred starts, WebKitGTK loads a page in a process that then runs no
 * script. Such a browser is started again. A page that blocks its scripts itself does so in each browser, so
 * its test fails.
 */
export async function openWebKit(url: string): Promise<WebKitSession> {
  for (let starts = 1; ; starts += 1) {
    const browser = await startWebKit()
    const { session, close } = browser
    try {
      await postToDriver(`${session}/url`, { url })
      await postToDriver(`${session}/execute/sync`, { script: 'return true', args: [] }, ANSWER_MS)
      return browser
    } catch (error) {
      await close()
      const isSilent = error instanceof DOMException && error.name === 'TimeoutError'
      if (!isSilent || starts === WEBKIT_STARTS) throw error
    }
  }
}

/** Starts the browser with its driver. */
async function startWebKit(): Promise<WebKitSession> {
  // The port is chosen here, because the driver cannot choose a free one.
  const port = await freePort()
  const env = { ...process.env, LC_ALL: 'en_US.UTF-8' }
  const close = startInGroup('xvfb-run', () => ['-a', WEBKIT.binary, `--port=${port}`], env)
  const driver = `http://127.0.0.1:${port}`
  try {
    await untilReady(`${driver}/status`)
    const options = { binary: MINI_BROWSER, args: ['--automation'] }
    const session = (await postToDriver(`${driver}/session`, {
      capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
    })) as { readonly sessionId?: unknown }
    return { session: `${driver}/session/${String(session.sessionId)}`, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Posts a WebDriver command.
 *
 * @returns The value of the response.
 */
export async function postToDriver(url: string, body: object, limitMs = START_MS): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(limitMs),
  })
  const { value } = (await answer.json()) as { readonly value: unknown }
  if (!answer.ok) throw new Error(`${url}: ${JSON.stringify(value)}`)
  return value
}

async function untilReady(url: string): Promise<void> {
  const deadline = performance.now() + START_MS
  for (;;) {
    const isThere = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isThere) return
    if (performance.now() > deadline) throw new Error(`${url} did not answer`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
