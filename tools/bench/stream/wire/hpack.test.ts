import { once } from 'node:events'
import { connect } from 'node:http2'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { createFrameReader, encodeFrame, encodeSettings, Flag, FrameType, PREFACE } from './frames.ts'
import { encodeHeaderBlock } from './hpack.ts'

test('a block of RFC 7541, C.2.2 without its table', () => {
  expect(encodeHeaderBlock([['password', 'secret']]).toString('hex')).toBe(
    '000870617373776f726406736563726574',
  )
})

// 127 is where the length takes a second byte, 255 where that becomes a third.
test.each([0, 1, 126, 127, 128, 254, 255, 256, 5000])(
  "Node's own HTTP/2 reads a value of %i characters",
  async (length) => {
    const value = 'v'.repeat(length)
    const block = encodeHeaderBlock([
      [':status', '200'],
      ['content-type', 'application/grpc+proto'],
      [`x-${'n'.repeat(length % 200)}`, value],
    ])
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      const read = createFrameReader()
      let skip = PREFACE.length
      socket.write(encodeSettings([]))
      socket.on('data', (chunk: Buffer) => {
        const frames = read(chunk.subarray(skip))
        skip = 0
        const request = frames.find(({ type }) => type === FrameType.headers)
        if (request === undefined) return
        const flags = Flag.endHeaders | Flag.endStream
        socket.write(encodeFrame(FrameType.headers, flags, request.streamId, block))
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    try {
      const stream = session.request({ ':path': '/' })
      const [headers] = await once(stream, 'response')
      expect(headers).toMatchObject({
        ':status': 200,
        'content-type': 'application/grpc+proto',
        [`x-${'n'.repeat(length % 200)}`]: value,
      })
    } finally {
      session.destroy()
      server.close()
    }
  },
)
