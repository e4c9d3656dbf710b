/** Real-time market data over MQTT. So far: the codec. */
export { MqttDecoder } from './mqtt/decoder.ts'
export { DISCONNECT, encodeConnect, encodePuback, isMqttText, PINGREQ } from './mqtt/encode.ts'
export type {
  ConnackPacket,
  ConnectPacket,
  MqttFault,
  MqttPacket,
  OtherPacket,
  PingrespPacket,
  PublishPacket,
} from './mqtt/packets.ts'
