/** Debian's MQTT broker. Its log shows connections and how they end. */
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type ChildServer, startServer } from './child-server.ts'
import { programOf } from './installed.ts'

/** A broker and its log. */
export interface Mosquitto extends ChildServer {
  readonly mqttUrl: string
  log(): string
}

export interface MosquittoOptions {
  readonly transport: 'mqtt' | 'mqtts' | 'ws'
  /** The certificate for `mqtts`. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined
  /** Whether the broker accepts every user name. If `false`, it rejects every user name. */
  readonly anonymous?: boolean
}

/** Rejects if the port accepts no connection. */
const probe = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve()
    })
    socket.on('error', reject)
  })

export async function startMosquitto(options: MosquittoOptions): Promise<Mosquitto> {
  const { transport, tls, anonymous = true } = options
  let folder = ''
  const server = await startServer({
    name: 'mosquitto',
    command: programOf('mosquitto'),
    async prepare(directory) {
      folder = directory
      if (tls === undefined) return
      writeFileSync(join(directory, 'cert.pem'), tls.cert)
      writeFileSync(join(directory, 'key.pem'), tls.key)
    },
    args(port, directory) {
      const lines = [
        // As root, mosquitto would change to another user, which cannot read the folder.
        'user root',
        `allow_anonymous ${anonymous}`,
        // The broker sends the next message with QoS 1 when the previous one is acknowledged.
        'max_inflight_messages 1',
        `log_dest file ${join(directory, 'log')}`,
        'log_type all',
        ...(transport === 'ws'
          ? // mosquitto ends if its only port is for WebSocket, so it also gets a Unix socket.
            [
              `listener ${port}`,
              'bind_interface lo',
              'protocol websockets',
              `listener 0 ${join(directory, 'unix')}`,
            ]
          : [`listener ${port} 127.0.0.1`]),
        ...(tls === undefined
          ? []
          : [`certfile ${join(directory, 'cert.pem')}`, `keyfile ${join(directory, 'key.pem')}`]),
      ]
      const file = join(directory, 'mosquitto.conf')
      writeFileSync(file, `${lines.join('\n')}\n`)
      return ['-c', file]
    },
    probe,
  })
  return {
    ...server,
    port: server.port,
    mqttUrl: `${transport}://127.0.0.1:${server.port}${transport === 'ws' ? '/mqtt' : ''}`,
    log: () => readFileSync(join(folder, 'log'), 'utf8'),
  }
}
