/**
 * Remote control of Firefox and WebKit: WebKit with WebDriver, and Firefox with Marionette, which has the
 * same commands over a socket and needs no other program.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { FIREFOX, openWebKit, postToDriver, startInGroup } from './browsers.ts'

/** A browser with one page. */
export interface DrivenBrowser {
  /**
   * Runs the body of a function in the page.
   *
   * @returns The result of the function, as JSON can represent it.
   */
  run(body: string): Promise<unknown>
  close(): Promise<void>
}

const LIMIT_MS = 60_000

/** Opens a page in WebKitGTK. */
export async function driveWebKit(url: string): Promise<DrivenBrowser> {
  const { session, close } = await openWebKit(url)
  return {
    run: (script) => postToDriver(`${session}/execute/sync`, { script, args: [] }),
    close,
  }
}

/** Opens a page in Firefox. */
export async function driveFirefox(url: string): Promise<DrivenBrowser> {
  let profile = ''
  const end = startInGroup(FIREFOX.binary, (folder) => {
    profile = folder
    writeFileSync(join(folder, 'user.js'), 'user_pref("marionette.port", 0);\n')
    return ['--headless', '--no-remote', '--marionette', '--profile', folder, 'about:blank']
  })
  let socket: Socket | undefined
  const close = async (): Promise<void> => {
    socket?.destroy()
    await end()
  }
  try {
    socket = connect(await portOf(join(profile, 'MarionetteActivePort')), '127.0.0.1')
    const call = createCaller(socket)
    await call('WebDriver:NewSession', {})
    await call('WebDriver:Navigate', { url })
    return {
      async run(script) {
        const answer = await call('WebDriver:ExecuteScript', { script, args: [] })
        return (answer as { readonly value: unknown }).value
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Waits for the port that Firefox chooses and writes into its profile. */
async function portOf(file: string): Promise<number> {
  const deadline = performance.now() + LIMIT_MS
  for (;;) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    if (/^\d+$/.test(text.trim())) return Number(text)
    if (performance.now() > deadline) throw new Error(`${FIREFOX.name} did not start`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/**
 * Creates a function that sends commands. Commands have the form `LENGTH:[0, id, name, parameters]`, and
 * responses the form `LENGTH:[1, id, error, value]`. The messages follow each other without a separator.
 */
function createCaller(socket: Socket): (name: string, parameters: object) => Promise<unknown> {
  let received = Buffer.alloc(0)
  let id = 0
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  const fail = (error: Error): void => {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  socket.on('error', fail)
  socket.on('close', () => fail(new Error(`${FIREFOX.name} has ended`)))
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    for (;;) {
      const colon = received.indexOf(':')
      const length = Number(received.toString('latin1', 0, Math.max(0, colon)))
      if (colon < 0 || received.length < colon + 1 + length) return
      const message: unknown = JSON.parse(received.toString('utf8', colon + 1, colon + 1 + length))
      received = received.subarray(colon + 1 + length)
      // The first message contains only the version of the protocol.
      if (!Array.isArray(message)) continue
      const [, of, error, value] = message as [number, number, unknown, unknown]
      if (error === null) waiting.get(of)?.resolve(value)
      else waiting.get(of)?.reject(new Error(JSON.stringify(error)))
      waiting.delete(of)
    }
  })
  return (name, parameters) =>
    new Promise((resolve, reject) => {
      id += 1
      waiting.set(id, { resolve, reject })
      const text = JSON.stringify([0, id, name, parameters])
      socket.write(`${Buffer.byteLength(text)}:${text}`)
    })
}
