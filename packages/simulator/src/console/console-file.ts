/**
 * Where consoles were and what opens them, in a small file of the user's: a page that stands open comes back by itself
 * after a restart that keeps no other state.
 *
 * A convenience that never keeps the simulator from starting: what others could have read, or what is no such file, is
 * replaced, and where nothing can be written nothing is kept.
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isRecord } from '@brokerwire/core/internal'

/** What the file says. */
export interface ConsolePlaces {
  readonly token: string
  /** The first one that is free is taken: several simulators may run at once. */
  readonly ports: readonly number[]
}

const MOST_PORTS = 8
const MAX_BYTES = 4096
const TOKEN = /^[\w-]{32,128}$/
const NOT_FOLLOWED = constants.O_NOFOLLOW ?? 0

/** What is known of earlier consoles: of the state file, or of this one. */
export function lastConsolePlaces(
  ofState: { readonly token: string; readonly port: number } | undefined,
  file: string | undefined,
): ConsolePlaces | undefined {
  if (ofState !== undefined) return { token: ofState.token, ports: [ofState.port] }
  return file === undefined ? undefined : readConsolePlaces(file)
}

/** Reads it. `undefined`: there is none, or none that can be trusted. */
function readConsolePlaces(given: string): ConsolePlaces | undefined {
  let fd: number | undefined
  try {
    fd = openSync(resolve(given), constants.O_RDONLY | constants.O_NONBLOCK | NOT_FOLLOWED)
    const found = fstatSync(fd)
    const isOpen = process.platform !== 'win32' && (found.mode & 0o077) !== 0
    const isForeign = process.getuid !== undefined && found.uid !== process.getuid()
    if (!found.isFile() || isOpen || isForeign || found.size > MAX_BYTES) return undefined
    const value: unknown = JSON.parse(readFileSync(fd, 'utf8'))
    if (!isRecord(value) || typeof value.token !== 'string' || !TOKEN.test(value.token)) return undefined
    const ports = Array.isArray(value.ports) ? value.ports.filter(isPort).slice(0, MOST_PORTS) : []
    return { token: value.token, ports }
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** Keeps a console's place beside those that are known: the file is replaced as a whole, mode 0600. */
export function keepConsolePlace(given: string, token: string, port: number): void {
  const path = resolve(given)
  const known = readConsolePlaces(path)
  const ports = known?.token === token ? known.ports : []
  if (ports.includes(port)) return
  const fresh = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  } catch {
    return
  }
  try {
    writeFileSync(fresh, `${JSON.stringify({ token, ports: [...ports, port].slice(-MOST_PORTS) })}\n`, {
      mode: 0o600,
      flag: 'wx',
    })
    renameSync(fresh, path)
  } catch {
    rmSync(fresh, { force: true })
  }
}

function isPort(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= 65_535
}
