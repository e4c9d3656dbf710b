/** What the broker pushes: the snapshots of the fixtures in turn, each for another symbol. */
import { type MarketSnapshot, MarketSnapshotSchema } from '@brokerwire/protos/quotes'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { generate } from 'mqtt-packet'
import marketData from '../../../testdata/fixtures/market-data.json' with { type: 'json' }

/** More than the messages of one read from a socket, so that no symbol waits for the consumer twice. */
export const SYMBOLS = 1000

/** PUBLISH packets with one snapshot for each symbol. */
export function snapshotBlock(symbols: number): Buffer {
  const snapshots = marketData.messages
    .filter(({ topic }) => topic === 'snapshot')
    .map(({ hex }): MarketSnapshot => fromBinary(MarketSnapshotSchema, Buffer.from(hex, 'hex')))
  const packets = Array.from({ length: symbols }, (_, index) => {
    const snapshot = snapshots[index % snapshots.length] as MarketSnapshot
    if (snapshot.basic !== undefined) snapshot.basic.symbol = `S${String(index).padStart(4, '0')}`
    const payload = Buffer.from(toBinary(MarketSnapshotSchema, snapshot))
    return generate({ cmd: 'publish', topic: 'snapshot', payload, qos: 0, dup: false, retain: false })
  })
  return Buffer.concat(packets)
}
