/** The proxy counts PINGs with any size of chunks, and counts no other frames. */
import { expect, test } from 'vitest'
import { pingReader } from './ping-proxy.ts'
import { ACK, FRAME, frame } from './raw-http2.ts'

test('PINGs are counted at any cut of the bytes; their answers and other frames are not', () => {
  const bytes = Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    frame(FRAME.settings, 0, 0),
    frame(FRAME.ping, 0, 0, Buffer.alloc(8)),
    frame(FRAME.ping, ACK, 0, Buffer.alloc(8)),
    frame(FRAME.data, 0, 1, Buffer.alloc(300, 6)),
    frame(FRAME.ping, 0, 0, Buffer.alloc(8)),
  ])
  for (const size of [1, 2, 8, 9, 10, 17, bytes.length]) {
    let pings = 0
    const read = pingReader(() => pings++)
    for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size))
    expect(pings).toBe(2)
  }
})
