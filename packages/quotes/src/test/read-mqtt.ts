/** Decodes chunks as a connection does. */
import { MqttDecoder } from '../mqtt/decoder.ts'
import type { MqttFault, MqttPacket } from '../mqtt/packets.ts'

/** A packet with a copy of its payload. */
export type ReadPacket =
  | Exclude<MqttPacket, { readonly type: 'publish' }>
  | (Omit<Extract<MqttPacket, { readonly type: 'publish' }>, 'bytes' | 'start' | 'end'> & {
      readonly payload: Uint8Array
    })

export function readMqtt(
  pieces: readonly Uint8Array[],
  maxPacketBytes = 1 << 20,
): { readonly packets: readonly ReadPacket[]; readonly fault: MqttFault | undefined } {
  const decoder = new MqttDecoder(maxPacketBytes)
  const packets: ReadPacket[] = []
  let fault: MqttFault | undefined
  for (const piece of pieces) {
    // A socket reuses its buffer for the next chunk.
    const chunk = Uint8Array.from(piece)
    fault = decoder.read(chunk, (packet) => {
      if (packet.type !== 'publish') {
        packets.push(packet)
        return
      }
      const { bytes, start, end, ...rest } = packet
      packets.push({ ...rest, payload: Uint8Array.from(bytes.subarray(start, end)) })
    })
    chunk.fill(0xa5)
  }
  return { packets, fault }
}
