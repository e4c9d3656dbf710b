/**
 * The packets of MQTT 3.1.1 that a reader of market data sends and receives, as data. Section numbers in this folder are
 * those of the OASIS standard of 29 October 2014.
 *
 * Nobody subscribes over MQTT here (facts, market data), so four packets go out and three come in. What else a broker may
 * send is no error: it is handed on as `other`, a sign of life.
 */

/** CONNECT (3.1): always with a clean session, without a will. */
export interface ConnectPacket {
  readonly clientId: string
  readonly userName: string
  readonly password: string
  /** 0 switches the broker's own watch off. At most 65535. */
  readonly keepAliveSeconds: number
}

/** CONNACK (3.2). */
export interface ConnackPacket {
  readonly type: 'connack'
  readonly sessionPresent: boolean
  /** 0 is success. The service has codes of its own beyond the standard's 5. */
  readonly returnCode: number
}

/** PUBLISH (3.3). Its payload is a range of the bytes that were received: whoever keeps it copies it. */
export interface PublishPacket {
  readonly type: 'publish'
  readonly topic: string
  readonly qos: 0 | 1 | 2
  readonly retain: boolean
  /** The broker sends it once more, and does not know whether it came before. */
  readonly duplicate: boolean
  /** With QoS 1 and 2. */
  readonly packetId: number | undefined
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
}

/** PINGRESP (3.13). */
export interface PingrespPacket {
  readonly type: 'pingresp'
}

/** A well-framed packet that a broker may send and that means nothing here: acknowledgements of what nobody sent. */
export interface OtherPacket {
  readonly type: 'other'
  /** Number of the packet's type (2.2.1). */
  readonly packetType: number
}

/** What a broker sends. */
export type MqttPacket = ConnackPacket | PublishPacket | PingrespPacket | OtherPacket

/** Why bytes are no packets. After one of these nothing that follows can be read. */
export type MqttFault =
  /** A type that no broker sends, or that does not exist (2.2.1). */
  | 'packet-type'
  /** Flags that the type does not have, QoS 3, or a repeat with QoS 0 (2.2.2, 3.3.1). */
  | 'flags'
  /** A length of more than four bytes (2.2.3). */
  | 'length'
  /** Longer than this reader takes. */
  | 'too-large'
  /** A body that is longer or shorter than its type has. */
  | 'body'
  /** A topic that is empty, not UTF-8, holds a NUL or a wildcard (1.5.3, 3.3.2.1, 4.7). */
  | 'topic'
  /** Packet identifier 0 (2.3.1). */
  | 'packet-id'
  /** Another packet before CONNACK (3.2.0-1). */
  | 'no-connack'

export const PACKET_TYPE = {
  connect: 1,
  connack: 2,
  publish: 3,
  puback: 4,
  pubrec: 5,
  pubrel: 6,
  pubcomp: 7,
  suback: 9,
  unsuback: 11,
  pingreq: 12,
  pingresp: 13,
  disconnect: 14,
} as const
