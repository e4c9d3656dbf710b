/** The metrics of `brokerwire simulate`. The label `app` is the name of a simulated app. */
import type { MetricTable } from './definition.ts'

export const SIMULATOR_METRICS = {
  requests: {
    name: 'brokerwire_simulator_requests_total',
    type: 'counter',
    labels: [],
    help: 'HTTP requests and subscriptions that the simulator received',
  },
  connections: {
    name: 'brokerwire_simulator_subscriptions',
    type: 'gauge',
    labels: [],
    help: 'Subscriptions to event streams that are open',
  },
  tradeEvents: {
    name: 'brokerwire_simulator_trade_events_total',
    type: 'counter',
    labels: ['app'],
    help: 'Trade and position events that the simulator has created',
  },
  moduleEvents: {
    name: 'brokerwire_simulator_module_events_total',
    type: 'counter',
    labels: ['app'],
    help: 'Module events that the simulator has created',
  },
  usedConnections: {
    name: 'brokerwire_simulator_used_connections',
    type: 'gauge',
    labels: ['app'],
    help: 'Event connections that count towards the limit of the app, including those that ended less than slotLingerMs ago',
  },
  accessTokens: {
    name: 'brokerwire_simulator_access_tokens',
    type: 'gauge',
    labels: ['app', 'status'],
    help: 'Access tokens by their status',
  },
  clientTokenPairs: {
    name: 'brokerwire_simulator_client_token_pairs',
    type: 'gauge',
    labels: ['app'],
    help: 'Pairs of client tokens and refresh tokens',
  },
} as const satisfies MetricTable
