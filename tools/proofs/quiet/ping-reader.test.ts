/** PINGs are counted whatever the chunks are, and nothing else is. */
import { expect, test } from 'vitest'
import { frame } from '../../../packages/streams/src/test/transport/wire-server.ts'
import { pingReader } from './ping-proxy.ts'

test('PINGs are counted at any cut of the bytes; their answers and other frames are not', () => {
  const bytes = Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    frame(4, 0, 0),
    frame(6, 0, 0, Buffer.alloc(8)),
    frame(6, 1, 0, Buffer.alloc(8)),
    frame(0, 0, 1, Buffer.alloc(300, 6)),
    frame(6, 0, 0, Buffer.alloc(8)),
  ])
  for (const size of [1, 2, 8, 9, 10, 17, bytes.length]) {
    let pings = 0
    const read = pingReader(() => pings++)
    for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size))
    expect(pings).toBe(2)
  }
})
