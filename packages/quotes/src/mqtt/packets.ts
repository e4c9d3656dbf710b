/**
 * The packets of MQTT 3.1.1 that a market data client sends and receives. Section numbers in this folder are those of the
 * OASIS standard of 29 October 2014.
 *
 * Subscriptions are made over HTTP (facts, market data), so four packets are sent and three are received. Other valid
 * packets of a broker are reported as `other` and count as activity.
 */

/** CONNECT (3.1), always with a clean session and without a will. */
export interface ConnectPacket {
  readonly clientId: string
  readonly userName: string
  readonly password: string
  /** From 0 to 65535. 0 turns off the broker's timeout. */
  readonly keepAliveSeconds: number
}

/** CONNACK (3.2). */
export interface ConnackPacket {
  readonly type: 'connack'
  readonly sessionPresent: boolean
  /** 0 is success. The service adds codes to those of the standard. */
  readonly returnCode: number
}

/** PUBLISH (3.3). Its payload is a range of the received bytes: copy it to keep it. */
export interface PublishPacket {
  readonly type: 'publish'
  readonly topic: string
  readonly qos: 0 | 1 | 2
  readonly retain: boolean
  /** DUP flag: the broker may have sent the message before. */
  readonly duplicate: boolean
  /** Packet identifier; `undefined` with QoS 0. */
  readonly packetId: number | undefined
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
}

/** PINGRESP (3.13). */
export interface PingrespPacket {
  readonly type: 'pingresp'
}

/** A valid packet without a meaning here, such as an acknowledgement that no request asked for. */
export interface OtherPacket {
  readonly type: 'other'
  /** Number of the packet's type (2.2.1). */
  readonly packetType: number
}

/** A packet from the broker. */
export type MqttPacket = ConnackPacket | PublishPacket | PingrespPacket | OtherPacket

/** The reason why bytes are malformed. Decoding cannot continue after it. */
export type MqttFault =
  /** A type that no broker sends, or that does not exist (2.2.1). */
  | 'packet-type'
  /** Flags that the type does not have, QoS 3, or DUP with QoS 0 (2.2.2, 3.3.1). */
  | 'flags'
  /** A length of more than four bytes (2.2.3). */
  | 'length'
  /** Longer than `maxPacketBytes`. */
  | 'too-large'
  /** A body whose length does not fit its type. */
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
