/** A TCP proxy that sees the client's PINGs pass: frames are read where they lie, and change nothing. */

import { type Forwarding, startForwarding } from '@brokerwire/testing/forward'
import {
  ACK,
  FRAME,
  HEAD_BYTES,
  PREFACE_BYTES,
} from '../../../packages/streams/src/test/transport/wire-server.ts'

/** An answer to a PING, with window updates around it. */
const MAX_ANSWER_BYTES = 100

/** The proxy. */
export interface PingProxy extends Omit<Forwarding, 'open'> {
  /** When PINGs went out, in milliseconds since the first connection. */
  readonly pingsMs: readonly number[]
  /** When the server last sent more than answers to them, on the same clock. */
  readonly lastDataMs: number
}

/** Calls back for each PING among frames that come in chunks of any size. */
export function pingReader(onPing: () => void): (chunk: Buffer) => void {
  let skip = PREFACE_BYTES
  let head = Buffer.alloc(0)
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (skip > 0) {
        const passed = Math.min(skip, chunk.length - at)
        skip -= passed
        at += passed
        continue
      }
      const part = chunk.subarray(at, at + HEAD_BYTES - head.length)
      head = Buffer.concat([head, part])
      at += part.length
      if (head.length < HEAD_BYTES) return
      if (head[3] === FRAME.ping && ((head[4] ?? 0) & ACK) === 0) onPing()
      skip = head.readUIntBE(0, 3)
      head = Buffer.alloc(0)
    }
  }
}

/** Starts a proxy on 127.0.0.1. @param target - Where it forwards to. */
export async function startPingProxy(target: string): Promise<PingProxy> {
  const pingsMs: number[] = []
  let startedAt: number | undefined
  let lastDataMs = 0
  const sinceMs = (): number => performance.now() - (startedAt ?? Number.NaN)
  const forwarding = await startForwarding(target, ({ client, upstream }) => {
    startedAt ??= performance.now()
    const read = pingReader(() => pingsMs.push(sinceMs()))
    client.on('data', read)
    upstream.on('data', (chunk: Buffer) => {
      if (chunk.length > MAX_ANSWER_BYTES) lastDataMs = sinceMs()
    })
  })
  const { url, close } = forwarding
  return {
    url,
    get connections() {
      return forwarding.connections
    },
    pingsMs,
    get lastDataMs() {
      return lastDataMs
    },
    close,
  }
}
