/**
 * Plugin for the option `quotes`: the MQTT broker over TCP and WebSocket, and the HTTP calls to subscribe.
 */
import { createServer as createWebServer } from 'node:http'
import { createServer as createSecureWebServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { SimulatorCore } from '../server/core.ts'
import type { SimulatorPlugin } from '../server/plugin.ts'
import { createWireRandom, deriveSeed } from '../wire/random.ts'
import type { QuotesControls } from './quotes-controls.ts'
import type { QuotesSettings } from './quotes-options.ts'
import { createQuotesService } from './quotes-service.ts'
import { addStreamingRoutes } from './streaming-routes.ts'

/** Market data of one simulator. */
export interface MarketData extends SimulatorPlugin {
  readonly settings: QuotesSettings
  readonly controls: QuotesControls
}

export function createMarketDataPlugin(core: SimulatorCore, settings: QuotesSettings): MarketData {
  const { apps, lifecycle, listeners } = core
  const { clock, seed, tls } = core.settings
  const service = createQuotesService({
    settings,
    clock,
    random: createWireRandom(deriveSeed(seed, 4)),
    isKnown: (key) => apps.find(key) !== undefined,
    isServing: () => lifecycle.isServing,
    urls: () => ({
      mqttUrl: listeners.url('mqtt', 'mqtt'),
      mqttWebSocketUrl: `${listeners.url('ws', 'mqttWebSocket')}/mqtt`,
    }),
    firstAppKey: apps.all[0].settings.appKey,
    onChange: core.waiters.poll,
  })
  const { broker, controls } = service
  return {
    settings,
    controls,
    addRoutes: (app, gates) => addStreamingRoutes(app, service, gates),
    async start() {
      const mqtt =
        tls === undefined ? createTcpServer(broker.onSocket) : createTlsServer(tls, broker.onSocket)
      await listeners.open('mqtt', mqtt, { port: settings.mqttPort, option: 'quotes.mqttPort' })
      const web = tls === undefined ? createWebServer() : createSecureWebServer(tls)
      broker.onServer(web)
      await listeners.open('mqttWebSocket', web, {
        port: settings.mqttWebSocketPort,
        option: 'quotes.mqttWebSocketPort',
      })
    },
    close: () => service.close(),
  }
}
