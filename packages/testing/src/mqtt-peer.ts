/**
 * An MQTT client on mqtt-packet and a socket, with which a test sees each packet and how the connection ends.
 */
import { connect as connectTcp } from 'node:net'
import { parser as createParser, generate, type IConnackPacket, type Packet } from 'mqtt-packet'
import { expect, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'

/** A connection that has sent CONNECT. */
export interface MqttPeer {
  readonly session: string
  /** Returns the return code of CONNACK; `undefined` before CONNACK has arrived. */
  code(): number | undefined
  /** Returns the topics of the received messages, in order. */
  topics(): readonly string[]
  /** Returns the last message on a topic, as a string. */
  textOf(topic: string): string | undefined
  /** Sends CONNECT again. */
  connect(): void
  /** Sends PINGREQ and waits for the response. */
  ping(): Promise<void>
  /**
   * Sends PINGREQ, then DISCONNECT, and waits until the connection closes.
   *
   * @returns Whether a PINGRESP arrived before the connection closed.
   */
  pingAndLeave(): Promise<boolean>
  /**
   * Returns how the connection ended; `undefined` while it is open. Over TCP it is `'closed'`. Over WebSocket
   * it is `'closed'` with the status of the close frame, or the message of the error. Status 1005 means a
   * close frame without a status, and 1006 means no close frame.
   */
  end(): string | undefined
}

/** Time limit for a busy machine. */
const SOON = { timeout: 45_000 }

/**
 * Connects, sends CONNECT, and waits for CONNACK or the end of the connection. The connection is closed at
 * the end of the test.
 */
export async function connectMqttPeer(
  url: string,
  { appKey, session }: { readonly appKey: string; readonly session: string },
): Promise<MqttPeer> {
  const peer = speakMqtt(url, { appKey, session })
  await expect.poll(() => peer.code() !== undefined || peer.end() !== undefined, SOON).toBe(true)
  return peer
}

/** Connects and sends CONNECT, but does not wait for CONNACK, because a CONNECT may get no response. */
export function speakMqtt(
  url: string,
  { appKey, session }: { readonly appKey: string; readonly session: string },
): MqttPeer {
  const packets: Packet[] = []
  let ended: string | undefined
  const parser = createParser({ protocolVersion: 4 })
  parser.on('packet', (packet: Packet) => packets.push(packet))
  const end = (how: string): void => {
    ended ??= how
  }
  const hello = generate(
    {
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clean: true,
      keepalive: 60,
      clientId: session,
      username: appKey,
      password: Buffer.from('none'),
    },
    { protocolVersion: 4 },
  )
  const { send, leave } = url.startsWith('ws')
    ? overWebSocket(url, hello, parser.parse.bind(parser), end)
    : overTcp(url, hello, parser.parse.bind(parser), end)
  onTestFinished(leave)
  const pongs = (): number => packets.filter(({ cmd }) => cmd === 'pingresp').length
  const published = () => packets.filter((packet) => packet.cmd === 'publish')
  return {
    session,
    code: () => packets.find((packet): packet is IConnackPacket => packet.cmd === 'connack')?.returnCode,
    topics: () => published().map(({ topic }) => topic),
    textOf: (topic) =>
      published()
        .filter((packet) => packet.topic === topic)
        .at(-1)
        ?.payload.toString(),
    connect: () => send(hello),
    async ping() {
      const before = pongs()
      send(generate({ cmd: 'pingreq' }))
      await expect.poll(pongs, SOON).toBe(before + 1)
    },
    async pingAndLeave() {
      const before = pongs()
      send(Buffer.concat([generate({ cmd: 'pingreq' }), generate({ cmd: 'disconnect' })]))
      await expect.poll(() => ended, SOON).toBeDefined()
      return pongs() > before
    },
    end: () => ended,
  }
}

interface Link {
  readonly send: (bytes: Buffer) => void
  readonly leave: () => void
}
type Take = (bytes: Buffer) => unknown

function overTcp(url: string, hello: Buffer, take: Take, end: (how: string) => void): Link {
  const { hostname, port } = new URL(url)
  const socket = connectTcp({ host: hostname, port: Number(port) })
  // CONNECT is written before the connection is open, so that all later packets follow it.
  socket.write(hello)
  socket.on('data', take)
  socket.on('error', () => undefined)
  socket.on('close', () => end('closed'))
  return { send: (bytes) => void socket.write(bytes), leave: () => void socket.destroy() }
}

function overWebSocket(url: string, hello: Buffer, take: Take, end: (how: string) => void): Link {
  const socket = new WebSocket(url, 'mqtt')
  socket.on('open', () => socket.send(hello))
  socket.on('message', (bytes) => take(bytes as Buffer))
  socket.on('error', ({ message }) => end(message))
  socket.on('close', (status) => end(`closed ${status}`))
  return { send: (bytes) => socket.send(bytes), leave: () => socket.terminate() }
}
