/**
 * Ports for servers that are started, killed and started again on the same one, and for addresses where nobody listens.
 *
 * They lie below those that systems give out by themselves, 32768 on Linux and 49152 elsewhere: while a server is down,
 * a connection of some other process would be given its port, now and then even one that looks for this server.
 */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const FIRST = 16_384
const BEHIND = 32_768
const ATTEMPTS = 100

const given = new Set<number>()

/** A port that was free a moment ago, and is given to nobody else in this process. */
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
