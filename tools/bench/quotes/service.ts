/** What the broker of the bench pushes: the snapshots of the fixtures, in turn, each of another symbol. */
import { readFileSync } from 'node:fs'
import { type MarketSnapshot, MarketSnapshotSchema } from '@brokerwire/protos/quotes'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { generate } from 'mqtt-packet'

interface Fixture {
  readonly topic: string
  readonly hex: string
}

/** More symbols than one read of a socket holds messages: none of them waits for a consumer twice. */
export const SYMBOLS = 1000

const fromHex = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'))

/** PUBLISH packets of one snapshot for each of so many symbols. @param root - The repository's folder. */
export function snapshotBlock(root: string, symbols: number): Buffer {
  const { messages } = JSON.parse(readFileSync(`${root}/testdata/fixtures/market-data.json`, 'utf8')) as {
    readonly messages: readonly Fixture[]
  }
  const snapshots = messages
    .filter(({ topic }) => topic === 'snapshot')
    .map(({ hex }): MarketSnapshot => fromBinary(MarketSnapshotSchema, fromHex(hex)))
  const packets = Array.from({ length: symbols }, (_, index) => {
    const snapshot = snapshots[index % snapshots.length] as MarketSnapshot
    if (snapshot.basic !== undefined) snapshot.basic.symbol = `S${String(index).padStart(4, '0')}`
    const payload = Buffer.from(toBinary(MarketSnapshotSchema, snapshot))
    return generate({ cmd: 'publish', topic: 'snapshot', payload, qos: 0, dup: false, retain: false })
  })
  return Buffer.concat(packets)
}
