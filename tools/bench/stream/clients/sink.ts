/** A plain socket that reads and throws away: shows what the server can send when nobody slows it down. */
import { connect } from 'node:net'
import type { Plan } from '../plan.ts'
import { block } from '../wire/blocks.ts'
import {
  DEFAULT_WINDOW,
  encodeFrame,
  encodeSettings,
  encodeWindowUpdate,
  Flag,
  FrameType,
  INITIAL_WINDOW_SIZE,
  MAX_WINDOW,
  PREFACE,
} from '../wire/frames.ts'
import { encodeHeaderBlock } from '../wire/hpack.ts'
import { type CreateBenchClient, METHOD_PATH } from './client.ts'
import { requestBytes } from './raw.ts'

/** After so many bytes the windows are filled up again. */
const GRANT_BYTES = 2 ** 28
const READ_BYTES = 2 ** 20

export const createSink: CreateBenchClient = (port) => ({
  receive: (payload) =>
    new Promise((resolve, reject) => {
      const plan = JSON.parse(payload) as Plan
      if (plan.kind !== 'blast') throw new Error('the sink takes everything at once')
      const { bytes, dataBytes } = block(plan.shape)
      const expected = plan.blocks * bytes.length
      let received = 0
      let granted = 0
      const onRead = (length: number): boolean => {
        received += length
        if (received - granted >= GRANT_BYTES) {
          // Frame headers are not counted by the server: grant less than came, never more.
          socket.write(Buffer.concat([0, 1].map((id) => encodeWindowUpdate(id, GRANT_BYTES * 0.9))))
          granted += GRANT_BYTES
        }
        if (received >= expected) {
          resolve(plan.blocks * dataBytes)
          socket.end()
        }
        return true
      }
      // One buffer for all that comes.
      const onread = { buffer: Buffer.alloc(READ_BYTES), callback: onRead }
      const socket = connect({ port, host: '127.0.0.1', onread })
      const headers = encodeHeaderBlock([
        [':method', 'POST'],
        [':scheme', 'http'],
        [':path', METHOD_PATH],
        [':authority', `127.0.0.1:${port}`],
        ['content-type', 'application/grpc+proto'],
        ['te', 'trailers'],
      ])
      socket.write(
        Buffer.concat([
          PREFACE,
          encodeSettings([[INITIAL_WINDOW_SIZE, MAX_WINDOW]]),
          encodeWindowUpdate(0, MAX_WINDOW - DEFAULT_WINDOW),
          encodeFrame(FrameType.headers, Flag.endHeaders, 1, headers),
          encodeFrame(FrameType.data, Flag.endStream, 1, requestBytes(payload)),
        ]),
      )
      socket.on('error', reject)
    }),
  close: () => {},
})
