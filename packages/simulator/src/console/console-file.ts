/**
 * A small file that stores the token and the last ports of the user's consoles. With this file, an open page
 * reconnects after a restart of the simulator, even without a state file. Errors of the file never prevent
 * the simulator from starting. If other users can read the file, or if it is not valid, it is replaced.
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

/** Content of the file. */
export interface StoredConsole {
  readonly token: string
  /**
   * Ports to try, in this order. There may be more than one, because several simulators may run at the same
   * time.
   */
  readonly ports: readonly number[]
}

const MAX_PORTS = 8
const MAX_BYTES = 4096
const TOKEN_PATTERN = /^[\w-]{32,128}$/
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0

/** Returns the last known ports and token, from the state file or the console file. */
export function findStoredConsole(
  fromState: { readonly token: string; readonly port: number } | undefined,
  file: string | undefined,
): StoredConsole | undefined {
  if (fromState !== undefined) return { token: fromState.token, ports: [fromState.port] }
  return file === undefined ? undefined : readConsoleFile(file)
}

/** Reads the file. Returns `undefined` if the file does not exist or is not safe to use. */
function readConsoleFile(given: string): StoredConsole | undefined {
  let fd: number | undefined
  try {
    fd = openSync(resolve(given), constants.O_RDONLY | constants.O_NONBLOCK | NO_FOLLOW)
    const found = fstatSync(fd)
    const isOpen = process.platform !== 'win32' && (found.mode & 0o077) !== 0
    const isForeign = process.getuid !== undefined && found.uid !== process.getuid()
    if (!found.isFile() || isOpen || isForeign || found.size > MAX_BYTES) return undefined
    const value: unknown = JSON.parse(readFileSync(fd, 'utf8'))
    if (!isRecord(value) || typeof value.token !== 'string' || !TOKEN_PATTERN.test(value.token))
      return undefined
    const ports = Array.isArray(value.ports) ? value.ports.filter(isPort).slice(0, MAX_PORTS) : []
    return { token: value.token, ports }
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** Adds a console's port to the file. The file is replaced atomically, with mode 0600. */
export function saveConsole(given: string, token: string, port: number): void {
  const path = resolve(given)
  const known = readConsoleFile(path)
  const ports = known?.token === token ? known.ports : []
  if (ports.includes(port)) return
  const fresh = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  } catch {
    return
  }
  try {
    writeFileSync(fresh, `${JSON.stringify({ token, ports: [...ports, port].slice(-MAX_PORTS) })}\n`, {
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
