/**
 * Ports for servers that are restarted on the same port, and for addresses without a server. The ports are
 * below the ephemeral ports (from 32768 on Linux, from 49152 elsewhere). Otherwise the system could give the
 * port of a stopped server to a connection of another process, even to one that is trying to reach this
 * server.
 */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const FIRST = 16_384
const BEHIND = 32_768
const ATTEMPTS = 100

const given = new Set<number>()

/** Returns a free port that this function has not returned before in this process. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(FIRST, BEHIND)
    if (given.has(port)) continue
    given.add(port)
    if (await isFree(port)) return port
  }
  throw new Error(`no free port was found from ${FIRST} to ${BEHIND - 1}`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
