/** The listeners of a simulator by name, and the URLs of the servers. */
import type { Server, Socket } from 'node:net'
import type { StreamService } from '../grpc/subscription-fault.ts'
import { type Listener, listen, urlHost } from '../listen.ts'
import type { SimulatorSettings } from '../options.ts'

/** Names of the listeners. `'trade'` also serves module events if `moduleEventsPort` is `'shared'`. */
export type ListenerName = 'http' | 'control' | 'mqtt' | 'mqttWebSocket' | StreamService

/** Origins of the HTTP endpoints and of the event streams. */
export interface ServiceUrls {
  readonly baseUrl: string
  readonly eventsUrl: string
  readonly moduleEventsUrl: string
}

type ListenersSettings = Pick<SimulatorSettings, 'tls' | 'listen' | 'moduleEventsPort'>

export class Listeners {
  readonly #open = new Map<ListenerName, Listener>()
  readonly #settings: ListenersSettings

  constructor(settings: ListenersSettings) {
    this.#settings = settings
  }

  /**
   * Opens a listener.
   *
   * @param option - Name of the option that sets the port. The error contains it.
   * @param address - Address to listen on. Default: the option `listen`.
   * @throws SimulatorError `SIMULATOR_LISTEN_FAILED`
   */
  async open(
    name: ListenerName,
    server: Server,
    { port, option, address = this.#settings.listen }: ListenerAddress,
  ): Promise<void> {
    this.#open.set(name, await listen(server, port, option, address))
  }

  get(name: ListenerName): Listener | undefined {
    return this.#open.get(name)
  }

  /**
   * Returns the URL of a listener. The port is 0 if the listener is not open.
   *
   * @param scheme - The scheme without TLS. With TLS an `s` is appended.
   */
  url(scheme: 'http' | 'mqtt' | 'ws', name: ListenerName): string {
    const { tls, listen } = this.#settings
    const port = this.#open.get(name)?.port ?? 0
    return `${scheme}${tls === undefined ? '' : 's'}://${urlHost(listen)}:${port}`
  }

  serviceUrls(): ServiceUrls {
    return {
      baseUrl: this.url('http', 'http'),
      eventsUrl: this.url('http', 'trade'),
      moduleEventsUrl: this.url('http', this.#settings.moduleEventsPort === 'shared' ? 'trade' : 'module'),
    }
  }

  /** Yields the sockets of the open connections of all listeners. */
  *sockets(): Generator<Socket, void, undefined> {
    for (const { sockets } of this.#open.values()) yield* sockets
  }

  /** Stops accepting connections. Resolves when all open connections have ended. */
  async drain(): Promise<void> {
    await Promise.all([...this.#open.values()].map((listener) => listener.drain()))
  }

  /** Destroys every connection and stops listening. */
  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((listener) => listener.close()))
  }
}

interface ListenerAddress {
  readonly port: number
  readonly option: string
  readonly address?: string | undefined
}
