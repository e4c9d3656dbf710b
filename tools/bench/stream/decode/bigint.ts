/** The fastest way from protobufjs' 64-bit values to a bigint: no arithmetic, two writes and a read. */

const view = new DataView(new ArrayBuffer(8))

export function bigintOf(value: number | { readonly low: number; readonly high: number }): bigint {
  if (typeof value === 'number') return BigInt(value)
  view.setInt32(0, value.low, true)
  view.setInt32(4, value.high, true)
  return view.getBigInt64(0, true)
}
