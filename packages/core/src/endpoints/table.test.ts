import { expect, test } from 'vitest'
import { ENDPOINTS, type Environment, type Region } from './table.ts'

/**
 * The rows of the host table in the facts, as a second copy: to change a host you must change it here too.
 */
const ROWS: [Region, Environment, string, string, string | undefined, string][] = [
  ['us', 'production', 'api.webull.com', 'events-api.webull.com', 'broker-api-event-push.webull.com', 'SHA1'],
  ['us', 'sandbox', 'api.sandbox.webull.com', 'events-api.sandbox.webull.com', undefined, 'SHA256'],
  ['hk', 'production', 'api.webull.hk', 'events-api.webull.hk', 'broker-api-event-push.webull.hk', 'SHA1'],
  [
    'hk',
    'sandbox',
    'api.sandbox.webull.hk',
    'events-api.sandbox.webull.hk',
    'broker-api-event-push.sandbox.webull.hk',
    'SHA1',
  ],
]

test.each(ROWS)('%s %s', (region, environment, http, events, moduleEvents, hash) => {
  expect(ENDPOINTS[region][environment]).toEqual({
    baseUrl: `https://${http}`,
    eventsUrl: `https://${events}`,
    moduleEventsUrl: moduleEvents === undefined ? undefined : `https://${moduleEvents}`,
    mqttUrl: `mqtts://${http.replace('api.', 'data-api.')}:1883`,
    mqttWebSocketUrl: `wss://${http.replace('api.', 'data-api.')}:8883/mqtt`,
    algorithm: `HMAC-${hash}`,
    streamAlgorithm: 'HMAC-SHA256',
  })
})

test('no sandbox shares a host with a production environment', () => {
  const hosts = (environment: Environment): unknown[] =>
    Object.values(ENDPOINTS).flatMap(({ [environment]: entry }) => [
      entry.baseUrl,
      entry.eventsUrl,
      entry.moduleEventsUrl,
      entry.mqttUrl,
      entry.mqttWebSocketUrl,
    ])
  const production = new Set(hosts('production'))
  expect(hosts('sandbox').filter((host) => host !== undefined && production.has(host))).toEqual([])
})
